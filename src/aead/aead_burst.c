/* aead_burst.c: bursts of messages for the public aead.h: checks every job, and gathers those that the burst
 * kernels serve into groups; the others go one at a time. */
#include <sealane/aead.h>

#include <assert.h>

#include "aead_burst_plan.h"
#include "aead_check.h"
#include "aead_kernels.h"
#include "aead_key.h"

/* What differs between the directions. */
struct direction {
    void (*one)(struct sealane_job *j);
    void (*group)(const struct aead_burst_kernels *k, struct sealane_job *const *jobs, unsigned n);
    int opens;
};

static void seal_one(struct sealane_job *j)
{
    j->status = sealane_seal(j->key, j->nonce, j->aad, j->aad_len, j->in, j->len, j->out, j->tag);
}

static void open_one(struct sealane_job *j)
{
    j->status = sealane_open(j->key, j->nonce, j->aad, j->aad_len, j->in, j->len, j->tag, j->out);
}

static const struct direction sealing = {seal_one, aead_group_seal, 0};
static const struct direction opening = {open_one, aead_group_open, 1};

/* Jobs that wait for their group; all of one level. */
struct gathered {
    const struct aead_burst_ladder *ladder;
    struct sealane_job *jobs[AEAD_GROUP_MAX];
    unsigned n;
};

#ifndef NDEBUG
static int refused(const struct sealane_job *j)
{
    return aead_key_of(j->key) == NULL ||
           aead_check_spans(j->aad, j->aad_len, j->in, j->len, j->out, j->tag) != SEALANE_OK;
}

/* Does no other job of the burst write where this one reads or writes? Jobs that are refused do neither. */
static int alone(const struct sealane_job *jobs, size_t n, size_t i, int opens)
{
    const struct sealane_job *j = &jobs[i];

    if (refused(j))
        return 1;
    for (size_t o = 0; o < n; o++) {
        const struct sealane_job *w = &jobs[o];

        if (o == i || refused(w))
            continue;
        if (spans_overlap(w->out, w->len, j->out, j->len) || spans_overlap(w->out, w->len, j->in, j->len) ||
            spans_overlap(w->out, w->len, j->aad, j->aad_len) || spans_overlap(w->out, w->len, j->tag, 16))
            return 0;
        if (!opens &&
            (spans_overlap(w->tag, 16, j->out, j->len) || spans_overlap(w->tag, 16, j->in, j->len) ||
             spans_overlap(w->tag, 16, j->aad, j->aad_len) || spans_overlap(w->tag, 16, j->tag, 16)))
            return 0;
    }
    return 1;
}
#endif

/* Lengths in classes, for packets whose MACs should stand side by side. */
#define CLASSES 64

static unsigned class_of(size_t len)
{
    return len < 2048 ? (unsigned)len / 64 : len < 32 * 1024 ? 32 + (unsigned)len / 1024 : CLASSES - 1;
}

/* The jobs in the order of their classes; nothing but the order of the work changes by it. */
static void sort_gathered(struct gathered *w)
{
    struct sealane_job *sorted[AEAD_GROUP_MAX];
    uint8_t class[AEAD_GROUP_MAX], next[CLASSES + 1] = {0};
    int mixed = 0;

    for (unsigned i = 0; i < w->n; i++) {
        class[i] = (uint8_t)class_of(w->jobs[i]->len);
        mixed |= class[i] != class[0];
    }
    if (!mixed)
        return;
    for (unsigned i = 0; i < w->n; i++)
        next[class[i] + 1]++;
    for (unsigned c = 1; c < CLASSES; c++)
        next[c] = (uint8_t)(next[c] + next[c - 1]);
    for (unsigned i = 0; i < w->n; i++)
        sorted[next[class[i]]++] = w->jobs[i];
    memcpy(w->jobs, sorted, w->n * sizeof sorted[0]);
}

static void run_gathered(const struct direction *d, struct gathered *w)
{
    size_t bytes = 0;

    if (w->n == 0)
        return;
    for (unsigned i = 0; i < w->n; i++)
        bytes += w->jobs[i]->len;
    if (w->n < aead_burst_min(w->ladder, bytes / w->n)) {
        for (unsigned i = 0; i < w->n; i++)
            d->one(w->jobs[i]);
    } else {
        sort_gathered(w);
        d->group(w->ladder->kernels, w->jobs, w->n);
    }
    w->n = 0;
}

static void gather(const struct direction *d, struct gathered *w, struct sealane_job *j)
{
    const struct aead_key *key = aead_key_of(j->key);

    if (key == NULL) {
        j->status = SEALANE_EINVAL;
        return;
    }
    j->status = aead_check_spans(j->aad, j->aad_len, j->in, j->len, j->out, j->tag);
    if (j->status != SEALANE_OK)
        return;
    if (key->burst->kernels == NULL || j->len > key->burst->max_len || j->aad_len > AEAD_MACS_AAD_MAX) {
        d->one(j);
        return;
    }
    if (w->n == AEAD_GROUP_MAX || (w->n != 0 && key->burst != w->ladder))
        run_gathered(d, w);
    w->ladder = key->burst;
    w->jobs[w->n++] = j;
}

static size_t run(const struct direction *d, struct sealane_job *jobs, size_t n)
{
    struct gathered w;
    size_t good = 0;

    w.n = 0;
    for (size_t i = 0; i < n; i++) {
        assert(alone(jobs, n, i, d->opens));
        gather(d, &w, &jobs[i]);
    }
    run_gathered(d, &w);
    for (size_t i = 0; i < n; i++)
        good += jobs[i].status == SEALANE_OK;
    return good;
}

size_t sealane_seal_burst(struct sealane_job *jobs, size_t n)
{
    return run(&sealing, jobs, n);
}

size_t sealane_open_burst(struct sealane_job *jobs, size_t n)
{
    return run(&opening, jobs, n);
}
