/* open_steps.h: the two steps of opening that every packet goes through, as text: each format has a copy of
 * its own (PACKET_OPEN_STEPS), in which its row of the table is a constant. Called by open.c, which has the
 * other steps; included by the formats. */
#ifndef PACKET_OPEN_STEPS_H
#define PACKET_OPEN_STEPS_H

#include "batch.h"

enum { OPEN_NO_JOB = PACKET_BATCH };

/* The packets of one generation of keys in a batch, in their order. */
struct open_run {
    struct sealane_channel *channel;
    struct generation *keys; /* held */
    int slot;                /* where they were found */
    uint8_t first, last;     /* jobs */
    uint8_t next;            /* run in its list */
    uint64_t forged;
};

struct open_batch {
    size_t n_runs, n_jobs;
    struct sealane_job job[PACKET_BATCH]; /* user: the packet */
    uint64_t number[PACKET_BATCH];        /* of each job */
    uint8_t next[PACKET_BATCH];           /* job of the same run */
    struct open_run run[PACKET_BATCH];
    uint8_t list[PACKET_LISTS]; /* of runs: the first one */
};

PACKET_INLINE uint32_t open_id_of(const struct generation *g)
{
    return atomic_load_explicit(&g->rx_id, memory_order_relaxed);
}

/* The first of the channel's runs, or the next after one of them. */
PACKET_INLINE struct open_run *open_find_run(struct open_batch *b, const struct sealane_channel *channel,
                                             const struct open_run *after)
{
    uint8_t i = after == NULL ? b->list[packet_list(channel)] : after->next;

    while (i != PACKET_NO_RUN && b->run[i].channel != channel)
        i = b->run[i].next;
    return i == PACKET_NO_RUN ? NULL : &b->run[i];
}

PACKET_INLINE void open_append(struct open_batch *b, struct open_run *run, uint64_t number)
{
    uint8_t job = (uint8_t)b->n_jobs++;

    b->number[job] = number;
    b->next[job] = OPEN_NO_JOB;
    if (run->first == OPEN_NO_JOB)
        run->first = job;
    else
        b->next[run->last] = job;
    run->last = job;
}

/* The checks of a packet's number, and the job. The header is of the keys' format and has their id; the
 * packet is long enough for the format. */
PACKET_INLINE int open_make_job(const struct packet_format *f, struct open_batch *b, struct open_run *run,
                                struct sealane_packet *p, const uint8_t *datagram)
{
    const struct generation *keys = run->keys;
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
    open_append(b, run, number);
    return SEALANE_OK;
}

/* Is this packet of run's channel one of run's, in place, in which open.c's admit finds nothing wrong before
 * its number? */
PACKET_INLINE bool open_is_plain(const struct packet_format *f, const struct open_run *run,
                                 const struct sealane_packet *p)
{
    const size_t overhead = packet_overhead(f);
    uint32_t rx_id;

    return ((p->buf != NULL) & (p->src == NULL) & packet_reserved_is_zero(p) & (p->off <= p->cap) &
            (p->len <= p->cap - p->off) & (p->len >= overhead) & aead_len_fits(p->len - overhead)) &&
           f->peek(p->buf + p->off, &rx_id) == SEALANE_OK && rx_id == open_id_of(run->keys);
}

/* Makes jobs of plain packets under keys of this format that have been met, or refuses them by their numbers:
 * those at p, up to the first other one, n at most. Returns how many. */
PACKET_INLINE size_t open_plain(const struct packet_format *f, struct open_batch *b, struct sealane_packet *p,
                                size_t n)
{
    struct open_run *run = NULL;
    size_t i;

    for (i = 0; i < n; i++) {
        if (run == NULL || run->channel != p[i].channel) {
            run = open_find_run(b, p[i].channel, NULL);
            if (run == NULL || run->keys->format != f)
                break;
        }
        if (!open_is_plain(f, run, &p[i]))
            break;
        p[i].status = open_make_job(f, b, run, &p[i], p[i].buf + p[i].off);
        if (p[i].status != SEALANE_OK)
            (void)packet_count_error(p[i].channel, p[i].status);
    }
    return i;
}

/* The slot of the keys as a run's first authentic packet met them; the others met them where they are since.
 * At most one packet ever reports SEALANE_NEXT. */
PACKET_INLINE int open_first_slot(struct open_run *run)
{
    bool confirmed = channel_confirm(run->channel, run->keys);

    run->slot = run->slot == SEALANE_NEXT ? SEALANE_CURRENT : run->slot;
    return confirmed ? SEALANE_NEXT : run->slot;
}

/* An authentic packet, seen for the first time. */
PACKET_INLINE int open_deliver(const struct packet_format *f, const struct sealane_job *j, uint64_t number,
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
PACKET_INLINE size_t open_report(const struct packet_format *f, struct open_batch *b, struct open_run *run)
{
    uint64_t bytes = 0;
    size_t opened = 0;
    bool first = true;

    for (uint8_t i = run->first; i != OPEN_NO_JOB; i = b->next[i]) {
        const struct sealane_job *j = &b->job[i];
        struct sealane_packet *p = j->user;
        int status = j->status;

        if (status == SEALANE_OK) {
            status = open_deliver(f, j, b->number[i], first ? open_first_slot(run) : run->slot);
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

/* The copies for the format `row`, and what the row says of them. */
#define PACKET_OPEN_STEPS(row)                                                                               \
    static size_t open_plain_##row(struct open_batch *b, struct sealane_packet *p, size_t n)                 \
    {                                                                                                        \
        return open_plain(&row, b, p, n);                                                                    \
    }                                                                                                        \
                                                                                                             \
    static size_t open_report_##row(struct open_batch *b, struct open_run *run)                              \
    {                                                                                                        \
        return open_report(&row, b, run);                                                                    \
    }
#define PACKET_OPEN_STEPS_OF(row) .open_plain = open_plain_##row, .open_report = open_report_##row

#endif
