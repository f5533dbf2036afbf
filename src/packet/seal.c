/* seal.c: payloads to datagrams, in bursts. The public sealane_seal_packets of packet.h.
 *
 * A batch goes through five steps: check each packet and hold the sending keys of each channel that occurs (a
 * run); take all numbers of a run at once; write headers and padding; seal all as one burst of aead.h,
 * whatever their keys; report, and let go of the keys. Nothing is written before a packet has its number, and
 * a number that was given is used. */
#include "batch.h"

/* The packets of one channel in a batch, in their order. */
struct run {
    struct sealane_channel *channel;
    struct generation *keys; /* held, when error is 0 */
    int error;               /* of all its packets */
    size_t wanted, left;     /* numbers */
    uint64_t number;         /* the next one */
    uint64_t sealed, bytes;
};

struct batch {
    struct sealane_packet *packet;
    size_t n, n_runs, n_jobs;
    struct sealane_job job[PACKET_BATCH]; /* user: the packet */
    uint64_t number[PACKET_BATCH];        /* of each job */
    struct run run[PACKET_BATCH];
    uint8_t run_of[PACKET_BATCH]; /* of each packet that is not refused */
};

static struct run *run_of(struct batch *b, const struct sealane_packet *p)
{
    return &b->run[b->run_of[p - b->packet]];
}

/* Bursts have few channels, and neighbours often share one: the last run is looked at first. */
static struct run *find_run(struct batch *b, struct sealane_channel *channel)
{
    struct run *run;

    for (size_t i = b->n_runs; i-- > 0;)
        if (b->run[i].channel == channel)
            return &b->run[i];
    run = &b->run[b->n_runs++];
    *run = (struct run){.channel = channel};
    run->error = channel_hold_current(channel, &run->keys);
    return run;
}

static size_t payload_len(const struct packet_format *f, const struct sealane_packet *p)
{
    return p->kind == SEALANE_KEEPALIVE ? f->keepalive_len : p->len;
}

static int check_payload(const struct packet_format *f, const struct sealane_packet *p)
{
    size_t len = payload_len(f, p), behind = (size_t)f->max_pad + f->trailer_len;

    if ((f->kinds >> p->kind & 1) == 0)
        return SEALANE_EINVAL;
    if (p->off < f->header_len || p->cap - p->off < behind || p->cap - p->off - behind < len)
        return SEALANE_ESPACE;
    if (len > AEAD_MAX_LEN - f->max_pad)
        return SEALANE_ELENGTH;
    return SEALANE_OK;
}

static int admit(struct batch *b, const struct sealane_packet *p)
{
    struct run *run;
    int err = packet_check(p);

    if (err == SEALANE_OK && (p->kind > SEALANE_DUMMY || (p->kind == SEALANE_KEEPALIVE && p->len != 0)))
        err = SEALANE_EINVAL;
    if (err != SEALANE_OK)
        return err;
    run = find_run(b, p->channel);
    if (run->error != SEALANE_OK)
        return packet_count_error(p->channel, run->error);
    err = check_payload(run->keys->format, p);
    if (err != SEALANE_OK)
        return err;
    run->wanted++;
    b->run_of[p - b->packet] = (uint8_t)(run - b->run);
    return SEALANE_OK;
}

/* Brings the plaintext into its place where it has to be put together; returns where it lies. */
static const uint8_t *lay_out(const struct packet_format *f, const struct sealane_packet *p, size_t len,
                              size_t pad_len)
{
    uint8_t *payload = p->buf + p->off;
    const uint8_t *in = packet_has_src(p) ? p->src : payload;

    if (p->kind == SEALANE_KEEPALIVE)
        copy_bytes(payload, f->keepalive, len);
    if (pad_len == 0)
        return in;
    if (in != payload)
        copy_bytes(payload, in, len);
    f->write_pad(payload + len, pad_len, p->next_header);
    return payload;
}

static void prepare(struct sealane_job *job, const struct generation *keys, struct sealane_packet *p,
                    uint64_t number)
{
    const struct packet_format *f = keys->format;
    uint8_t *payload = p->buf + p->off, *header = payload - f->header_len;
    size_t len = payload_len(f, p), pad_len = f->pad_len == NULL ? 0 : f->pad_len(len, keys->mtu);

    job->key = &keys->tx;
    job->in = lay_out(f, p, len, pad_len);
    job->out = payload;
    job->len = len + pad_len;
    job->aad = header;
    job->aad_len = f->aad_len;
    job->tag = header + packet_tag_off(f, job->len);
    job->user = p;
    f->write_header(header, keys->tx_id, number);
    f->make_nonce(job->nonce, keys->tx_iv, header, number);
}

/* Numbers in the order of the packets; those that the keys' limit leaves without one get ELIMIT. */
static void number_packets(struct batch *b)
{
    for (struct run *run = b->run; run < b->run + b->n_runs; run++)
        if (run->wanted != 0)
            run->left = generation_take_numbers(run->keys, run->wanted, &run->number);
    for (struct sealane_packet *p = b->packet; p < b->packet + b->n; p++) {
        struct run *run;

        if (p->status != SEALANE_OK)
            continue;
        run = run_of(b, p);
        if (run->left == 0) {
            p->status = packet_count_error(p->channel, SEALANE_ELIMIT);
            continue;
        }
        run->left--;
        prepare(&b->job[b->n_jobs], run->keys, p, run->number);
        b->number[b->n_jobs++] = run->number++;
    }
}

static void report(struct batch *b, const struct sealane_job *job)
{
    struct sealane_packet *p = job->user;
    struct run *run = run_of(b, p);
    const struct packet_format *f = run->keys->format;

    p->status = job->status;
    if (job->status != SEALANE_OK)
        return;
    run->sealed++;
    run->bytes += p->len;
    p->off -= f->header_len;
    p->len = packet_overhead(f) + job->len;
    p->counter = b->number[job - b->job];
}

static void finish(const struct run *run)
{
    if (run->error != SEALANE_OK)
        return;
    channel_count(run->channel, COUNT_SEALED_PACKETS, run->sealed);
    channel_count(run->channel, COUNT_SEALED_BYTES, run->bytes);
    generation_release(run->keys);
}

static size_t seal_batch(struct sealane_packet *p, size_t n)
{
    struct batch b;
    size_t good;

    b.packet = p;
    b.n = n;
    b.n_runs = b.n_jobs = 0;
    for (size_t i = 0; i < n; i++)
        p[i].status = admit(&b, &p[i]);
    number_packets(&b);
    good = sealane_seal_burst(b.job, b.n_jobs);
    for (size_t i = 0; i < b.n_jobs; i++)
        report(&b, &b.job[i]);
    for (size_t i = 0; i < b.n_runs; i++)
        finish(&b.run[i]);
    return good;
}

size_t sealane_seal_packets(struct sealane_packet *p, size_t n)
{
    size_t good = 0;

    for (size_t i = 0; p != NULL && i < n; i += PACKET_BATCH)
        good += seal_batch(p + i, n - i < PACKET_BATCH ? n - i : PACKET_BATCH);
    return good;
}
