/* test_poly1305_end.c: the end of one message's MAC in assembler, aead_end_avx512 (aead_fused.h), against big
 * integers: every length, and numbers where carries are rare. A random key meets some of those once in 2^40
 * messages or less. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bigpoly.h"
#include "guard.h"
#include "level.h"
#include "poly1305_hard.h"
#include "poly1305_parts.h"
#include "rng.h"

#define M44 UINT64_C(0xfffffffffff)

static const unsigned limbs_at[3] = {0, 44, 88};

/* Limbs of 44 bits. */
static void to_limbs(uint64_t limb[3], const uint8_t x[17])
{
    uint64_t w[3] = {0, 0, x[16]};

    memcpy(w, x, 16);
    limb[0] = w[0] & M44;
    limb[1] = (w[0] >> 44 | w[1] << 20) & M44;
    limb[2] = w[1] >> 24 | w[2] << 40;
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(end_every_length),
        cmocka_unit_test(end_at_its_bounds),
        cmocka_unit_test(end_hard),
    };
    int failed;

    if (!can_run(SEALANE_LEVEL_AVX512, "aead_end_avx512"))
        return LEVEL_SKIPPED;
    text_pages = guard_new(MAX_LEN);
    tail_pages = guard_new(64);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    guard_free(text_pages);
    guard_free(tail_pages);
    return failed;
}
