/* test_poly1305_parts.c: the other MACs inside the AEAD kernels of single messages: those of short ones
 * (poly1305_tree.h, poly1305_serial.h), and the blocks beside the rounds of a sweep, against big integers, at
 * numbers where carries are rare. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bigpoly.h"
#include "level.h"
#include "poly1305_hard.h"
#include "poly1305_parts.h"
#include "rng.h"

/* ------------------------------------------------------------------------------------------ the tree */
#define TREE_BLOCKS 36

static const size_t trees[] = {2, 4, 5, 6, 8, 9};
static uint8_t tree[TREE_BLOCKS][16] __attribute__((aligned(64)));

#define N_TREES (sizeof trees / sizeof trees[0])

/* Before the block of lengths. What does not count is anything. */
static void tree_expected(struct bigpoly *b, size_t n, size_t first, const uint8_t key[32])
{
    bigpoly_init(b, key);
    for (size_t i = first; i + 2 < 4 * n; i++)
        bigpoly_block(b, tree[i], 16);
}

static void tree_check(struct bigpoly b, size_t n, size_t first, const uint8_t key[32])
{
    uint64_t w[3];
    uint8_t value[17], tag[16], expected[16];

    if (first <= 4 * n - 2)
        bigpoly_block(&b, tree[4 * n - 2], 16);
    bigpoly_tag(&b, expected);
    part_tree_value(w, tree[0], n, first, key);
    bigpoly_from_limbs(value, w, words_at, 3);
    if (memcmp(value, b.h, 17) != 0)
        fail_msg("tree_value: blocks %zu .. of %zu vectors", first, n);
    if (w[2] > 4 || (w[2] == 4 && (w[1] != 0 || w[0] >= 32)))
        fail_msg("tree_value, above its bound: blocks %zu .. of %zu vectors", first, n);
    part_tree_tag(tag, tree[0], n, first, key);
    if (memcmp(tag, expected, 16) != 0)
        fail_msg("tree_tag: blocks %zu .. of %zu vectors", first, n);
}

static void tree_every_start(void **state)
{
    struct rng rng = {4};
    struct bigpoly b;
    uint8_t key[32];

    (void)state;
    for (unsigned round = 0; round < 24; round++)
        for (size_t i = 0; i < N_TREES; i++)
            for (size_t first = 0; first < 4 * trees[i]; first++) {
                hard_key(key, &rng, round < 12 ? round : 2);
                rng_fill(&rng, tree, sizeof tree);
                if (round % 3 == 0)
                    memset(tree, round & 1 ? 0 : 0xff, sizeof tree);
                tree_expected(&b, trees[i], first, key);
                tree_check(b, trees[i], first, key);
            }
}

static void tree_hard(void **state)
{
    struct rng rng = {5};
    size_t n_hits = 0;

    (void)state;
    for (unsigned kind = 0; kind < 4; kind++) {
        uint8_t key[32], target[17];

        hard_key(key, &rng, kind);
        for (size_t i = 0; i < N_HARD; i++) {
            const size_t n = trees[(i + kind) % N_TREES], first = rng_below(&rng, 4 * n - 2);
            unsigned hits = 0;
            struct bigpoly b;

            hard(target, i);
            for (unsigned tries = 0; tries < 40 && hits < 6; tries++) {
                rng_fill(&rng, tree, sizeof tree);
                tree_expected(&b, n, first, key);
                if (!bigpoly_block_to(&b, target, tree[4 * n - 2]))
                    continue;
                tree_check(b, n, first, key);
                hits++;
            }
            n_hits += hits;
        }
    }
    assert_true(n_hits > 4 * N_HARD * 4);
}

/* ------------------------------------------------------------------------------------ step by step */

/* The block that makes h r + block + top 2^128 the target, if there is one. */
static int step_block(uint64_t block[2], const struct bigpoly *b, const uint8_t target[17], int top)
{
    const uint64_t p_minus_1[3] = {UINT64_MAX - 5, UINT64_MAX, 3}, bit[3] = {0, 0, top ? 1 : 0};
    uint8_t minus[17], x[17];

    bigpoly_from_limbs(minus, p_minus_1, words_at, 3);
    bigpoly_from_limbs(x, bit, words_at, 3);
    bigpoly_mul_add(x, b->h, one, x);     /* h r + top 2^128 */
    bigpoly_mul_add(x, x, minus, target); /* what is missing */
    memcpy(block, x, 16);
    return x[16] == 0;
}

static void step_check(const uint64_t h[3], const struct bigpoly *times_r, const uint64_t r[2],
                       const uint64_t block[2], int top)
{
    const uint64_t number[3] = {block[0], block[1], top ? 1 : 0};
    struct bigpoly b = *times_r;
    uint64_t sum[3] = {h[0], h[1], h[2]};
    uint8_t x[17];

    bigpoly_from_limbs(x, number, words_at, 3);
    add(&b, x);
    part_serial_step(sum, r, block, top);
    bigpoly_from_limbs(x, sum, words_at, 3);
    assert_memory_equal(x, b.h, 17);
    assert_true(sum[2] <= 4);
}

/* From every h that a step may leave to hard numbers. */
static void serial_steps(void **state)
{
    struct rng rng = {6};
    size_t n_hits = 0;

    (void)state;
    for (unsigned kind = 0; kind < 48; kind++)
        for (size_t i = 0; i < N_HARD; i++) {
            uint64_t h[3] = {rng_next(&rng), rng_next(&rng), kind % 5}, r[2], s[2], block[2];
            uint8_t key[32], target[17];
            struct bigpoly b;

            hard_key(key, &rng, kind);
            clamped(r, s, key);
            h[0] |= kind & 8 ? UINT64_MAX : 0;
            h[1] |= kind & 16 ? UINT64_MAX : 0;
            bigpoly_init(&b, key);
            bigpoly_from_limbs(b.h, h, words_at, 3);
            multiply(&b);
            hard(target, i);
            for (int top = 0; top < 2; top++)
                if (step_block(block, &b, target, top)) {
                    step_check(h, &b, r, block, top);
                    n_hits++;
                }
            memset(block, 0xff, 16);
            step_check(h, &b, r, block, 1);
        }
    assert_true(n_hits > 16 * N_HARD);
}

static void serial_tags(void **state)
{
    struct rng rng = {7};
    size_t n_hits = 0;

    (void)state;
    for (unsigned kind = 0; kind < 8; kind++) {
        uint8_t key[32], target[17], tag[16], expected[16];

        hard_key(key, &rng, kind);
        for (size_t i = 0; i < N_HARD; i++)
            for (size_t n = 1; n <= 8; n++) {
                struct bigpoly b;

                hard(target, i);
                rng_fill(&rng, tree, sizeof tree);
                bigpoly_init(&b, key);
                for (size_t k = 0; k + 1 < n; k++)
                    bigpoly_block(&b, tree[k], 16);
                n_hits += (size_t)bigpoly_block_to(&b, target, tree[n - 1]);
                bigpoly_block(&b, tree[n - 1], 16);
                bigpoly_tag(&b, expected);
                part_serial_tag(tag, tree[0], n, key);
                assert_memory_equal(tag, expected, 16);
            }
    }
    assert_true(n_hits > N_HARD * 8);
}

/* -------------------------------------------------------------------------------- powers of r */
static const uint64_t power_bound[3] = {UINT64_C(1) << 44, (UINT64_C(1) << 44) + (UINT64_C(1) << 11),
                                        UINT64_C(1) << 42};

/* A power with limbs at their bounds, at 0, or any. */
static void power_any(uint64_t v[3], struct rng *rng)
{
    for (int i = 0; i < 3; i++) {
        const uint64_t x = rng_next(rng);

        v[i] = x % 4 == 0   ? power_bound[i] - 1 - (x >> 8) % 8
               : x % 4 == 1 ? (x >> 8) % 8
                            : (x >> 2) % power_bound[i];
    }
}

static void power_check(const uint64_t got[3], const uint64_t x[3], const uint64_t y[3], const char *what)
{
    static const unsigned limbs_at[3] = {0, 44, 88};
    uint8_t of_x[17], of_y[17], of_got[17];

    bigpoly_from_limbs(of_x, x, limbs_at, 3);
    bigpoly_from_limbs(of_y, y, limbs_at, 3);
    bigpoly_from_limbs(of_got, got, limbs_at, 3);
    bigpoly_mul_add(of_x, of_x, of_y, zero);
    if (memcmp(of_x, of_got, 17) != 0)
        fail_msg("%s", what);
    for (int i = 0; i < 3; i++)
        if (got[i] >= power_bound[i])
            fail_msg("%s: limb %d is %#llx", what, i, (unsigned long long)got[i]);
}

#define POWER_ROUNDS 20000

static void powers(void **state)
{
    struct rng rng = {9};

    (void)state;
    for (int round = 0; round < POWER_ROUNDS; round++) {
        uint64_t x[3], y[3], got[3];

        power_any(x, &rng);
        power_any(y, &rng);
        part_powers_mul(got, x, y);
        power_check(got, x, y, "powers_mul");
    }
}

#if SEALANE_ASM
static void powers_mulx(void **state)
{
    static const uint8_t offsets[] = {8, 72, 120};
    struct rng rng = {10};

    (void)state;
    for (int round = 0; round < POWER_ROUNDS; round++) {
        uint64_t x[3], y[3], got[3], table[3][16];

        power_any(x, &rng);
        power_any(y, &rng);
        memset(table, 0xa5, sizeof table);
        for (int i = 0; i < 3; i++) {
            table[i][offsets[0] / 8] = x[i];
            table[i][offsets[1] / 8] = y[i];
        }
        part_mulx_power(table, offsets);
        for (int i = 0; i < 3; i++)
            got[i] = table[i][offsets[2] / 8];
        power_check(got, x, y, "poly1305_mulx_power");
    }
}

/* ----------------------------------------------------------------------------- beside the rounds */
#define BESIDE_BLOCKS 64

/* Fills in one more block that leads to a hard number, where there is one, and else a random one; b goes on.
 */
static size_t beside_block(struct bigpoly *b, uint8_t block[16], struct rng *rng, int block_first)
{
    uint64_t words[2] = {rng_next(rng), rng_next(rng)};
    uint8_t target[17];
    size_t hit = 0;

    hard(target, rng_below(rng, N_HARD));
    if (block_first) {
        memcpy(block, words, 16);
        hit = (size_t)bigpoly_block_to(b, target, block);
        bigpoly_block(b, block, 16);
        return hit;
    }
    multiply(b);
    if (step_block(words, b, target, 1)) {
        memcpy(b->h, target, 17);
        hit = 1;
    } else {
        const uint64_t number[3] = {words[0], words[1], 1};
        uint8_t x[17];

        bigpoly_from_limbs(x, number, words_at, 3);
        add(b, x);
    }
    memcpy(block, words, 16);
    return hit;
}

static size_t beside_check(const struct part_beside *part, struct rng *rng, unsigned kind)
{
    const size_t n = 1 + rng_below(rng, part->max);
    uint64_t h[3] = {0, 0, 0}, r[2], s[2];
    uint8_t blocks[BESIDE_BLOCKS][16], key[32], got[17];
    struct bigpoly b;
    size_t n_hits = 0;

    hard_key(key, rng, kind);
    clamped(r, s, key);
    bigpoly_init(&b, key);
    if (part->block_first) {
        h[0] = kind & 8 ? UINT64_MAX : rng_next(rng);
        h[1] = kind & 16 ? UINT64_MAX : rng_next(rng);
        h[2] = kind % 5;
        bigpoly_from_limbs(b.h, h, words_at, 3);
    }
    for (size_t i = 0; i < n * part->unit; i++)
        n_hits += beside_block(&b, blocks[i], rng, part->block_first);
    part->run(h, r, blocks[0], n);
    bigpoly_from_limbs(got, h, words_at, 3);
    if (memcmp(got, b.h, 17) != 0)
        fail_msg("%s: %zu times %zu blocks", part->name, n, part->unit);
    assert_true(h[2] <= 6);
    return n_hits;
}

static void beside_parts(const struct part_beside *parts, size_t n)
{
    struct rng rng = {8};

    for (size_t i = 0; i < n; i++) {
        size_t n_hits = 0;

        assert_true(parts[i].unit * parts[i].max <= BESIDE_BLOCKS);
        for (unsigned kind = 0; kind < 60; kind++)
            n_hits += beside_check(&parts[i], &rng, kind);
        assert_true(n_hits > 100);
    }
}

static void beside_narrow(void **state)
{
    (void)state;
    beside_parts(parts_beside_avx2, 3);
}

static void beside_wide(void **state)
{
    (void)state;
    beside_parts(parts_beside_avx512, 4);
}
#endif

int main(void)
{
    const struct CMUnitTest ymm[] = {
        cmocka_unit_test(tree_every_start), cmocka_unit_test(tree_hard), cmocka_unit_test(serial_steps),
        cmocka_unit_test(serial_tags),      cmocka_unit_test(powers),
    };
#if SEALANE_ASM
    const struct CMUnitTest narrow[] = {cmocka_unit_test(powers_mulx), cmocka_unit_test(beside_narrow)};
    const struct CMUnitTest wide[] = {cmocka_unit_test(beside_wide)};
#endif
    int failed = 0, ran = 0;

    if (can_run(SEALANE_LEVEL_AVX512VL, "tree, serial and powers")) {
        ran = 1;
        failed += cmocka_run_group_tests(ymm, NULL, NULL);
    }
#if SEALANE_ASM
    if (can_run(SEALANE_LEVEL_AVX2, "mulx, and blocks beside narrow sweeps")) {
        ran = 1;
        failed += cmocka_run_group_tests(narrow, NULL, NULL);
    }
    if (can_run(SEALANE_LEVEL_AVX512, "blocks beside wide sweeps")) {
        ran = 1;
        failed += cmocka_run_group_tests(wide, NULL, NULL);
    }
#endif
    return failed != 0 ? 1 : ran ? 0 : LEVEL_SKIPPED;
}
