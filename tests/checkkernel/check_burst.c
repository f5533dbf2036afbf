/* check_burst.c: the burst kernels (contract: aead_burst_kernels.h, struct aead_alike) for packets of one
 * shape and of mixed ones, against single messages of the portable code. Every packet has its spans between
 * unmapped pages. */
#include "checkkernel.h"

#include <string.h>

#include "aead_burst_kernels.h"
#include "aead_kernels.h"
#include "guard.h"
#include "level.h"
#include "rng.h"

#define MAX_LEN 9000

static void collect(struct kernel_list *list)
{
    for (size_t i = 0; i < N_LEVELS; i++) {
        const struct aead_burst_kernels *k = aead_burst_ladder_for(levels[i].mask)->kernels;

        if (k != NULL && k->seal_alike != NULL && level_found(&levels[i]))
            kernel_add(list, &(struct kernel){k->name, k, (any_function *)k->seal_alike, 0, SIZE_MAX, 1});
    }
}

static struct rng rng = {21};
static struct guard ins[AEAD_ALIKE_MAX], outs[AEAD_ALIKE_MAX], aads[AEAD_ALIKE_MAX], tag_guard;
static uint32_t keys[AEAD_ALIKE_MAX][8];
static uint8_t nonces[AEAD_ALIKE_MAX][12];
static uint8_t plain[AEAD_ALIKE_MAX][MAX_LEN], cipher[AEAD_ALIKE_MAX][MAX_LEN];
static uint8_t expected_tags[AEAD_ALIKE_MAX][16];

static void prepare_once(void)
{
    if (tag_guard.begin != NULL)
        return;
    for (size_t i = 0; i < AEAD_ALIKE_MAX; i++) {
        ins[i] = guard_new(MAX_LEN);
        outs[i] = guard_new(MAX_LEN);
        aads[i] = guard_new(AEAD_MACS_AAD_MAX);
        rng_fill(&rng, plain[i], MAX_LEN);
    }
    tag_guard = guard_new(16 * AEAD_ALIKE_MAX);
}

/* What a burst is called with, and where its spans lie. */
struct form {
    unsigned n;
    size_t len, aad_len; /* of all packets, or as below */
    int one_key, in_place, in_at_end, out_at_end;
    int mixed;
    size_t lens[AEAD_ALIKE_MAX], aad_lens[AEAD_ALIKE_MAX];
};

static struct aead_alike alike;

static size_t len_of(const struct form *f, unsigned i)
{
    return f->mixed ? f->lens[i] : f->len;
}

static size_t aad_len_of(const struct form *f, unsigned i)
{
    return f->mixed ? f->aad_lens[i] : f->aad_len;
}

/* The spans and the expected bytes of a burst of that form. What belongs to lanes without a packet must not
 * be looked at. */
static void prepare(const struct form *f)
{
    const struct aead_suite *portable = aead_suite_for(SEALANE_LEVEL_PORTABLE);

    prepare_once();
    memset(&alike, 0x11, sizeof alike);
    alike.n = f->n;
    alike.one_key = f->one_key;
    if (!f->mixed) {
        alike.aad_len = f->aad_len;
        alike.len = f->len;
    }
    rng_fill(&rng, keys, sizeof keys);
    rng_fill(&rng, nonces, sizeof nonces);
    for (unsigned i = 0; i < f->n; i++) {
        const uint32_t *key = keys[f->one_key ? 0 : i];
        const size_t len = len_of(f, i), aad_len = aad_len_of(f, i);
        uint8_t *aad = guard_edge(aads[i], aad_len, f->in_at_end);
        struct aead_message m = {key, nonces[i], aad, plain[i], cipher[i], aad_len, len};

        rng_fill(&rng, aad, aad_len);
        aead_seal_two_pass(portable, &m, expected_tags[i]);
        memcpy(&alike.nonce[0][i], nonces[i], 4);
        memcpy(&alike.nonce[1][i], nonces[i] + 4, 4);
        memcpy(&alike.nonce[2][i], nonces[i] + 8, 4);
        if (!f->one_key || i == 0)
            alike.key[i] = key;
        if (f->mixed) {
            alike.lens[i] = len;
            alike.aad_lens[i] = aad_len;
        }
        if (aad_len != 0)
            alike.aad[i] = aad;
        if (len == 0)
            continue;
        alike.out[i] = guard_edge(outs[i], len, f->out_at_end);
        alike.in[i] = f->in_place ? alike.out[i] : guard_edge(ins[i], len, f->in_at_end);
    }
}

/* One direction: from and to are what goes in and must come out. What stands around the outputs must stay. */
static void run(const struct kernel *k, aead_alike_kernel *kernel, const struct form *f,
                uint8_t (*from)[MAX_LEN], uint8_t (*to)[MAX_LEN])
{
    uint8_t(*tags)[16] = (void *)guard_edge(tag_guard, 16 * AEAD_ALIKE_MAX, 1);
    const uint64_t args[6] = {ARG(&alike), ARG(tags), 0, 0, 0, 0};

    memset(tags, 0xa5, 16 * AEAD_ALIKE_MAX);
    for (unsigned i = 0; i < f->n; i++) {
        memset(outs[i].begin, 0xa5, (size_t)(outs[i].end - outs[i].begin));
        if (len_of(f, i) != 0)
            memcpy((uint8_t *)(uintptr_t)alike.in[i], from[i], len_of(f, i));
    }
    call_checked(k->name, (any_function *)kernel, args);
    for (unsigned i = 0; i < f->n; i++) {
        const char *what = to == cipher ? "seal" : "open";
        const size_t len = len_of(f, i), aad_len = aad_len_of(f, i);

        if (memcmp(tags[i], expected_tags[i], 16) != 0)
            fail_msg("%s: %s: tag %u of %u, %zu bytes, %zu of AAD", k->name, what, i, f->n, len, aad_len);
        if (len != 0 && memcmp(alike.out[i], to[i], len) != 0)
            fail_msg("%s: %s: text %u of %u, %zu bytes, %zu of AAD, in place %d", k->name, what, i, f->n, len,
                     aad_len, f->in_place);
        for (const uint8_t *p = outs[i].begin; p != outs[i].end; p++)
            if ((len == 0 || p < alike.out[i] || p >= alike.out[i] + len) && *p != 0xa5)
                fail_msg("%s: %s: wrote outside of text %u of %u, %zu bytes", k->name, what, i, f->n, len);
        if (len != 0 && memcmp(alike.in[i], f->in_place ? to[i] : from[i], len) != 0)
            fail_msg("%s: %s: changed its input", k->name, what);
    }
}

static void check(const struct kernel *k, const struct form *f)
{
    const struct aead_burst_kernels *burst = k->rung;

    prepare(f);
    run(k, f->mixed ? burst->seal_mixed : burst->seal_alike, f, plain, cipher);
    run(k, f->mixed ? burst->open_mixed : burst->open_alike, f, cipher, plain);
}

static const size_t aad_lens[] = {0, 5, 8, 12, 13, 16, 20, 40, 64, 65, AEAD_MACS_AAD_MAX};
#define N_AAD_LENS (sizeof aad_lens / sizeof aad_lens[0])

static struct form random_form(unsigned n, size_t len)
{
    const uint64_t bits = rng_next(&rng);

    return (struct form){.n = n,
                         .len = len,
                         .aad_len = aad_lens[rng_below(&rng, N_AAD_LENS)],
                         .one_key = (int)(bits & 1),
                         .in_place = (int)(bits >> 1 & 1),
                         .in_at_end = (int)(bits >> 2 & 1),
                         .out_at_end = (int)(bits >> 3 & 1)};
}

static void every_length(void **state)
{
    for (size_t len = 0; len <= 600; len++) {
        const unsigned ns[] = {8, 16, 32, 1 + (unsigned)rng_below(&rng, AEAD_ALIKE_MAX)};
        const struct form f = random_form(ns[rng_below(&rng, 4)], len);

        check(*state, &f);
    }
}

static void every_number(void **state)
{
    static const size_t lens[] = {0, 1, 63, 64, 65, 128, 191, 192, 193, 256, 320, 500, 577, 1420};

    for (unsigned n = 1; n <= AEAD_ALIKE_MAX; n++)
        for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
            const struct form f = random_form(n, lens[i]);

            check(*state, &f);
        }
}

static void every_aad(void **state)
{
    for (size_t aad_len = 0; aad_len <= AEAD_MACS_AAD_MAX; aad_len++)
        for (unsigned n = 8; n <= 32; n *= 2) {
            struct form f = random_form(n, rng_below(&rng, 300));

            f.aad_len = aad_len;
            check(*state, &f);
        }
}

static void long_texts(void **state)
{
    static const size_t lens[] = {1024, 1420, 1500, 2048, 4096, 8920, 8960, 8999};

    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++)
        for (unsigned n = 8; n <= 32; n *= 2) {
            const struct form f = random_form(n - (unsigned)(i % 3 == 2), lens[i]);

            check(*state, &f);
        }
}

/* Texts of zeros and of all ones. They are ciphertexts here: opening authenticates what it is given. */
static void extremes(void **state)
{
    const struct kernel *k = *state;
    const struct aead_burst_kernels *burst = k->rung;
    const struct aead_suite *portable = aead_suite_for(SEALANE_LEVEL_PORTABLE);

    for (int fill = 0; fill < 2; fill++)
        for (size_t len = 0; len <= 1100; len += 50) {
            struct form f = random_form(8u << len / 50 % 3, len);

            f.in_place = 0;
            prepare(&f);
            for (unsigned i = 0; i < f.n; i++) {
                struct aead_message m = {
                    keys[f.one_key ? 0 : i], nonces[i], alike.aad[i], cipher[i], plain[i], f.aad_len, len};

                memset(cipher[i], fill != 0 ? 0xff : 0, len);
                aead_open_two_pass(portable, &m, expected_tags[i]);
            }
            run(k, burst->open_alike, &f, cipher, plain);
        }
}

/* Packets of lengths below `below`, the longest first; now and then with one AAD. */
static struct form random_mix(unsigned n, size_t below)
{
    struct form f = random_form(n, 0);
    const int one_aad_len = rng_below(&rng, 3) == 0;

    f.mixed = 1;
    for (unsigned i = 0; i < n; i++) {
        const size_t len = rng_below(&rng, below);
        unsigned to = i;

        for (; to > 0 && f.lens[to - 1] < len; to--)
            f.lens[to] = f.lens[to - 1];
        f.lens[to] = len;
        f.aad_lens[i] = one_aad_len ? f.aad_len : rng_below(&rng, AEAD_MACS_AAD_MAX + 1);
    }
    return f;
}

static void mixes(void **state)
{
    const struct aead_burst_kernels *burst = ((const struct kernel *)*state)->rung;
    static const size_t below[] = {2, 65, 66, 130, 300, 600, 1600, 5000};

    for (unsigned round = 0; round < 800; round++) {
        const unsigned n =
            round < 64 ? round % burst->mixed_max + 1 : 1 + (unsigned)rng_below(&rng, burst->mixed_max);
        const struct form f = random_mix(n, below[rng_below(&rng, sizeof below / sizeof below[0])]);

        check(*state, &f);
    }
}

/* A few long packets among short ones, so that many rows have few packets. */
static void mixes_with_long_ones(void **state)
{
    const struct aead_burst_kernels *burst = ((const struct kernel *)*state)->rung;

    for (unsigned n = 1; n <= burst->mixed_max; n++)
        for (unsigned n_long = 1; n_long < n; n_long += 1 + n / 5) {
            struct form f = random_mix(n, 70);

            for (unsigned i = 0; i < n_long; i++)
                f.lens[i] = 4096 - 130 * i;
            check(*state, &f);
        }
}

static const struct check checks[] = {
    {"packets alike: every length", every_length, 0},
    {"packets alike: every number", every_number, 0},
    {"packets alike: every AAD", every_aad, 0},
    {"packets alike: long texts", long_texts, 0},
    {"packets alike: extreme texts", extremes, 0},
    {"packets mixed", mixes, 0},
    {"packets mixed: long ones", mixes_with_long_ones, 0},
    {NULL, NULL, 0},
};

const struct family burst_family = {"burst", collect, checks};
