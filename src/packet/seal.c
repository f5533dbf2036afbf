/* seal.c: payloads to datagrams, in bursts. The public sealane_seal_packets of packet.h.
 *
 * A batch goes through four steps: check each packet, hold the sending keys of each channel that occurs (a
 * run) and make a job of it; take all numbers of a run at once and write headers and padding; seal all as one
 * burst of aead.h, whatever their keys; count, and let go of the keys. Nothing is written before a packet has
 * its number, and a number that was given is used. */
#include "seal_steps.h"

static struct seal_run *new_run(struct seal_batch *b, struct sealane_channel *channel)
{
    uint8_t *list = &b->list[packet_list(channel)];
    struct seal_run *run = &b->run[b->n_runs];

    *run = (struct seal_run){.channel = channel, .next = *list};
    run->error = channel_hold_current(channel, &run->keys);
    *list = (uint8_t)b->n_runs++;
    return run;
}

static int check_payload(const struct packet_format *f, const struct sealane_packet *p, size_t len)
{
    size_t behind = (size_t)f->max_pad + f->trailer_len;

    if ((f->kinds >> p->kind & 1) == 0)
        return SEALANE_EINVAL;
    if (p->off < f->header_len || p->cap - p->off < behind || p->cap - p->off - behind < len)
        return SEALANE_ESPACE;
    if (!aead_len_fits((uint64_t)len + f->max_pad))
        return SEALANE_ELENGTH;
    return SEALANE_OK;
}

/* Any packet. */
static int admit(struct seal_batch *b, struct sealane_packet *p)
{
    const struct packet_format *f;
    struct seal_run *run;
    size_t len;
    int err = packet_check(p);

    if (err == SEALANE_OK && (p->kind > SEALANE_DUMMY || (p->kind == SEALANE_KEEPALIVE && p->len != 0)))
        err = SEALANE_EINVAL;
    if (err != SEALANE_OK)
        return err;
    run = seal_find_run(b, p->channel);
    if (run == NULL)
        run = new_run(b, p->channel);
    if (run->error != SEALANE_OK)
        return packet_count_error(p->channel, run->error);
    f = run->keys->format;
    len = p->kind == SEALANE_KEEPALIVE ? f->keepalive_len : p->len;
    err = check_payload(f, p, len);
    if (err == SEALANE_OK)
        seal_make_job(f, b, run, p, packet_has_src(p) ? p->src : p->buf + p->off, len);
    return err;
}

static void admit_all(struct seal_batch *b, struct sealane_packet *p, size_t n)
{
    while (n != 0) {
        struct seal_run *run = seal_find_run(b, p->channel);
        size_t done = 0;

        if (run != NULL && run->error == SEALANE_OK)
            done = run->keys->format->seal_plain(b, p, n);
        if (done == 0) {
            p->status = admit(b, p);
            done = 1;
        }
        p += done;
        n -= done;
    }
}

/* Keys are used up. */
static void drop(const struct sealane_job *job, struct seal_run *run)
{
    struct sealane_packet *p = job->user;

    p->status = packet_count_error(p->channel, SEALANE_ELIMIT);
    run->wanted--;
    run->bytes -= p->len;
}

/* Numbers in the order of the packets; those that the keys' limit leaves without one get ELIMIT, and their
 * jobs are dropped. */
static void number_packets(struct seal_batch *b)
{
    size_t kept = 0;

    for (struct seal_run *run = b->run; run < b->run + b->n_runs; run++)
        if (run->wanted != 0)
            run->left = generation_take_numbers(run->keys, run->wanted, &run->number);
    for (size_t i = 0, n; i < b->n_jobs;) {
        struct seal_run *run = b->made[i].run;

        if (run->left == 0) {
            drop(&b->job[i++], run);
            continue;
        }
        n = run->keys->format->seal_begin(b, i, kept);
        i += n;
        kept += n;
    }
    b->n_jobs = kept;
}

static void finish(const struct seal_run *run)
{
    if (run->error != SEALANE_OK)
        return;
    channel_count(run->channel, COUNT_SEALED_PACKETS, run->wanted);
    channel_count(run->channel, COUNT_SEALED_BYTES, run->bytes);
    generation_release(run->keys);
}

static size_t seal_some(struct sealane_packet *p, size_t n)
{
    struct seal_batch b;

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
        good += seal_some(p + i, n - i < PACKET_BATCH ? n - i : PACKET_BATCH);
    return good;
}
