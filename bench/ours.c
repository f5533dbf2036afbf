/* ours.c: this library as a contender: its public calls at any feature level. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sealane/sealane.h>

#include "contender.h"

#define NO_IFMA(mask) ((mask) & ~SEALANE_CPU_IFMA)

const struct level levels[] = {
    {"avx512", SEALANE_LEVEL_AVX512},     {"avx512-noifma", NO_IFMA(SEALANE_LEVEL_AVX512)},
    {"avx512vl", SEALANE_LEVEL_AVX512VL}, {"avx512vl-noifma", NO_IFMA(SEALANE_LEVEL_AVX512VL)},
    {"avx2", SEALANE_LEVEL_AVX2},         {"ssse3", SEALANE_LEVEL_SSSE3},
    {"portable", SEALANE_LEVEL_PORTABLE}, {NULL, 0},
};

const struct level *level_find(const char *name)
{
    const struct level *l = levels;

    while (l->name != NULL && strcmp(l->name, name) != 0)
        l++;
    return l->name != NULL ? l : NULL;
}

bool level_present(const struct level *level)
{
    uint32_t widths = level->mask & ~(SEALANE_CPU_IFMA | SEALANE_CPU_BMI2);

    return (sealane_cpu_found() & widths) == widths;
}

const struct level *level_used(void)
{
    const struct level *l = levels;

    while ((l->mask & ~sealane_cpu_used()) != 0)
        l++;
    return l;
}

/* What a daemon keeps: keys with their kernels, and for bursts the jobs of its ring of buffers. */
struct kept {
    const struct workload *w;
    struct sealane_key *keys;
    struct sealane_job *jobs; /* one for each packet */
};

static void release_kept(void *ctx)
{
    struct kept *k = ctx;

    for (size_t i = 0; i < k->w->setup.n_keys; i++)
        sealane_key_wipe(&k->keys[i]);
    free(k->keys);
    free(k->jobs);
    free(k);
}

static void fill_job(struct sealane_job *j, const struct kept *k, const struct packet *p)
{
    *j = (struct sealane_job){
        .key = &k->keys[p->key_index],
        .aad = p->aad,
        .aad_len = p->aad_len,
        .in = p->in,
        .len = p->len,
        .out = p->out,
        .tag = p->tag,
    };
}

static void *prepare_keys(const void *self, const struct workload *w)
{
    struct kept *k = calloc(1, sizeof *k);

    (void)self;
    if (k == NULL)
        return NULL;
    k->w = w;
    k->keys = calloc(w->setup.n_keys, sizeof *k->keys);
    k->jobs = calloc(w->n_packets, sizeof *k->jobs);
    if (k->keys == NULL || k->jobs == NULL) {
        free(k->keys);
        free(k->jobs);
        free(k);
        return NULL;
    }
    for (size_t i = 0; i < w->setup.n_keys; i++)
        if (sealane_key_init(&k->keys[i], w->keys + 32 * i) != 0)
            abort();
    for (size_t i = 0; i < w->n_packets; i++)
        fill_job(&k->jobs[i], k, &w->packets[i]);
    return k;
}

static bool run_seal(void *ctx, struct packet *p, size_t n)
{
    struct kept *k = ctx;
    int failed = 0;

    for (size_t i = 0; i < n; i++, p++) {
        packet_next(p);
        failed |=
            sealane_seal(&k->keys[p->key_index], p->nonce, p->aad, p->aad_len, p->in, p->len, p->out, p->tag);
    }
    return failed == 0;
}

static bool run_open(void *ctx, struct packet *p, size_t n)
{
    struct kept *k = ctx;
    int failed = 0;

    for (size_t i = 0; i < n; i++, p++) {
        packet_next(p);
        failed |=
            sealane_open(&k->keys[p->key_index], p->nonce, p->aad, p->aad_len, p->in, p->len, p->tag, p->out);
    }
    return failed == 0;
}

/* The jobs of these packets, each with its next nonce; copied in the pieces in which it was written, since a
 * load over two stores that are still on their way waits for both. */
static struct sealane_job *next_jobs(struct kept *k, struct packet *p, size_t n)
{
    struct sealane_job *jobs = &k->jobs[p - k->w->packets];

    for (size_t i = 0; i < n; i++) {
        packet_next(&p[i]);
        memcpy(jobs[i].nonce, p[i].nonce, 4);
        store_le64(jobs[i].nonce + 4, p[i].number);
    }
    return jobs;
}

static bool run_seal_burst(void *ctx, struct packet *p, size_t n)
{
    return sealane_seal_burst(next_jobs(ctx, p, n), n) == n;
}

static bool run_open_burst(void *ctx, struct packet *p, size_t n)
{
    return sealane_open_burst(next_jobs(ctx, p, n), n) == n;
}

static bool run_chacha20(void *ctx, struct packet *p, size_t n)
{
    int failed = 0;

    (void)ctx;
    for (size_t i = 0; i < n; i++, p++) {
        packet_next(p);
        failed |= sealane_chacha20_xor(p->out, p->in, p->len, p->key, p->nonce, 1);
    }
    return failed == 0;
}

static bool run_poly1305(void *ctx, struct packet *p, size_t n)
{
    int failed = 0;

    (void)ctx;
    for (size_t i = 0; i < n; i++, p++)
        failed |= sealane_poly1305(p->tag, p->in, p->len, p->key);
    return failed == 0;
}

static const struct method level_methods[WHAT_COUNT] = {
    [WHAT_CHACHA20] = {nothing_prepare, run_chacha20, nothing_release},
    [WHAT_POLY1305] = {nothing_prepare, run_poly1305, nothing_release},
    [WHAT_SEAL] = {prepare_keys, run_seal, release_kept},
    [WHAT_OPEN] = {prepare_keys, run_open, release_kept},
    [WHAT_BURST] = {prepare_keys, run_seal_burst, release_kept},
    [WHAT_OPEN_BURST] = {prepare_keys, run_open_burst, release_kept},
};

static void select_level(const void *self)
{
    const struct level *level = self;

    sealane_cpu_use(level->mask);
}

void level_contender(struct contender *c, const struct level *level, enum what what)
{
    *c = (struct contender){
        .ours = true,
        .self = level,
        .method = &level_methods[what],
        .select = select_level,
    };
    snprintf(c->name, sizeof c->name, "sealane %s", level->name);
}

void single_contender(struct contender *c, const struct level *level, enum what what)
{
    level_contender(c, level, what_deed(what) == DEED_OPEN ? WHAT_OPEN : WHAT_SEAL);
    c->ours = false;
    snprintf(c->name, sizeof c->name, "single");
}
