/* open.c: datagrams to payloads, in bursts. The public sealane_open_packets of packet.h.
 *
 * A batch goes through four steps: read each header, hold the keys it names (a run: the packets of one
 * generation) and drop what is plainly old; open all as one burst of aead.h, without a lock; run by run, move
 * the replay window under its lock, which decides again, since a copy may have come meanwhile or in the same
 * burst; look inside the authentic plaintexts, report, and let go of the keys. */
#include "open_steps.h"

static int find_keys(struct open_batch *b, struct sealane_channel *channel, uint32_t rx_id,
                     struct open_run **found)
{
    uint8_t *list = &b->list[packet_list(channel)];
    struct open_run *run = NULL;
    int err;

    do
        run = open_find_run(b, channel, run);
    while (run != NULL && open_id_of(run->keys) != rx_id);
    *found = run;
    if (run != NULL)
        return SEALANE_OK;
    run = *found = &b->run[b->n_runs];
    *run = (struct open_run){.channel = channel, .first = OPEN_NO_JOB, .next = *list};
    err = channel_hold_id(channel, rx_id, &run->keys, &run->slot);
    if (err == SEALANE_OK)
        *list = (uint8_t)b->n_runs++;
    return err;
}

/* Any packet: the checks before verification, and the job. */
static int admit(struct open_batch *b, struct sealane_packet *p)
{
    const struct packet_format *f;
    const uint8_t *datagram;
    struct open_run *run;
    uint32_t rx_id;
    int err = packet_check(p);

    if (err != SEALANE_OK)
        return err;
    f = atomic_load_explicit(&p->channel->format, memory_order_acquire);
    if (f == NULL)
        return SEALANE_ENOKEY;
    if (p->len < packet_overhead(f) || !aead_len_fits(p->len - packet_overhead(f)))
        return SEALANE_ELENGTH;
    datagram = packet_has_src(p) ? p->src : p->buf + p->off;
    err = packet_format_peek(f, datagram, p->len, &rx_id);
    if (err == SEALANE_OK)
        err = find_keys(b, p->channel, rx_id, &run);
    if (err != SEALANE_OK)
        return err;
    if (p->len < packet_overhead(run->keys->format)) /* it may differ from the channel's in its flags */
        return SEALANE_ELENGTH;
    return open_make_job(run->keys->format, b, run, p, datagram);
}

static void admit_all(struct open_batch *b, struct sealane_packet *p, size_t n)
{
    while (n != 0) {
        struct open_run *run = open_find_run(b, p->channel, NULL);
        size_t done = run != NULL ? run->keys->format->open_plain(b, p, n) : 0;

        if (done == 0) {
            p->status = admit(b, p);
            if (p->status != SEALANE_OK)
                (void)packet_count_error(p->channel, p->status);
            done = 1;
        }
        p += done;
        n -= done;
    }
}

/* The window has the last word on authentic packets. A run without any does not take the lock. */
static void settle(struct open_batch *b, struct open_run *run, bool all_authentic)
{
    struct window *window = &run->keys->window;
    bool authentic = all_authentic;

    for (uint8_t j = all_authentic ? (uint8_t)OPEN_NO_JOB : run->first; j != OPEN_NO_JOB; j = b->next[j]) {
        authentic |= b->job[j].status == SEALANE_OK;
        run->forged += b->job[j].status == SEALANE_EFORGED;
    }
    if (authentic) {
        pthread_mutex_lock(&window->lock);
        for (uint8_t j = run->first; j != OPEN_NO_JOB; j = b->next[j])
            if (b->job[j].status == SEALANE_OK && !window_accept(window, b->number[j]))
                b->job[j].status = SEALANE_EREPLAY;
        pthread_mutex_unlock(&window->lock);
    }
    if (run->forged != 0)
        atomic_fetch_add_explicit(&run->keys->failed, run->forged, memory_order_relaxed);
}

static size_t open_some(struct sealane_packet *p, size_t n)
{
    struct open_batch b;
    bool all_authentic;
    size_t good = 0;

    b.n_runs = b.n_jobs = 0;
    memset(b.list, PACKET_NO_RUN, sizeof b.list);
    admit_all(&b, p, n);
    all_authentic = aead_burst_open_checked(b.job, b.n_jobs) == b.n_jobs;
    for (struct open_run *run = b.run; run < b.run + b.n_runs; run++) {
        settle(&b, run, all_authentic && run->first != OPEN_NO_JOB);
        good += run->keys->format->open_report(&b, run);
        generation_release(run->keys);
    }
    return good;
}

size_t sealane_open_packets(struct sealane_packet *p, size_t n)
{
    size_t good = 0;

    for (size_t i = 0; p != NULL && i < n; i += PACKET_BATCH)
        good += open_some(p + i, n - i < PACKET_BATCH ? n - i : PACKET_BATCH);
    return good;
}
