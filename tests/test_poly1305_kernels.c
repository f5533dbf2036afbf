/* test_poly1305_kernels.c: every Poly1305 kernel that this machine can run, called directly and whatever
 * length its ladder gives it: against big integers where limbs reach their bounds, against libsodium
 * elsewhere, and the conversion of the incremental kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>
#include <sodium.h>

#include <sealane/sealane.h>

#include "bigpoly.h"
#include "level.h"
#include "poly1305_kernels.h"
#include "rng.h"

#define MAX_LEN 4100

static uint8_t text[MAX_LEN + 64];
static const struct poly1305_rung *rungs[32];
static size_t n_rungs;

/* The rungs of all ladders, each once. */
static int collect(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_LEVELS; i++) {
        const struct poly1305_rung *r = poly1305_ladder_for(levels[i].mask)->rungs;

        for (; level_found(&levels[i]); r++) {
            size_t k = 0;

            while (k < n_rungs && rungs[k]->plain != r->plain)
                k++;
            if (k == n_rungs)
                rungs[n_rungs++] = r;
            if (r->max_len == SIZE_MAX)
                break;
        }
    }
    return 0;
}

static void check_plain(const uint8_t *msg, size_t len, const uint8_t key[32], const uint8_t expected[16])
{
    for (size_t k = 0; k < n_rungs; k++) {
        uint8_t tag[16];

        rungs[k]->plain(tag, key, msg, len);
        if (memcmp(tag, expected, 16) != 0)
            fail_msg("%s: plain message of %zu bytes", rungs[k]->name, len);
    }
}

static void check_aead(const uint8_t *aad, size_t aad_len, const uint8_t *msg, size_t len,
                       const uint8_t key[32])
{
    uint8_t expected[16], tag[16];

    poly1305_aead_portable(expected, key, aad, aad_len, msg, len);
    for (size_t k = 0; k < n_rungs; k++) {
        rungs[k]->aead(tag, key, aad, aad_len, msg, len);
        if (memcmp(tag, expected, 16) != 0)
            fail_msg("%s: %zu bytes of AAD, %zu of text", rungs[k]->name, aad_len, len);
    }
}

/* The portable AEAD shape, with which the others are compared below. */
static void portable_aead_is_right(void **state)
{
    static const size_t lens[] = {0, 1, 15, 16, 17, 63, 64, 127, 128, 300};
    struct rng rng = {11};
    uint8_t key[32], aad[64], tag[16], expected[16];

    (void)state;
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++)
        for (size_t aad_len = 0; aad_len <= 64; aad_len++) {
            rng_fill(&rng, key, 32);
            rng_fill(&rng, aad, aad_len);
            rng_fill(&rng, text, lens[i]);
            bigpoly_aead(expected, key, aad, aad_len, text, lens[i]);
            poly1305_aead_portable(tag, key, aad, aad_len, text, lens[i]);
            assert_memory_equal(tag, expected, 16);
        }
}

/* Every length, random contents, at any alignment. */
static void every_length(void **state)
{
    struct rng rng = {1};
    uint8_t key[32], aad[16], tag[16] = {0}; /* the memory sanitizer does not see what libsodium writes */

    (void)state;
    for (size_t len = 0; len <= MAX_LEN; len++) {
        uint8_t *msg = text + rng_below(&rng, 64);

        rng_fill(&rng, key, 32);
        rng_fill(&rng, aad, 16);
        rng_fill(&rng, msg, len);
        crypto_onetimeauth(tag, msg, len, key);
        check_plain(msg, len, key, tag);
        check_aead(aad, 16, msg, len, key);
    }
}

/* Every length of AAD up to a few groups, over texts around the edges of groups. */
static void every_aad(void **state)
{
    static const size_t lens[] = {0,   1,   16,  48,  63,  64,  65,  111, 112,
                                  113, 127, 128, 129, 240, 255, 256, 512, 1000};
    struct rng rng = {2};
    uint8_t key[32], aad[600];

    (void)state;
    for (size_t aad_len = 0; aad_len <= sizeof aad; aad_len++) {
        const size_t len = lens[aad_len % (sizeof lens / sizeof lens[0])];

        rng_fill(&rng, key, 32);
        rng_fill(&rng, aad, sizeof aad);
        rng_fill(&rng, text, len);
        check_aead(aad, aad_len, text, len, key);
        check_aead(aad, aad_len, text, lens[rng_below(&rng, sizeof lens / sizeof lens[0])], key);
    }
}

/* Keys and messages in which every bit is set, or only the lowest, or only the highest of each word. */
static void limbs_at_their_bounds(void **state)
{
    static const uint8_t fill[] = {0xff, 0x00, 0x01, 0x80, 0xfe, 0xfb};
    uint8_t key[32], tag[16];

    (void)state;
    for (size_t k = 0; k < sizeof fill; k++)
        for (size_t m = 0; m < sizeof fill; m++) {
            memset(key, fill[k], 32);
            memset(text, fill[m], sizeof text);
            for (size_t len = 0; len <= 1200; len += len < 300 ? 1 : 112) {
                if (len % 16 == 0 || len < 20) {
                    bigpoly_mac(tag, text, len, key);
                    check_plain(text, len, key, tag);
                }
                check_aead(text, len % 140, text, len, key);
            }
        }
}

/* A target that is i above -6 mod p: 2^130 - 11 .. p - 1, then 0 .. 4, which are also what a value of p ..
 * 2^130
 * - 1, not reduced, stands for. */
static void near_p(uint8_t target[17], unsigned i)
{
    memset(target, 0, 17);
    if (i < 6) {
        memset(target, 0xff, 16);
        target[16] = 3;
        target[0] = (uint8_t)(0xf5 + i);
    } else {
        target[0] = (uint8_t)(i - 6);
    }
}

/* The accumulator driven to values around p and around the words' bounds by the last block, at every number
 * of blocks. */
static void accumulator_at_its_bounds(void **state)
{
    struct rng rng = {3};
    size_t n_hits = 0;

    (void)state;
    for (unsigned i = 0; i < 16; i++)
        for (size_t n_blocks = 1; n_blocks <= 70; n_blocks += n_blocks < 18 ? 1 : 13) {
            uint8_t key[32], target[17], tag[16];
            struct bigpoly b;

            near_p(target, i < 11 ? i : 0);
            if (i >= 11) { /* 2^64 - 1, 2^128 - 1, and one above */
                memset(target, 0, 17);
                memset(target, 0xff, i < 13 ? 8 : 16);
                if (i == 12 || i == 14)
                    memset(target, 0, 17), target[i == 12 ? 8 : 16] = 1;
                if (i == 15)
                    target[16] = 2;
            }
            for (int tries = 0; tries < 12; tries++) {
                rng_fill(&rng, key, 32);
                rng_fill(&rng, text, 16 * n_blocks);
                bigpoly_init(&b, key);
                for (size_t k = 0; k + 1 < n_blocks; k++)
                    bigpoly_block(&b, text + 16 * k, 16);
                if (!bigpoly_block_to(&b, target, text + 16 * (n_blocks - 1)))
                    continue; /* no block leads there from this h: another key */
                bigpoly_mac(tag, text, 16 * n_blocks, key);
                check_plain(text, 16 * n_blocks, key, tag);
                n_hits++;
                break;
            }
        }
    assert_true(n_hits > 16 * 22 / 2);
}

/* What the incremental interface does to a message: pieces through the blocks kernels, of one level or
 * changing. h may be anything the scalar code leaves. */
static void conversion(void **state)
{
    static const uint64_t tops[] = {0, 3, 4};
    struct rng rng = {4};

    (void)state;
    for (size_t k = 0; k < n_rungs; k++)
        for (size_t n_blocks = 1; n_blocks <= 80; n_blocks++)
            for (size_t i = 0; i < 12; i++) {
                struct poly1305_core a, b;
                uint8_t key[32], tag_a[16], tag_b[16];

                rng_fill(&rng, key, 32);
                if (i % 4 == 0)
                    memset(key, 0xff, 16);
                poly1305_setup(&a, key);
                rng_fill(&rng, text, 16 * n_blocks);
                if (i % 3 == 0)
                    memset(text, 0xff, 16 * n_blocks);
                if (i >= 6) { /* 128 bits and a top of 0, 3 or 4: p and 2^130 + .. among them */
                    rng_fill(&rng, a.h, 16);
                    if (i & 1)
                        memset(a.h, 0xff, 16);
                    a.h[2] = tops[i % 3];
                }
                if (i == 11) { /* h = 5 2^128 - 1 and r = 1: the last carry goes through every word */
                    memset(text, 0, 16 * n_blocks);
                    a.r[0] = 1;
                    a.r[1] = 0;
                }
                b = a;
                poly1305_blocks_portable(&a, text, 16 * n_blocks);
                rungs[k]->blocks(&b, text, 16 * n_blocks);
                assert_true(b.h[2] <= 4);
                poly1305_finish(&a, tag_a);
                poly1305_finish(&b, tag_b);
                if (memcmp(tag_a, tag_b, 16) != 0)
                    fail_msg("%s: %zu blocks from h[2] = %u", rungs[k]->name, n_blocks,
                             (unsigned)tops[i % 3]);
            }
}

/* The public interface at the library's own choice: every split in two of messages up to 700 bytes, and
 * random pieces of longer ones. */
static void every_split(void **state)
{
    struct rng rng = {5};
    uint8_t key[32], expected[16] = {0}, tag[16];

    (void)state;
    rng_fill(&rng, text, sizeof text);
    for (size_t len = 0; len <= 700; len += len < 300 ? 1 : 7) {
        rng_fill(&rng, key, 32);
        crypto_onetimeauth(expected, text, len, key);
        for (size_t cut = 0; cut <= len; cut++) {
            struct sealane_poly1305_state s;

            assert_int_equal(sealane_poly1305_init(&s, key), 0);
            assert_int_equal(sealane_poly1305_update(&s, text, cut), 0);
            assert_int_equal(sealane_poly1305_update(&s, text + cut, len - cut), 0);
            assert_int_equal(sealane_poly1305_final(&s, tag), 0);
            assert_memory_equal(tag, expected, 16);
        }
    }
    for (int i = 0; i < 2000; i++) {
        struct sealane_poly1305_state s;
        size_t len = rng_below(&rng, MAX_LEN + 1), done = 0;

        crypto_onetimeauth(expected, text, len, key);
        assert_int_equal(sealane_poly1305_init(&s, key), 0);
        while (done < len) {
            size_t n = rng_below(&rng, i % 2 ? 1500 : 80) + 1;

            n = n < len - done ? n : len - done;
            assert_int_equal(sealane_poly1305_update(&s, text + done, n), 0);
            done += n;
        }
        assert_int_equal(sealane_poly1305_final(&s, tag), 0);
        assert_memory_equal(tag, expected, 16);
        assert_int_equal(sealane_poly1305(tag, text, len, key), 0);
        assert_memory_equal(tag, expected, 16);
    }
}

#if SEALANE_X86
/* Which kernel serves which length: the ladders a second time, so that a length which falls to another kernel
 * is a decision and not an accident. */
static void which_kernel(void **state)
{
    enum { LAST = 9000 };
    static const struct {
        uint32_t cpu;
        size_t first, last;
        const char *name;
    } cases[] = {
        {SEALANE_LEVEL_PORTABLE, 0, LAST, "poly1305_portable"},
        {SEALANE_LEVEL_SSSE3, 0, LAST, "poly1305_portable"},
        {SEALANE_LEVEL_SSSE3 | SEALANE_CPU_BMI2, 0, LAST, "poly1305_bmi2"},
        {SEALANE_LEVEL_AVX2 & ~SEALANE_CPU_BMI2, 0, 895, "poly1305_portable"},
        {SEALANE_LEVEL_AVX2 & ~SEALANE_CPU_BMI2, 896, LAST, "poly1305_avx2"},
        {SEALANE_LEVEL_AVX2, 0, 895, "poly1305_bmi2"},
        {SEALANE_LEVEL_AVX2, 896, LAST, "poly1305_avx2"},
        {SEALANE_LEVEL_AVX512VL & ~SEALANE_CPU_IFMA, 896, LAST, "poly1305_avx2"},
        {SEALANE_LEVEL_AVX512VL & ~SEALANE_CPU_BMI2, 896, LAST, "poly1305_avx2"},
        {SEALANE_LEVEL_AVX512VL, 0, 223, "poly1305_bmi2"},
        {SEALANE_LEVEL_AVX512VL, 224, LAST, "poly1305_avx512vl"},
        {SEALANE_LEVEL_AVX512 & ~SEALANE_CPU_IFMA, 896, LAST, "poly1305_avx2"},
        {SEALANE_LEVEL_AVX512, 0, 223, "poly1305_bmi2"},
        {SEALANE_LEVEL_AVX512, 224, 3071, "poly1305_avx512vl"},
        {SEALANE_LEVEL_AVX512, 3072, LAST, "poly1305_avx512"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct poly1305_ladder *ladder = poly1305_ladder_for(cases[i].cpu);

        assert_string_equal(poly1305_rung_for(ladder, cases[i].first)->name, cases[i].name);
        assert_string_equal(poly1305_rung_for(ladder, cases[i].last)->name, cases[i].name);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portable_aead_is_right),
        cmocka_unit_test(every_length),
        cmocka_unit_test(every_aad),
        cmocka_unit_test(limbs_at_their_bounds),
        cmocka_unit_test(accumulator_at_its_bounds),
        cmocka_unit_test(conversion),
        cmocka_unit_test(every_split),
#if SEALANE_X86
        cmocka_unit_test(which_kernel),
#endif
    };

    level_from_environment();
    if (sodium_init() < 0)
        return 1;
    return cmocka_run_group_tests(tests, collect, NULL);
}
