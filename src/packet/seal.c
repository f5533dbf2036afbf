/* seal.c: payloads to datagrams, in bursts. The public sealane_seal_packets of packet.h.
 *
 * A batch goes through four steps: check each packet, hold the sending keys of each channel that occurs (a
 * run) and make a job of it; take all numbers of a run at once and write headers and padding; seal all as one
 * burst of aead.h, whatever their keys; count, and let go of the keys. Nothing is written before a packet has
 * its number, and a number that was given is used. */
#include "batch.h"

/* The packets of one channel in a batch, in their order. */
struct run {
    struct sealane_channel *channel;
    struct generation *keys; /* held, when error is 0 */
    int error;               /* of all its packets */
    size_t wanted, left;     /* numbers */
    uint64_t number;         /* the next one */
    uint64_t bytes;          /* of payload */
    uint8_t next;            /* in its list */
};

struct batch {
    size_t n_runs, n_jobs;
    struct sealane_job job[PACKET_BATCH]; /* user: the packet */
    struct run run[PACKET_BATCH];
    uint8_t list[PACKET_LISTS];   /* of runs: the first one */
    uint8_t run_of[PACKET_BATCH]; /* of each job */
    bool put[PACKET_BATCH];       /* its plaintext has to be put together */
};

static inline struct run *find_run(struct batch *b, const struct sealane_channel *channel)
{
    for (uint8_t i = b->list[packet_list(channel)]; i != PACKET_NO_RUN; i = b->run[i].next)
        if (b->run[i].channel == channel)
            return &b->run[i];
    return NULL;
}

static struct run *new_run(struct batch *b, struct sealane_channel *channel)
{
    uint8_t *list = &b->list[packet_list(channel)];
    struct run *run = &b->run[b->n_runs];

    *run = (struct run){.channel = channel, .next = *list};
    run->error = channel_hold_current(channel, &run->keys);
    *list = (uint8_t)b->n_runs++;
    return run;
}

static size_t payload_len(const struct packet_format *f, const struct sealane_packet *p)
{
    return p->kind == SEALANE_KEEPALIVE ? f->keepalive_len : p->len;
}

static int check_payload(const struct packet_format *f, const struct sealane_packet *p, size_t len)
{
    size_t behind = (size_t)f->max_pad + f->trailer_len;

    if ((f->kinds >> p->kind & 1) == 0)
        return SEALANE_EINVAL;
    if (p->off < f->header_len || p->cap - p->off < behind || p->cap - p->off - behind < len)
        return SEALANE_ESPACE;
    if (len > AEAD_MAX_LEN - f->max_pad)
        return SEALANE_ELENGTH;
    return SEALANE_OK;
}

/* The job of a checked packet, all but its nonce. */
static inline void make_job(struct batch *b, struct run *run, struct sealane_packet *p, const uint8_t *in,
                            size_t len)
{
    const struct generation *keys = run->keys;
    const struct packet_format *f = keys->format;
    struct sealane_job *job = &b->job[b->n_jobs];
    uint8_t *payload = p->buf + p->off, *header = payload - f->header_len;
    size_t pad_len = f->pad_len == NULL ? 0 : f->pad_len(len, keys->mtu);

    job->key = &keys->tx;
    job->in = in;
    job->out = payload;
    job->len = len + pad_len;
    job->aad = header;
    job->aad_len = f->aad_len;
    job->tag = header + packet_tag_off(f, job->len);
    job->user = p;
    b->put[b->n_jobs] = pad_len != 0 || p->kind == SEALANE_KEEPALIVE;
    b->run_of[b->n_jobs++] = (uint8_t)(run - b->run);
    run->wanted++;
    run->bytes += p->len;
}

static __attribute__((noinline)) int admit(struct batch *b, struct sealane_packet *p)
{
    struct run *run;
    size_t len;
    int err = packet_check(p);

    if (err == SEALANE_OK && (p->kind > SEALANE_DUMMY || (p->kind == SEALANE_KEEPALIVE && p->len != 0)))
        err = SEALANE_EINVAL;
    if (err != SEALANE_OK)
        return err;
    run = find_run(b, p->channel);
    if (run == NULL)
        run = new_run(b, p->channel);
    if (run->error != SEALANE_OK)
        return packet_count_error(p->channel, run->error);
    len = payload_len(run->keys->format, p);
    err = check_payload(run->keys->format, p, len);
    if (err == SEALANE_OK)
        make_job(b, run, p, packet_has_src(p) ? p->src : p->buf + p->off, len);
    return err;
}

/* Would `admit` find nothing wrong with this packet of run's channel, data in place? The answer to most of
 * its questions with one branch. */
static inline bool is_plain(const struct run *run, const struct sealane_packet *p)
{
    const struct packet_format *f = run->keys->format; /* error is 0 */
    const size_t behind = (size_t)f->max_pad + f->trailer_len, room = p->cap - p->off;

    return ((p->buf != NULL) & (p->src == NULL) & (p->kind == SEALANE_DATA) & packet_reserved_is_zero(p) &
            (p->off >= f->header_len) & (p->off <= p->cap) & (room >= behind) & (p->len <= room - behind) &
            (p->len <= AEAD_MAX_LEN - f->max_pad)) != 0;
}

static void admit_all(struct batch *b, struct sealane_packet *p, size_t n)
{
    struct run *run = NULL;

    for (size_t i = 0; i < n; i++, p++) {
        if (run == NULL || run->channel != p->channel)
            run = find_run(b, p->channel);
        if (run != NULL && run->error == SEALANE_OK && is_plain(run, p)) {
            p->status = SEALANE_OK;
            make_job(b, run, p, p->buf + p->off, p->len);
        } else
            p->status = admit(b, p);
    }
}

/* Brings the plaintext into its place. */
static void put_together(const struct packet_format *f, struct sealane_job *job)
{
    const struct sealane_packet *p = job->user;
    size_t len = payload_len(f, p);

    if (p->kind == SEALANE_KEEPALIVE)
        copy_bytes(job->out, f->keepalive, len);
    else if (job->in != job->out)
        copy_bytes(job->out, job->in, len);
    job->in = job->out;
    if (job->len != len)
        f->write_pad(job->out + len, job->len - len, p->next_header);
}

/* A packet has its number: everything that is not the cipher's. */
static inline void begin(struct sealane_job *job, const struct generation *keys, uint64_t number, bool put)
{
    const struct packet_format *f = keys->format;
    struct sealane_packet *p = job->user;
    uint8_t *header = job->out - f->header_len;

    if (put)
        put_together(f, job);
    f->write_header(header, job->nonce, keys->tx_id, keys->tx_iv, number);
    p->off -= f->header_len;
    p->len = packet_overhead(f) + job->len;
    p->counter = number;
}

/* Numbers in the order of the packets; those that the keys' limit leaves without one get ELIMIT, and their
 * jobs are dropped. */
static void number_packets(struct batch *b)
{
    size_t kept = 0;

    for (struct run *run = b->run; run < b->run + b->n_runs; run++)
        if (run->wanted != 0)
            run->left = generation_take_numbers(run->keys, run->wanted, &run->number);
    for (size_t i = 0; i < b->n_jobs; i++) {
        struct run *run = &b->run[b->run_of[i]];
        struct sealane_packet *p = b->job[i].user;

        if (run->left == 0) {
            p->status = packet_count_error(p->channel, SEALANE_ELIMIT);
            run->wanted--;
            run->bytes -= p->len;
            continue;
        }
        run->left--;
        if (kept != i)
            b->job[kept] = b->job[i];
        begin(&b->job[kept++], run->keys, run->number++, b->put[i]);
    }
    b->n_jobs = kept;
}

static void finish(const struct run *run)
{
    if (run->error != SEALANE_OK)
        return;
    channel_count(run->channel, COUNT_SEALED_PACKETS, run->wanted);
    channel_count(run->channel, COUNT_SEALED_BYTES, run->bytes);
    generation_release(run->keys);
}

static size_t seal_batch(struct sealane_packet *p, size_t n)
{
    struct batch b;

    b.n_runs = b.n_jobs = 0;
    memset(b.list, PACKET_NO_RUN, sizeof b.list);
    admit_all(&b, p, n);
    number_packets(&b);
    aead_burst_seal_checked(b.job, b.n_jobs);
    for (size_t i = 0; i < b.n_runs; i++)
        finish(&b.run[i]);
    return b.n_jobs;
}

size_t sealane_seal_packets(struct sealane_packet *p, size_t n)
{
    size_t good = 0;

    for (size_t i = 0; p != NULL && i < n; i += PACKET_BATCH)
        good += seal_batch(p + i, n - i < PACKET_BATCH ? n - i : PACKET_BATCH);
    return good;
}
