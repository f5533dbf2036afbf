/* kernels.c: single kernels of the library's internal ladders as contenders, by name: what they take without
 * the public calls around them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sealane/cpu.h>

#include "aead_kernels.h"
#include "contender.h"

enum kind { KIND_CHACHA20, KIND_POLY1305, KIND_AEAD, KIND_COUNT };

static const char *const kind_names[KIND_COUNT] = {"chacha20", "poly1305", "seal, open"};

/* A rung of a ladder. The union's member is the one that kind says. */
struct kernel {
    enum kind kind;
    const char *name;
    size_t above, max_len; /* the lengths that the ladder gives it: above < len <= max_len */
    const struct aead_suite *suite;
    union {
        const struct chacha_rung *chacha;
        const struct poly1305_rung *poly1305;
        const struct aead_rung *aead;
    } rung;
};

static enum kind kind_of(enum deed deed)
{
    return deed == DEED_CHACHA20 ? KIND_CHACHA20 : deed == DEED_POLY1305 ? KIND_POLY1305 : KIND_AEAD;
}

/* The rung behind k, of the same ladder; false at the end. */
static bool kernel_after(struct kernel *k)
{
    if (k->max_len == SIZE_MAX)
        return false;
    k->above = k->max_len;
    switch (k->kind) {
    case KIND_CHACHA20:
        k->rung.chacha++;
        break;
    case KIND_POLY1305:
        k->rung.poly1305++;
        break;
    default:
        k->rung.aead++;
    }
    return true;
}

/* Name and range, as the rung has them. */
static void kernel_describe(struct kernel *k)
{
    switch (k->kind) {
    case KIND_CHACHA20:
        k->name = k->rung.chacha->name;
        k->max_len = k->rung.chacha->max_len;
        break;
    case KIND_POLY1305:
        k->name = k->rung.poly1305->name;
        k->max_len = k->rung.poly1305->max_len;
        break;
    default:
        k->name = k->rung.aead->name;
        k->max_len = k->rung.aead->max_len;
    }
}

static struct kernel kernel_first(enum kind kind, uint32_t cpu)
{
    struct kernel k = {.kind = kind, .suite = aead_suite_for(cpu)};

    if (kind == KIND_CHACHA20)
        k.rung.chacha = chacha_ladder_for(cpu)->rungs;
    else if (kind == KIND_POLY1305)
        k.rung.poly1305 = poly1305_ladder_for(cpu)->rungs;
    else
        k.rung.aead = k.suite->rungs;
    return k;
}

/* Calls visit for every rung of every level that this CPU has, until it returns true. */
static bool kernels_visit(bool (*visit)(void *arg, const struct level *level, const struct kernel *kernel),
                          void *arg)
{
    for (const struct level *l = levels; l->name != NULL; l++) {
        if (!level_present(l))
            continue;
        for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
            struct kernel k = kernel_first(kind, l->mask & sealane_cpu_found());

            do {
                kernel_describe(&k);
                if (visit(arg, l, &k))
                    return true;
            } while (kernel_after(&k));
        }
    }
    return false;
}

static bool print_kernel(void *arg, const struct level *level, const struct kernel *k)
{
    char upto[32] = "any length";

    (void)arg;
    if (k->max_len != SIZE_MAX)
        snprintf(upto, sizeof upto, "up to %zu", k->max_len);
    else if (k->above != 0)
        snprintf(upto, sizeof upto, "above %zu", k->above);
    printf("%-15s %-10s %-13s %s\n", level->name, kind_names[k->kind], upto, k->name);
    return false;
}

void kernels_list(void)
{
    kernels_visit(print_kernel, NULL);
}

/* What a kernel needs beyond the packet. */
struct kernel_context {
    const struct kernel *kernel;
    uint32_t (*keys)[8];
};

static void release(void *ctx)
{
    struct kernel_context *c = ctx;

    free(c->keys);
    free(c);
}

/* A kernel may do anything at lengths that are not its own. */
static bool serves(const struct kernel *k, const struct workload *w)
{
    for (size_t i = 0; i < w->n_packets; i++)
        if (w->packets[i].len <= k->above || w->packets[i].len > k->max_len)
            return false;
    return true;
}

static void *prepare_anyway(const void *self, const struct workload *w)
{
    struct kernel_context *c = calloc(1, sizeof *c);

    if (c == NULL)
        return NULL;
    c->kernel = self;
    c->keys = calloc(w->setup.n_keys, sizeof *c->keys);
    if (c->keys == NULL) {
        free(c);
        return NULL;
    }
    for (size_t i = 0; i < w->setup.n_keys; i++)
        chacha_load_key(c->keys[i], w->keys + 32 * i);
    return c;
}

static void *prepare(const void *self, const struct workload *w)
{
    return serves(self, w) ? prepare_anyway(self, w) : NULL;
}

static bool run_chacha20(void *ctx, struct packet *p, size_t n)
{
    struct kernel_context *c = ctx;

    for (size_t i = 0; i < n; i++, p++) {
        uint32_t state[16];

        packet_next(p);
        chacha_setup(state, c->keys[p->key_index], 1, p->nonce);
        c->kernel->rung.chacha->run(p->out, p->in, p->len, state, 20);
    }
    return true;
}

static bool run_poly1305(void *ctx, struct packet *p, size_t n)
{
    struct kernel_context *c = ctx;

    for (size_t i = 0; i < n; i++, p++)
        c->kernel->rung.poly1305->plain(p->tag, p->key, p->in, p->len);
    return true;
}

static inline struct aead_message next_message(const struct kernel_context *c, struct packet *p)
{
    packet_next(p);
    return (struct aead_message){
        .key = c->keys[p->key_index],
        .nonce = p->nonce,
        .aad = p->aad,
        .in = p->in,
        .out = p->out,
        .aad_len = p->aad_len,
        .len = p->len,
    };
}

static bool run_seal(void *ctx, struct packet *p, size_t n)
{
    struct kernel_context *c = ctx;

    for (size_t i = 0; i < n; i++, p++) {
        struct aead_message m = next_message(c, p);

        c->kernel->rung.aead->seal(c->kernel->suite, &m, p->tag);
    }
    return true;
}

static bool run_open(void *ctx, struct packet *p, size_t n)
{
    struct kernel_context *c = ctx;
    bool good = true;

    for (size_t i = 0; i < n; i++, p++) {
        struct aead_message m = next_message(c, p);
        uint8_t tag[16];

        c->kernel->rung.aead->open(c->kernel->suite, &m, tag);
        good &= memcmp(tag, p->tag, 16) == 0;
    }
    return good;
}

static const struct method methods[DEED_COUNT] = {
    [DEED_CHACHA20] = {prepare, run_chacha20, release},
    [DEED_POLY1305] = {prepare, run_poly1305, release},
    [DEED_SEAL] = {prepare, run_seal, release},
    [DEED_OPEN] = {prepare, run_open, release},
};

static const struct method methods_anyway[DEED_COUNT] = {
    [DEED_CHACHA20] = {prepare_anyway, run_chacha20, release},
    [DEED_POLY1305] = {prepare_anyway, run_poly1305, release},
    [DEED_SEAL] = {prepare_anyway, run_seal, release},
    [DEED_OPEN] = {prepare_anyway, run_open, release},
};

struct search {
    const char *name;
    enum kind kind;
    struct kernel *found; /* its name is NULL before */
};

/* A kernel may serve several ladders: the widest range is taken. */
static bool match_kernel(void *arg, const struct level *level, const struct kernel *k)
{
    struct search *s = arg;

    (void)level;
    if (k->kind == s->kind && strcmp(k->name, s->name) == 0 &&
        (s->found->name == NULL || k->max_len - k->above > s->found->max_len - s->found->above))
        *s->found = *k;
    return false;
}

bool kernel_contender(struct contender *c, const char *name, enum what what, bool any_length)
{
    static struct kernel kernels[64]; /* more than one process can ask for */
    static size_t n_kernels;
    enum deed deed = what_deed(what);
    struct search s = {name, kind_of(deed), &kernels[n_kernels]};

    if (what_is_burst(what) || n_kernels == sizeof kernels / sizeof kernels[0])
        return false;
    kernels_visit(match_kernel, &s);
    if (s.found->name == NULL)
        return false;
    n_kernels++;
    *c = (struct contender){
        .ours = true,
        .self = s.found,
        .method = any_length ? &methods_anyway[deed] : &methods[deed],
    };
    snprintf(c->name, sizeof c->name, "%s", name);
    return true;
}
