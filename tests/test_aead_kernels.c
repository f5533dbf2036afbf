/* test_aead_kernels.c: every rung of every AEAD suite that this machine can run, called directly, in place
 * and apart, against two portable passes; and which rung serves which length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <sealane/sealane.h>

#include "aead_kernels.h"
#include "level.h"
#include "rng.h"

#define MAX_LEN 9500

static uint8_t plain[MAX_LEN + 64], expected[MAX_LEN], buffer[MAX_LEN + 192], aad[4096];
static const size_t aad_lens[] = {0, 8, 12, 13, 16, 1, 15, 17, 31, 32, 100, 127, 128, 129, 300, 1000};

struct rung {
    const struct aead_suite *suite;
    const struct aead_rung *rung;
    size_t min_len;
};

static struct rung rungs[64];
static size_t n_rungs;

static int collect(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_LEVELS; i++) {
        const struct aead_suite *suite = aead_suite_for(levels[i].mask);
        size_t min_len = 0;

        if (!level_found(&levels[i]))
            continue;
        for (const struct aead_rung *r = suite->rungs;; r++) {
            rungs[n_rungs++] = (struct rung){suite, r, min_len};
            if (r->max_len == SIZE_MAX)
                break;
            min_len = r->max_len + 1;
        }
    }
    return 0;
}

/* One message through one rung; `at` is where the output lies in buffer, and what stands around it must stay.
 */
static void check(const struct rung *k, struct rng *rng, size_t len, size_t aad_len, int in_place)
{
    const struct aead_suite *portable = aead_suite_for(SEALANE_LEVEL_PORTABLE);
    const size_t at = 64 + rng_below(rng, 64);
    uint32_t key[8];
    uint8_t nonce[12], tag[16], expected_tag[16], *text = plain + rng_below(rng, 64);
    struct aead_message m = {key, nonce, aad, text, expected, aad_len, len};

    rng_fill(rng, key, sizeof key);
    rng_fill(rng, nonce, sizeof nonce);
    aead_seal_two_pass(portable, &m, expected_tag);

    memset(buffer, 0xa5, sizeof buffer);
    m.out = buffer + at;
    if (in_place) {
        memcpy(m.out, text, len);
        m.in = m.out;
    }
    k->rung->seal(k->suite, &m, tag);
    if (memcmp(m.out, expected, len) != 0 || memcmp(tag, expected_tag, 16) != 0)
        fail_msg("%s %s: seal %zu bytes, %zu of AAD, in place %d", k->suite->level, k->rung->name, len,
                 aad_len, in_place);
    m.in = in_place ? m.out : expected;
    memset(tag, 0, 16);
    k->rung->open(k->suite, &m, tag);
    if (memcmp(m.out, text, len) != 0 || memcmp(tag, expected_tag, 16) != 0)
        fail_msg("%s %s: open %zu bytes, %zu of AAD, in place %d", k->suite->level, k->rung->name, len,
                 aad_len, in_place);
    for (size_t i = 0; i < sizeof buffer; i++)
        if ((i < at || i >= at + len) && buffer[i] != 0xa5)
            fail_msg("%s %s: %zu bytes, wrote at %td", k->suite->level, k->rung->name, len,
                     (ptrdiff_t)i - (ptrdiff_t)at);
}

/* Every length of the short rungs, and of the long ones as far as their sweeps differ. */
static void every_length(void **state)
{
    struct rng rng = {1};

    (void)state;
    rng_fill(&rng, plain, sizeof plain);
    rng_fill(&rng, aad, sizeof aad);
    for (size_t k = 0; k < n_rungs; k++) {
        const size_t first = rungs[k].min_len,
                     last = rungs[k].rung->max_len < 4200 ? rungs[k].rung->max_len : 4200;
        const size_t step = rungs[k].rung->max_len == SIZE_MAX ? 3 : 1;

        for (size_t len = first; len <= last; len += step)
            check(&rungs[k], &rng, len, len % 4 == 0 ? 16 : aad_lens[rng_below(&rng, 5)],
                  (int)(len / step & 1));
    }
}

static void every_aad(void **state)
{
    static const size_t lens[] = {0,    1,    64,   100,  128,  190,  200,  256,  300,  512,  600,
                                  1024, 1100, 1420, 1536, 1537, 2048, 2049, 3000, 4096, 5000, 8920};
    struct rng rng = {2};

    (void)state;
    for (size_t k = 0; k < n_rungs; k++)
        for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
            if (lens[i] < rungs[k].min_len || lens[i] > rungs[k].rung->max_len)
                continue;
            for (size_t a = 0; a < sizeof aad_lens / sizeof aad_lens[0]; a++)
                check(&rungs[k], &rng, lens[i], aad_lens[a], (int)(a & 1));
        }
}

static void long_messages(void **state)
{
    struct rng rng = {3};

    (void)state;
    for (size_t k = 0; k < n_rungs; k++) {
        if (rungs[k].rung->max_len != SIZE_MAX)
            continue;
        for (size_t len = 4100; len <= MAX_LEN; len += 61)
            check(&rungs[k], &rng, len, rng_below(&rng, 40), (int)(len & 1));
    }
}

#if SEALANE_X86 && SEALANE_ASM
static void which_rung(void **state)
{
    static const uint32_t no_ifma = SEALANE_LEVEL_AVX512 & ~SEALANE_CPU_IFMA,
                          no_bmi2 = SEALANE_LEVEL_AVX512 & ~SEALANE_CPU_BMI2;
    static const struct {
        uint32_t cpu;
        size_t len;
        const char *name;
    } cases[] = {
        {SEALANE_LEVEL_AVX512, 0, "aead_rows2_avx512vl"},
        {SEALANE_LEVEL_AVX512, 64, "aead_rows2_avx512vl"},
        {SEALANE_LEVEL_AVX512, 65, "aead_rows4_avx512vl"},
        {SEALANE_LEVEL_AVX512, 192, "aead_rows4_avx512vl"},
        {SEALANE_LEVEL_AVX512, 256, "aead_rows4_avx512"},
        {SEALANE_LEVEL_AVX512, 257, "aead_columns8_avx512vl"},
        {SEALANE_LEVEL_AVX512, 448, "aead_columns8_avx512vl"},
        {SEALANE_LEVEL_AVX512, 449, "aead_rows8_avx512"},
        {SEALANE_LEVEL_AVX512, 512, "aead_rows8_avx512"},
        {SEALANE_LEVEL_AVX512, 1024, "aead_columns16_avx512"},
        {SEALANE_LEVEL_AVX512, 1025, "aead_columns24_avx512"},
        {SEALANE_LEVEL_AVX512, 1420, "aead_columns24_avx512"},
        {SEALANE_LEVEL_AVX512, 1500, "aead_columns24_avx512"},
        {SEALANE_LEVEL_AVX512, 8920, "aead_columns32_avx512"},
        {no_ifma, 1420, "aead_columns8_avx2"},
        {SEALANE_LEVEL_AVX512VL, 64, "aead_rows2_avx512vl"},
        {SEALANE_LEVEL_AVX512VL, 192, "aead_rows4_avx512vl"},
        {SEALANE_LEVEL_AVX512VL, 193, "aead_columns8_avx512vl"},
        {SEALANE_LEVEL_AVX512VL, 448, "aead_columns8_avx512vl"},
        {SEALANE_LEVEL_AVX512VL, 449, "aead_columns8_avx2"},
        {SEALANE_LEVEL_AVX512VL, 768, "aead_columns8_avx2"},
        {SEALANE_LEVEL_AVX512VL, 769, "aead_two_pass"},
        {no_bmi2, 1420, "aead_columns8_avx2"},
        {SEALANE_LEVEL_AVX2, 0, "aead_rows4_avx2"},
        {SEALANE_LEVEL_AVX2, 192, "aead_rows4_avx2"},
        {SEALANE_LEVEL_AVX2, 193, "aead_rows5_avx2"},
        {SEALANE_LEVEL_AVX2, 256, "aead_rows5_avx2"},
        {SEALANE_LEVEL_AVX2, 257, "aead_rows6_avx2"},
        {SEALANE_LEVEL_AVX2, 320, "aead_rows6_avx2"},
        {SEALANE_LEVEL_AVX2, 321, "aead_columns8_avx2"},
        {SEALANE_LEVEL_AVX2, 8920, "aead_columns8_avx2"},
        {SEALANE_LEVEL_SSSE3, 0, "aead_columns4_ssse3"},
        {SEALANE_LEVEL_SSSE3, 8920, "aead_columns4_ssse3"},
        {SEALANE_LEVEL_PORTABLE, 1420, "aead_two_pass"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(aead_rung_for(aead_suite_for(cases[i].cpu), cases[i].len)->name, cases[i].name);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length),
        cmocka_unit_test(every_aad),
        cmocka_unit_test(long_messages),
#if SEALANE_X86 && SEALANE_ASM
        cmocka_unit_test(which_rung),
#endif
    };

    return cmocka_run_group_tests(tests, collect, NULL);
}
