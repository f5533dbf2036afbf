/* seal_steps.h: the two steps of sealing that every packet goes through, as text: each format has a copy of
 * its own (PACKET_SEAL_STEPS), in which its row of the table is a constant. Called by seal.c, which has the
 * other steps; included by the formats. */
#ifndef PACKET_SEAL_STEPS_H
#define PACKET_SEAL_STEPS_H

#include "batch.h"

/* The packets of one channel in a batch, in their order. */
struct seal_run {
    struct sealane_channel *channel;
    struct generation *keys; /* held, when error is 0 */
    int error;               /* of all its packets */
    size_t wanted, left;     /* numbers */
    uint64_t number;         /* the next one */
    uint64_t bytes;          /* of payload */
    uint8_t next;            /* in its list */
};

/* What is known of a job besides. */
struct seal_made {
    struct seal_run *run;
    bool put; /* its plaintext has to be put together */
};

struct seal_batch {
    size_t n_runs, n_jobs;
    struct sealane_job job[PACKET_BATCH]; /* user: the packet */
    struct seal_made made[PACKET_BATCH];  /* of each job */
    struct seal_run run[PACKET_BATCH];
    uint8_t list[PACKET_LISTS]; /* of runs: the first one */
};

PACKET_INLINE struct seal_run *seal_find_run(struct seal_batch *b, const struct sealane_channel *channel)
{
    for (uint8_t i = b->list[packet_list(channel)]; i != PACKET_NO_RUN; i = b->run[i].next)
        if (b->run[i].channel == channel)
            return &b->run[i];
    return NULL;
}

/* The job of a checked packet with len bytes of payload at in, all but its nonce. */
PACKET_INLINE void seal_make_job(const struct packet_format *f, struct seal_batch *b, struct seal_run *run,
                                 struct sealane_packet *p, const uint8_t *in, size_t len)
{
    const struct generation *keys = run->keys;
    struct sealane_job *job = &b->job[b->n_jobs];
    uint8_t *payload = p->buf + p->off, *header = payload - f->header_len;
    size_t pad_len = packet_pad_len(f, len, keys->mtu);

    job->key = &keys->tx;
    job->in = in;
    job->out = payload;
    job->len = len + pad_len;
    job->aad = header;
    job->aad_len = f->aad_len;
    job->tag = header + packet_tag_off(f, job->len);
    job->user = p;
    b->made[b->n_jobs++] = (struct seal_made){run, pad_len != 0 || p->kind == SEALANE_KEEPALIVE};
    run->wanted++;
    run->bytes += p->len;
}

/* Is this packet one of data, in place, in which seal.c's admit would find nothing wrong, its channel apart?
 * The answer to all questions with one branch. */
PACKET_INLINE bool seal_is_plain(const struct packet_format *f, const struct sealane_packet *p)
{
    const size_t behind = (size_t)f->max_pad + f->trailer_len, room = p->cap - p->off;

    return ((p->buf != NULL) & (p->src == NULL) & (p->kind == SEALANE_DATA) & packet_reserved_is_zero(p) &
            (p->off >= f->header_len) & (p->off <= p->cap) & (room >= behind) & (p->len <= room - behind) &
            aead_len_fits((uint64_t)p->len + f->max_pad)) != 0;
}

/* Makes jobs of plain packets whose channels have been met and send in this format: those at p, up to the
 * first other one, n at most. Returns how many. */
PACKET_INLINE size_t seal_plain(const struct packet_format *f, struct seal_batch *b, struct sealane_packet *p,
                                size_t n)
{
    struct seal_run *run = NULL;
    size_t i;

    for (i = 0; i < n; i++) {
        if (run == NULL || run->channel != p[i].channel) {
            run = seal_find_run(b, p[i].channel);
            if (run == NULL || run->error != SEALANE_OK || run->keys->format != f)
                break;
        }
        if (!seal_is_plain(f, &p[i]))
            break;
        p[i].status = SEALANE_OK;
        seal_make_job(f, b, run, &p[i], p[i].buf + p[i].off, p[i].len);
    }
    return i;
}

/* Brings the plaintext into its place. */
PACKET_INLINE void seal_put(const struct packet_format *f, struct sealane_job *job)
{
    const struct sealane_packet *p = job->user;
    size_t len = p->len;

    if (p->kind == SEALANE_KEEPALIVE) {
        len = f->keepalive_len;
        copy_bytes(job->out, f->keepalive, len);
    } else if (job->in != job->out)
        copy_bytes(job->out, job->in, len);
    job->in = job->out;
    if (job->len != len)
        f->write_pad(job->out + len, job->len - len, p->next_header);
}

/* Everything that is not the cipher's, for jobs from the one at `at` on, up to the first one of another
 * format or without a number left for it. They go to `to` and behind. Returns how many. */
PACKET_INLINE size_t seal_begin(const struct packet_format *f, struct seal_batch *b, size_t at, size_t to)
{
    size_t i;

    for (i = 0; at + i < b->n_jobs; i++) {
        struct seal_run *run = b->made[at + i].run;
        const struct generation *keys = run->keys;
        struct sealane_job *job = &b->job[to + i];
        struct sealane_packet *p;

        if (run->left == 0 || keys->format != f)
            break;
        if (to != at)
            *job = b->job[at + i];
        if (b->made[at + i].put)
            seal_put(f, job);
        p = job->user;
        f->write_header(job->out - f->header_len, job->nonce, keys->tx_id, keys->tx_iv, run->number);
        p->off -= f->header_len;
        p->len = packet_overhead(f) + job->len;
        p->counter = run->number++;
        run->left--;
    }
    return i;
}

/* The copies for the format `row`, and what the row says of them. */
#define PACKET_SEAL_STEPS(row)                                                                               \
    static size_t seal_plain_##row(struct seal_batch *b, struct sealane_packet *p, size_t n)                 \
    {                                                                                                        \
        return seal_plain(&row, b, p, n);                                                                    \
    }                                                                                                        \
                                                                                                             \
    static size_t seal_begin_##row(struct seal_batch *b, size_t at, size_t to)                               \
    {                                                                                                        \
        return seal_begin(&row, b, at, to);                                                                  \
    }
#define PACKET_SEAL_STEPS_OF(row) .seal_plain = seal_plain_##row, .seal_begin = seal_begin_##row

#endif
