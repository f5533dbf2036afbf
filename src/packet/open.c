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
    bool confirmed;          /* a packet of this run made them current */
    uint8_t first, last;     /* jobs */
    uint64_t opened, bytes, forged;
};

struct batch {
    size_t n_runs, n_jobs;
    struct sealane_job job[PACKET_BATCH]; /* user: the packet */
    uint64_t number[PACKET_BATCH];        /* of each job */
    uint8_t next[PACKET_BATCH];           /* job of the same run */
    struct run run[PACKET_BATCH];
};

static uint32_t id_of(const struct generation *g)
{
    return atomic_load_explicit(&g->rx_id, memory_order_relaxed);
}

static int find_run(struct batch *b, struct sealane_channel *channel, uint32_t rx_id, struct run **found)
{
    struct run *run;
    int err;

    for (size_t i = b->n_runs; i-- > 0;)
        if (b->run[i].channel == channel && id_of(b->run[i].keys) == rx_id) {
            *found = &b->run[i];
            return SEALANE_OK;
        }
    run = *found = &b->run[b->n_runs];
    *run = (struct run){.channel = channel, .first = NO_JOB};
    err = channel_hold_id(channel, rx_id, &run->keys, &run->slot);
    b->n_runs += err == SEALANE_OK;
    return err;
}

static void prepare(struct sealane_job *job, const struct generation *keys, struct sealane_packet *p,
                    const uint8_t *datagram, uint64_t number)
{
    const struct packet_format *f = keys->format;

    job->key = &keys->rx;
    job->in = datagram + f->header_len;
    job->out = p->buf + p->off + f->header_len;
    job->len = p->len - packet_overhead(f);
    job->aad = datagram;
    job->aad_len = f->aad_len;
    job->tag = (uint8_t *)(uintptr_t)(datagram + packet_tag_off(f, job->len)); /* opening only reads it */
    job->user = p;
    f->make_nonce(job->nonce, keys->rx_iv, datagram, number);
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

/* The checks before verification, and the job. */
static int admit(struct batch *b, struct sealane_packet *p)
{
    const struct packet_format *f = atomic_load_explicit(&p->channel->format, memory_order_acquire);
    const uint8_t *datagram;
    struct run *run;
    uint64_t number;
    uint32_t rx_id;
    int err;

    if (f == NULL)
        return SEALANE_ENOKEY;
    if (p->len < packet_overhead(f) || p->len - packet_overhead(f) > AEAD_MAX_LEN)
        return SEALANE_ELENGTH;
    datagram = packet_has_src(p) ? p->src : p->buf + p->off;
    err = packet_format_peek(f, datagram, p->len, &rx_id);
    if (err == SEALANE_OK)
        err = find_run(b, p->channel, rx_id, &run);
    if (err != SEALANE_OK)
        return err;
    f = run->keys->format; /* it may differ from the channel's in its flags */
    if (p->len < packet_overhead(f))
        return SEALANE_ELENGTH;
    number = f->read_number(datagram, atomic_load_explicit(&run->keys->window.newest, memory_order_relaxed));
    if (number >= f->limit_number)
        return SEALANE_ELIMIT;
    if (!window_is_fresh(&run->keys->window, number))
        return SEALANE_EREPLAY;
    prepare(&b->job[b->n_jobs], run->keys, p, datagram, number);
    append(b, run, number);
    return SEALANE_OK;
}

/* The window has the last word on authentic packets. A run without any does not take the lock. */
static void settle(struct batch *b, struct run *run)
{
    struct window *window = &run->keys->window;
    bool authentic = false;

    for (uint8_t j = run->first; j != NO_JOB; j = b->next[j]) {
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
    atomic_fetch_add_explicit(&run->keys->failed, run->forged, memory_order_relaxed);
}

/* The slot of the keys as this packet met them. At most one packet ever reports SEALANE_NEXT. */
static int slot_for(struct run *run)
{
    int slot = run->slot == SEALANE_NEXT ? SEALANE_CURRENT : run->slot;

    if (!run->confirmed && channel_confirm(run->channel, run->keys)) {
        run->confirmed = true;
        slot = SEALANE_NEXT;
    }
    return slot;
}

/* An authentic packet, seen for the first time. */
static int deliver(const struct batch *b, struct run *run, uint8_t job)
{
    const struct packet_format *f = run->keys->format;
    const struct sealane_job *j = &b->job[job];
    struct sealane_packet *p = j->user;
    struct packet_inner inner = {0};
    int slot = slot_for(run), err = f->look_inside(j->out, j->len, &inner);

    if (err != SEALANE_OK)
        return err;
    p->off += f->header_len;
    p->len = inner.len;
    p->kind = inner.kind;
    p->next_header = inner.next_header;
    p->slot = (uint8_t)slot;
    p->counter = b->number[job];
    run->opened++;
    run->bytes += inner.len;
    return SEALANE_OK;
}

static void report(struct batch *b, struct run *run)
{
    for (uint8_t i = run->first; i != NO_JOB; i = b->next[i]) {
        const struct sealane_job *j = &b->job[i];
        struct sealane_packet *p = j->user;

        p->status = j->status == SEALANE_OK ? deliver(b, run, i) : j->status;
        if (p->status == SEALANE_EREPLAY || p->status == SEALANE_EFORMAT)
            zero_bytes(j->out, j->len); /* of a forged one, aead.h did it */
        packet_count_error(run->channel, p->status);
    }
    channel_count(run->channel, COUNT_OPENED_PACKETS, run->opened);
    channel_count(run->channel, COUNT_OPENED_BYTES, run->bytes);
    channel_count(run->channel, COUNT_FORGED, run->forged);
}

static size_t open_batch(struct sealane_packet *p, size_t n)
{
    struct batch b;
    size_t good = 0;

    b.n_runs = b.n_jobs = 0;
    for (size_t i = 0; i < n; i++) {
        p[i].status = packet_check(&p[i]);
        if (p[i].status == SEALANE_OK)
            p[i].status = packet_count_error(p[i].channel, admit(&b, &p[i]));
    }
    sealane_open_burst(b.job, b.n_jobs);
    for (struct run *run = b.run; run < b.run + b.n_runs; run++) {
        settle(&b, run);
        report(&b, run);
        good += run->opened;
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
