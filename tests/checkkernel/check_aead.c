/* check_aead.c: the AEAD kernels of every suite (contract: aead_kernels.h), sealing and opening, against two
 * portable passes: within the lengths that the rungs give them, with every span at an unmapped page. */
#include "checkkernel.h"

#include <stdio.h>
#include <string.h>

#include "aead_kernels.h"
#include "guard.h"
#include "level.h"
#include "rng.h"

#define LONGEST 6000
#define DENSE 700 /* every length of a kernel from its shortest on */
#define LONG_AAD 300
#define CANARY 128 /* bytes beside the output that are looked at */

/* What stands behind struct kernel.rung. */
struct deed {
    const struct aead_suite *suite;
    int opening;
    char name[64];
};

static struct deed deeds[MAX_KERNELS];

/* A fused kernel once, whatever suites it serves; the two passes once for each suite. */
static void add(struct kernel_list *list, const struct aead_suite *suite, const struct aead_rung *rung,
                size_t min_len, int opening)
{
    const int fused = strcmp(rung->name, "aead_two_pass") != 0;
    struct kernel k = {NULL,    NULL,          (any_function *)(opening ? rung->open : rung->seal),
                       min_len, rung->max_len, 1};
    struct deed *deed;

    for (size_t i = 0; i < list->n; i++) {
        const struct deed *before = list->of[i].rung;

        if (list->of[i].run == k.run && (fused || before->suite == suite)) {
            kernel_add(list, &k);
            return;
        }
    }
    assert_true(list->n < MAX_KERNELS);
    deed = &deeds[list->n];
    deed->suite = suite;
    deed->opening = opening;
    snprintf(deed->name, sizeof deed->name, "%s, %s%s%s", rung->name, opening ? "open" : "seal",
             fused ? "" : ", ", fused ? "" : suite->level);
    k.name = deed->name;
    k.rung = deed;
    list->of[list->n++] = k;
}

static void collect(struct kernel_list *list)
{
    for (size_t i = 0; i < N_LEVELS; i++) {
        const struct aead_suite *suite = aead_suite_for(levels[i].mask);
        size_t min_len = 0;

        if (!level_found(&levels[i]))
            continue;
        for (const struct aead_rung *rung = suite->rungs;; rung++) {
            add(list, suite, rung, min_len, 0);
            add(list, suite, rung, min_len, 1);
            if (rung->max_len == SIZE_MAX)
                break;
            min_len = rung->max_len + 1;
        }
    }
}

static struct guard in_guard, out_guard, aad_guard, nonce_guard, tag_guard, key_guard;
static uint8_t text[2][LONGEST]; /* plaintext and ciphertext */

/* One message with spans at the front (bit clear) or the end (bit set) of their pages: 0: in, 1: out, 2: the
 * others; bit 3: in place. Random bytes, or all bits set (mode 1). */
static void check_message(const struct kernel *k, struct rng *rng, size_t len, size_t aad_len, int variant,
                          int mode)
{
    const struct aead_suite *portable = aead_suite_for(SEALANE_LEVEL_PORTABLE);
    const struct deed *deed = k->rung;
    const int opening = deed->opening, out_at_end = variant >> 1 & 1, others = variant >> 2 & 1,
              in_place = variant >> 3;
    uint8_t *out = guard_edge(out_guard, len, out_at_end),
            *in = in_place ? out : guard_edge(in_guard, len, variant & 1);
    uint8_t *tag = guard_edge(tag_guard, 16, others), *nonce = guard_edge(nonce_guard, 12, others),
            expected[16];
    uint8_t *aad = guard_edge(aad_guard, aad_len, others), *key = guard_edge(key_guard, 32, others);
    struct aead_message m = {(const uint32_t *)(const void *)key, nonce, aad, text[0], text[1], aad_len, len};
    const uint64_t args[6] = {ARG(deed->suite), ARG(&m), ARG(tag), 0, 0, 0};
    const uint8_t *beside;

    rng_fill(rng, key, 32);
    rng_fill(rng, nonce, 12);
    rng_fill(rng, aad, aad_len);
    rng_fill(rng, text[0], len);
    if (mode == 1)
        memset(text[0], 0xff, len);
    aead_seal_two_pass(portable, &m, expected);

    beside = out_at_end ? out - CANARY : out + len;
    memset(out_at_end ? out - CANARY : out, 0xa5, len + CANARY);
    memcpy(in, text[opening], len);
    memset(tag, 0, 16);
    m.in = in;
    m.out = out;
    call_checked(k->name, k->run, args);
    if (memcmp(out, text[!opening], len) != 0)
        fail_msg("%s: %zu bytes, %zu of AAD, variant %d: wrong output", k->name, len, aad_len, variant);
    if (memcmp(tag, expected, 16) != 0)
        fail_msg("%s: %zu bytes, %zu of AAD, variant %d: wrong tag", k->name, len, aad_len, variant);
    for (size_t i = 0; i < CANARY; i++)
        if (beside[i] != 0xa5)
            fail_msg("%s: %zu bytes: wrote beside the output", k->name, len);
    if (!in_place && memcmp(in, text[opening], len) != 0)
        fail_msg("%s: %zu bytes: input changed", k->name, len);
}

static struct rng prepare(uint64_t seed)
{
    if (in_guard.begin == NULL) {
        in_guard = guard_new(LONGEST);
        out_guard = guard_new(LONGEST + CANARY);
        aad_guard = guard_new(LONG_AAD);
        nonce_guard = guard_new(12);
        tag_guard = guard_new(16);
        key_guard = guard_new(32);
    }
    return (struct rng){seed};
}

/* The AAD of packets; which spans lie where turns with the length. */
static void every_length(void **state)
{
    static const size_t aad_lens[] = {16, 0, 8, 12, 13};
    const struct kernel *k = *state;
    struct rng rng = prepare(41);

    FOR_EACH_LEN(len, k, LONGEST)
    {
        const int variant = (int)(rng_below(&rng, 16));

        if (len > k->min_len + DENSE && len % 61 != 0)
            continue;
        check_message(k, &rng, len, aad_lens[len % 5], variant, 0);
        check_message(k, &rng, len, 16, variant ^ 9, 1);
    }
}

static void every_aad(void **state)
{
    const struct kernel *k = *state;
    struct rng rng = prepare(42);

    for (size_t aad_len = 0; aad_len <= LONG_AAD; aad_len++) {
        const size_t most = k->max_len < 4000 ? k->max_len : 4000;

        check_message(k, &rng, k->min_len + rng_below(&rng, most - k->min_len + 1), aad_len,
                      (int)(aad_len & 15), 0);
    }
}

static const struct check checks[] = {
    {"every length", every_length, 0},
    {"every AAD", every_aad, 0},
    {NULL, NULL, 0},
};

const struct family aead_family = {"aead", collect, checks};
