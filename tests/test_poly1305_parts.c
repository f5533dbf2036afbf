/* test_poly1305_parts.c: the MACs inside the AEAD kernels of single messages (poly1305_parts.h), against big
 * integers: every length, and numbers where carries are rare. A random key meets most of those once in 2^40
 * messages or less. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <sealane/sealane.h>

#include "bigpoly.h"
#include "guard.h"
#include "level.h"
#include "poly1305_parts.h"
#include "rng.h"

#define M44 UINT64_C(0xfffffffffff)

static const uint8_t zero[17], one[17] = {1};

static const unsigned words_at[3] = {0, 64, 128}, limbs_at[3] = {0, 44, 88};

/* Limbs of 44 bits. */
static void to_limbs(uint64_t limb[3], const uint8_t x[17])
{
    uint64_t w[3] = {0, 0, x[16]};

    memcpy(w, x, 16);
    limb[0] = w[0] & M44;
    limb[1] = (w[0] >> 44 | w[1] << 20) & M44;
    limb[2] = w[1] >> 24 | w[2] << 40;
}

/* h += a number; h *= r. */
static void add(struct bigpoly *b, const uint8_t x[17])
{
    bigpoly_mul_add(b->h, x, one, b->h);
}

static void multiply(struct bigpoly *b)
{
    uint8_t r[17] = {0};

    memcpy(r, b->r, 16);
    bigpoly_mul_add(b->h, b->h, r, zero);
}

/* ------------------------------------------------------------------------------------- hard numbers
 *
 * Numbers mod p at which a carry runs through a whole word or limb, or what is not yet reduced lies between p
 * and 2^130 or above: around 0, around the bounds of words, and around those of limbs. */
static const uint64_t hard_words[][3] = {
#define AROUND(w0, w1, w2)                                                                                   \
    {w0, w1, w2}, {w0, w1, (w2) + 1},                                                                        \
    {                                                                                                        \
        w0, w1, (w2) + 2                                                                                     \
    }
    {0, 0, 0},
    {1, 0, 0},
    {2, 0, 0},
    {3, 0, 0},
    {4, 0, 0},
    {5, 0, 0},
    {6, 0, 0},
    {7, 0, 0},
    {9, 0, 0},
    {10, 0, 0},
    {14, 0, 0},
    {19, 0, 0},
    {100, 0, 0},
    {1000, 0, 0},
    {0x10000, 0, 0},
    {0x8000000, 0, 0},
    {UINT64_C(1) << 56, 0, 0},
    {UINT64_MAX - 4, UINT64_MAX, 3}, /* p is {UINT64_MAX - 4, UINT64_MAX, 3} and so 0 */
    {UINT64_MAX - 5, UINT64_MAX, 3},
    {UINT64_MAX - 6, UINT64_MAX, 3},
    {UINT64_MAX - 9, UINT64_MAX, 3},
    AROUND(UINT64_MAX, UINT64_MAX, 0),
    AROUND(UINT64_MAX - 4, UINT64_MAX, 0),
    AROUND(UINT64_MAX, 0, 0),
    AROUND(UINT64_MAX - 4, 0, 0),
    AROUND(0, 0, 1),
    AROUND(3, 0, 1),
    AROUND(1000, 0, 1),
    AROUND(UINT64_C(1) << 56, 0, 1),
    AROUND(0, 1, 0),
    AROUND(3, 1, 1),
    AROUND(1000, 1, 0),
    AROUND(0, UINT64_MAX, 0),
    AROUND(7, UINT64_MAX, 0),
    AROUND(200, 0xabcdef, 1),
    AROUND(UINT64_C(0x5a5100000000007), UINT64_C(0x123456789abcdef), 0), /* a low limb of little */
    AROUND(UINT64_C(0x5a5100000000400), UINT64_C(0x123456789abcdef), 0),
    AROUND(UINT64_C(0x5a5ffffffffffff), UINT64_C(0x123456789abcdef), 0),
    AROUND(UINT64_C(0x00089abcdef1234), UINT64_C(0x123456789000000), 0), /* a middle one */
    AROUND(UINT64_C(0x60089abcdef1234), UINT64_C(0x123456789000000), 0),
    AROUND(UINT64_C(0xfff89abcdef1234), UINT64_C(0x123456789ffffff), 0),
    AROUND(UINT64_C(0xdef123489abcdef), UINT64_C(0x0000000123456789), 1), /* an upper one */
#undef AROUND
};

#define N_HARD (sizeof hard_words / sizeof hard_words[0])

static void hard(uint8_t x[17], size_t i)
{
    bigpoly_from_limbs(x, hard_words[i], words_at, 3);
}

/* Keys: every limb of r at its maximum, r of one bit, or random. */
static void hard_key(uint8_t key[32], struct rng *rng, unsigned kind)
{
    rng_fill(rng, key, 32);
    if (kind % 4 == 0)
        memset(key, 0xff, 16);
    if (kind % 4 == 1) {
        memset(key, 0, 16);
        key[rng_below(rng, 2) * 8] = 4;
    }
    if (kind % 3 == 0)
        memset(key + 16, 0xff, 16);
}

static void clamped(uint64_t r[2], uint64_t s[2], const uint8_t key[32])
{
    struct bigpoly b;

    bigpoly_init(&b, key);
    memcpy(r, b.r, 16);
    memcpy(s, b.s, 16);
}

#if SEALANE_ASM
/* -------------------------------------------------------------------------------- behind the sweeps */
#define MAX_LEN 1536

static struct guard text_pages, tail_pages;

static void end_key(struct part_end *e, const uint8_t key[32])
{
    struct bigpoly b;

    clamped(e->r, e->s, key);
    bigpoly_init(&b, key);
    memcpy(b.h, one, 17);
    for (int i = 0; i < 16; i++) {
        multiply(&b);
        to_limbs(i < 8 ? e->power[i] : e->power16, b.h);
    }
}

/* The text of e->len bytes, at the end of a page; its tail, at the end of another, is elsewhere. */
static uint8_t *end_text(struct part_end *e, size_t len)
{
    uint8_t *text = guard_edge(text_pages, len & ~(size_t)63, 1);

    e->len = len;
    e->text = text;
    e->tail = guard_edge(tail_pages, len & 63, 1);
    return text;
}

/* Over the last len % 64 bytes. */
static void end_tail(struct bigpoly *b, const struct part_end *e)
{
    uint8_t blocks[64] = {0};

    memcpy(blocks, e->tail, e->len % 64);
    for (size_t i = 0; i < e->len % 64; i += 16)
        bigpoly_block(b, blocks + i, 16);
}

/* The accumulator before the lengths. */
static void end_expected(struct bigpoly *b, const struct part_end *e, const uint8_t key[32])
{
    const size_t first = e->len & 64 ? 4 : e->len >= 128 ? 8 : 0;
    size_t i = 0;

    bigpoly_init(b, key);
    for (size_t j = 0; j < 8; j++) {
        uint8_t h[17];

        bigpoly_from_limbs(h, e->h[j], limbs_at, 3);
        add(b, h);
        if (j + first >= 8)
            bigpoly_block(b, e->text + 16 * i++, 16);
        else
            multiply(b);
    }
    for (; i < e->len / 64 * 4; i++)
        bigpoly_block(b, e->text + 16 * i, 16);
    end_tail(b, e);
}

static void end_check(const struct part_end *e, const struct bigpoly *before, const char *what)
{
    struct bigpoly b = *before;
    uint8_t lengths[16], expected[16], tag[16];

    memcpy(lengths, e->lengths, 16);
    bigpoly_block(&b, lengths, 16);
    bigpoly_tag(&b, expected);
    part_end_avx512(tag, e);
    if (memcmp(tag, expected, 16) != 0)
        fail_msg("aead_end_avx512, %zu bytes: %s", e->len, what);
}

/* h in the lanes: nothing, at its bounds, in the two lanes alone that may hold a sweep's number, or random.
 */
static void end_lanes(struct part_end *e, struct rng *rng, unsigned kind)
{
    static const uint64_t bound[3] = {M44, M44 + 0x10000, M44};

    for (unsigned j = 0; j < 8; j++)
        for (unsigned limb = 0; limb < 3; limb++) {
            const uint64_t x = rng_next(rng);

            e->h[j][limb] = kind % 5 == 0                 ? 0
                            : kind % 5 == 1               ? bound[limb]
                            : kind % 5 == 2               ? (x & 1 ? bound[limb] : 0)
                            : kind % 5 == 3 && j % 4 != 0 ? 0
                                                          : x & M44;
        }
}

static void end_every_length(void **state)
{
    struct rng rng = {1};
    struct part_end e;
    struct bigpoly b;
    uint8_t key[32];

    (void)state;
    for (size_t len = 0; len <= MAX_LEN; len++) {
        uint8_t *text = end_text(&e, len);

        if (len % 8 == 0) {
            rng_fill(&rng, key, 32);
            end_key(&e, key);
        }
        rng_fill(&rng, text, len & ~(size_t)63);
        rng_fill(&rng, guard_edge(tail_pages, len & 63, 1), len & 63);
        rng_fill(&rng, e.lengths, 16);
        end_lanes(&e, &rng, (unsigned)len);
        end_expected(&b, &e, key);
        end_check(&e, &b, "random");
    }
}

/* The same with everything at its bounds, around the multiples of blocks, halves and groups. */
static void end_at_its_bounds(void **state)
{
    static const size_t offsets[] = {0, 1, 15, 16, 17, 32, 48, 49, 63};
    const size_t n_offsets = sizeof offsets / sizeof offsets[0];
    struct rng rng = {2};
    struct part_end e;
    struct bigpoly b;
    uint8_t key[32];

    (void)state;
    for (unsigned kind = 0; kind < 8; kind++) {
        hard_key(key, &rng, kind);
        end_key(&e, key);
        for (size_t i = 0; i < MAX_LEN / 64 * n_offsets; i++) {
            const size_t len = i / n_offsets * 64 + offsets[i % n_offsets];

            memset(end_text(&e, len), kind & 1 ? 0 : 0xff, len & ~(size_t)63);
            memset(guard_edge(tail_pages, len & 63, 1), kind & 1 ? 0 : 0xff, len & 63);
            memset(e.lengths, kind & 2 ? 0 : 0xff, 16);
            for (unsigned h = 0; h < 3; h++) {
                end_lanes(&e, &rng, h);
                end_expected(&b, &e, key);
                end_check(&e, &b, "bounds");
            }
        }
    }
}

/* The lengths that make the accumulator behind them a hard number: that of the whole message, or of the
 * blocks alone that general registers work on. */
static int end_drive(struct part_end *e, const struct bigpoly *all, const uint8_t target[17], int tail_only)
{
    struct bigpoly b = *all;
    uint8_t lengths[16];

    if (tail_only) {
        memset(b.h, 0, 17);
        end_tail(&b, e);
    }
    if (!bigpoly_block_to(&b, target, lengths))
        return 0;
    memcpy(e->lengths, lengths, 16);
    return 1;
}

static void end_hard(void **state)
{
    static const size_t lens[] = {0, 16, 64, 100, 128, 192, 255, 256, 300, 448, 512, 1000};
    struct rng rng = {3};
    struct part_end e;
    struct bigpoly b;
    size_t n_hits = 0;

    (void)state;
    for (unsigned kind = 0; kind < 4; kind++) {
        uint8_t key[32], target[17];

        hard_key(key, &rng, kind);
        end_key(&e, key);
        for (size_t i = 0; i < N_HARD; i++) {
            const size_t len = lens[(i + kind) % (sizeof lens / sizeof lens[0])];
            unsigned hits = 0;

            hard(target, i);
            for (unsigned tries = 0; tries < 40 && hits < 6; tries++) {
                rng_fill(&rng, end_text(&e, len), len & ~(size_t)63);
                rng_fill(&rng, guard_edge(tail_pages, len & 63, 1), len & 63);
                end_lanes(&e, &rng, 4);
                end_expected(&b, &e, key);
                if (!end_drive(&e, &b, target, tries % 2))
                    continue;
                end_check(&e, &b, "a hard number");
                hits++;
            }
            n_hits += hits;
        }
    }
    assert_true(n_hits > 4 * N_HARD * 3);
}

#endif

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

/* --------------------------------------------------------------------------------- one after the other */

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

/* Which of them this machine can run. */
static int needs(uint32_t level, const char *what)
{
    const uint32_t missing = level & ~sealane_cpu_found();

    if (missing != 0)
        printf("skipped: %s needs features %#x, this machine lacks %#x of them\n", what, (unsigned)level,
               (unsigned)missing);
    return missing == 0;
}

int main(void)
{
    const struct CMUnitTest ymm[] = {
        cmocka_unit_test(tree_every_start),
        cmocka_unit_test(tree_hard),
        cmocka_unit_test(serial_steps),
        cmocka_unit_test(serial_tags),
    };
#if SEALANE_ASM
    const struct CMUnitTest zmm[] = {
        cmocka_unit_test(end_every_length),
        cmocka_unit_test(end_at_its_bounds),
        cmocka_unit_test(end_hard),
    };
#endif
    int failed = 0, ran = 0;

    if (needs(SEALANE_LEVEL_AVX512VL, "tree and serial")) {
        ran = 1;
        failed += cmocka_run_group_tests(ymm, NULL, NULL);
    }
#if SEALANE_ASM
    if (needs(SEALANE_LEVEL_AVX512, "aead_end_avx512")) {
        ran = 1;
        text_pages = guard_new(MAX_LEN);
        tail_pages = guard_new(64);
        failed += cmocka_run_group_tests(zmm, NULL, NULL);
        guard_free(text_pages);
        guard_free(tail_pages);
    }
#endif
    return failed != 0 ? 1 : ran ? 0 : LEVEL_SKIPPED;
}
