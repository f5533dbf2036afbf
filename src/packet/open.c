/* open.c: datagrams to payloads, in bursts. The public sealane_open_packets of packet.h.
 *
 * A batch goes through four steps: read each header, hold the keys it names (a run: the packets of one
 * generation) and drop what is plainly old; open all as one burst of aead.h, without a lock; run by run, move
 * the replay window under its lock, which decides again, since a copy may have come meanwhile or in the same
 * burst; look inside the authentic plaintexts, report, and let go of the keys. */
#include "batch.h"

enum { NO_JOB = PACKET_BATCH };

/* The packets of one generation of keys in a batch, in their order. */
struct run {
    struct sealane_channel *channel;
    struct generation *keys; /* held */
    int slot;                /* where they were found */
    uint8_t first, last;     /* jobs */
    uint8_t next;            /* run in its list */
    uint64_t forged;
};

struct batch {
    size_t n_runs, n_jobs;
    struct sealane_job job[PACKET_BATCH]; /* user: the packet */
    uint64_t number[PACKET_BATCH];        /* of each job */
    uint8_t next[PACKET_BATCH];           /* job of the same run */
    struct run run[PACKET_BATCH];
    uint8_t list[PACKET_LISTS]; /* of runs: the first one */
};

static uint32_t id_of(const struct generation *g)
{
    return atomic_load_explicit(&g->rx_id, memory_order_relaxed);
}

/* The first of the channel's runs, or the next after one of them. */
static inline struct run *find_run(struct batch *b, const struct sealane_channel *channel,
                                   const struct run *after)
{
    uint8_t i = after == NULL ? b->list[packet_list(channel)] : after->next;

    while (i != PACKET_NO_RUN && b->run[i].channel != channel)
        i = b->run[i].next;
    return i == PACKET_NO_RUN ? NULL : &b->run[i];
}

static int find_keys(struct batch *b, struct sealane_channel *channel, uint32_t rx_id, struct run **found)
{
    uint8_t *list = &b->list[packet_list(channel)];
    struct run *run = NULL;
    int err;

    do
        run = find_run(b, channel, run);
    while (run != NULL && id_of(run->keys) != rx_id);
    *found = run;
    if (run != NULL)
        return SEALANE_OK;
    run = *found = &b->run[b->n_runs];
    *run = (struct run){.channel = channel, .first = NO_JOB, .next = *list};
    err = channel_hold_id(channel, rx_id, &run->keys, &run->slot);
    if (err == SEALANE_OK)
        *list = (uint8_t)b->n_runs++;
    return err;
}

static void append(struct batch *b, struct run *run, uint64_t number)
{
    uint8_t job = (uint8_t)b->n_jobs++;

    b->number[job] = number;
    b->next[job] = NO_JOB;
    if (run->first == NO_JOB)
        run->first = job;
    else
        b->next[run->last] = job;
    run->last = job;
}

/* The checks of a packet's number, and the job. The header is of the keys' format and has their id; the
 * packet is long enough for the format. */
static inline int make_job(struct batch *b, struct run *run, struct sealane_packet *p,
                           const uint8_t *datagram)
{
    const struct generation *keys = run->keys;
    const struct packet_format *f = keys->format;
    struct sealane_job *job = &b->job[b->n_jobs];
    uint64_t newest = atomic_load_explicit(&keys->window.newest, memory_order_relaxed);
    uint64_t number = f->read_number(datagram, newest, job->nonce, keys->rx_iv);

    if (number >= f->limit_number)
        return SEALANE_ELIMIT;
    if (!window_is_fresh(&keys->window, number))
        return SEALANE_EREPLAY;
    job->key = &keys->rx;
    job->in = datagram + f->header_len;
    job->out = p->buf + p->off + f->header_len;
    job->len = p->len - packet_overhead(f);
    job->aad = datagram;
    job->aad_len = f->aad_len;
    job->tag = (uint8_t *)(uintptr_t)(datagram + packet_tag_off(f, job->len)); /* opening only reads it */
    job->user = p;
    append(b, run, number);
    return SEALANE_OK;
}

/* The checks before verification, and the job. */
static __attribute__((noinline)) int admit(struct batch *b, struct sealane_packet *p)
{
    const struct packet_format *f;
    const uint8_t *datagram;
    struct run *run;
    uint32_t rx_id;
    int err = packet_check(p);

    if (err != SEALANE_OK)
        return err;
    f = atomic_load_explicit(&p->channel->format, memory_order_acquire);
    if (f == NULL)
        return SEALANE_ENOKEY;
    if (p->len < packet_overhead(f) || p->len - packet_overhead(f) > AEAD_MAX_LEN)
        return SEALANE_ELENGTH;
    datagram = packet_has_src(p) ? p->src : p->buf + p->off;
    err = packet_format_peek(f, datagram, p->len, &rx_id);
    if (err == SEALANE_OK)
        err = find_keys(b, p->channel, rx_id, &run);
    if (err != SEALANE_OK)
        return err;
    if (p->len < packet_overhead(run->keys->format)) /* it may differ from the channel's in its flags */
        return SEALANE_ELENGTH;
    return make_job(b, run, p, datagram);
}

/* Is this packet of run's channel one of run's, in place, in which `admit` finds nothing wrong before its
 * number? */
static inline bool is_plain(const struct run *run, const struct sealane_packet *p)
{
    const struct packet_format *f = run->keys->format;
    const size_t overhead = packet_overhead(f);
    uint32_t rx_id;

    return ((p->buf != NULL) & (p->src == NULL) & packet_reserved_is_zero(p) & (p->off <= p->cap) &
            (p->len <= p->cap - p->off) & (p->len >= overhead) & (p->len - overhead <= AEAD_MAX_LEN)) &&
           f->peek(p->buf + p->off, &rx_id) == SEALANE_OK && rx_id == id_of(run->keys);
}

static void admit_all(struct batch *b, struct sealane_packet *p, size_t n)
{
    struct run *run = NULL;

    for (size_t i = 0; i < n; i++, p++) {
        if (run == NULL || run->channel != p->channel)
            run = find_run(b, p->channel, NULL);
        if (run != NULL && is_plain(run, p))
            p->status = make_job(b, run, p, p->buf + p->off);
        else
            p->status = admit(b, p);
        if (p->status != SEALANE_OK)
            (void)packet_count_error(p->channel, p->status);
    }
}

/* The window has the last word on authentic packets. A run without any does not take the lock. */
static void settle(struct batch *b, struct run *run, bool all_authentic)
{
    struct window *window = &run->keys->window;
    bool authentic = all_authentic;

    for (uint8_t j = all_authentic ? (uint8_t)NO_JOB : run->first; j != NO_JOB; j = b->next[j]) {
        authentic |= b->job[j].status == SEALANE_OK;
        run->forged += b->job[j].status == SEALANE_EFORGED;
    }
    if (authentic) {
        pthread_mutex_lock(&window->lock);
        for (uint8_t j = run->first; j != NO_JOB; j = b->next[j])
            if (b->job[j].status == SEALANE_OK && !window_accept(window, b->number[j]))
                b->job[j].status = SEALANE_EREPLAY;
        pthread_mutex_unlock(&window->lock);
    }
    if (run->forged != 0)
        atomic_fetch_add_explicit(&run->keys->failed, run->forged, memory_order_relaxed);
}

/* The slot of the keys as a run's first authentic packet met them; the others met them where they are since.
 * At most one packet ever reports SEALANE_NEXT. */
static int first_slot(struct run *run)
{
    bool confirmed = channel_confirm(run->channel, run->keys);

    run->slot = run->slot == SEALANE_NEXT ? SEALANE_CURRENT : run->slot;
    return confirmed ? SEALANE_NEXT : run->slot;
}

/* An authentic packet, seen for the first time. */
static inline int deliver(const struct packet_format *f, const struct sealane_job *j, uint64_t number,
                          int slot)
{
    struct sealane_packet *p = j->user;
    struct packet_inner inner = {0};
    int err = f->look_inside(j->out, j->len, &inner);

    if (err != SEALANE_OK)
        return err;
    p->off += f->header_len;
    p->len = inner.len;
    p->kind = (uint8_t)inner.kind;
    p->next_header = (uint8_t)inner.next_header;
    p->slot = (uint8_t)slot;
    p->counter = number;
    return SEALANE_OK;
}

/* Returns how many packets were opened. */
static size_t report(struct batch *b, struct run *run)
{
    uint64_t opened = 0, bytes = 0;
    bool first = true;

    for (uint8_t i = run->first; i != NO_JOB; i = b->next[i]) {
        const struct sealane_job *j = &b->job[i];
        struct sealane_packet *p = j->user;
        int status = j->status;

        if (status == SEALANE_OK) {
            status = deliver(run->keys->format, j, b->number[i], first ? first_slot(run) : run->slot);
            first = false;
        }
        p->status = status;
        if (status == SEALANE_OK) {
            opened++;
            bytes += p->len;
            continue;
        }
        if (status != SEALANE_EFORGED) /* of a forged one, aead.h did it */
            zero_bytes(j->out, j->len);
        (void)packet_count_error(run->channel, status);
    }
    channel_count(run->channel, COUNT_OPENED_PACKETS, opened);
    channel_count(run->channel, COUNT_OPENED_BYTES, bytes);
    channel_count(run->channel, COUNT_FORGED, run->forged);
    return opened;
}

static size_t open_batch(struct sealane_packet *p, size_t n)
{
    struct batch b;
    bool all_authentic;
    size_t good = 0;

    b.n_runs = b.n_jobs = 0;
    memset(b.list, PACKET_NO_RUN, sizeof b.list);
    admit_all(&b, p, n);
    all_authentic = aead_burst_open_checked(b.job, b.n_jobs) == b.n_jobs;
    for (struct run *run = b.run; run < b.run + b.n_runs; run++) {
        settle(&b, run, all_authentic && run->first != NO_JOB);
        good += report(&b, run);
        generation_release(run->keys);
    }
    return good;
}

size_t sealane_open_packets(struct sealane_packet *p, size_t n)
{
    size_t good = 0;

    for (size_t i = 0; p != NULL && i < n; i += PACKET_BATCH)
        good += open_batch(p + i, n - i < PACKET_BATCH ? n - i : PACKET_BATCH);
    return good;
}
