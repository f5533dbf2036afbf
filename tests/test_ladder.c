/* test_ladder.c: which ChaCha kernel each level and length takes. The ladders are written down a second time
 * here, so that a length which falls to another kernel is a decision and not an accident. */
#include "hex.h"

#include <stdio.h>
#include <string.h>

#include <sealane/cpu.h>

#include "chacha_kernels.h"

/* The kernels that a message of len bytes takes, one after another, with the bytes of each. */
struct plan {
    size_t len;
    const char *runs;
};

static void expect_plans(uint32_t cpu, const char *level, const struct plan *plans)
{
    const struct chacha_ladder *ladder = chacha_ladder_for(cpu);

    assert_string_equal(ladder->level, level);
    for (; plans->len != 0; plans++) {
        char runs[256] = "";
        size_t len = plans->len, at = 0, n;

        for (; len != 0; len -= n) {
            const struct chacha_rung *rung = chacha_next_run(ladder, len, &n);

            assert_true(n != 0 && n <= len);
            at += (size_t)snprintf(runs + at, sizeof runs - at, "%s%s %zu", at == 0 ? "" : ", ",
                                   rung->name + strlen("chacha_xor_"), n);
            assert_true(at < sizeof runs);
        }
        assert_string_equal(runs, plans->runs);
    }
}

static void portable(void **unused)
{
    static const struct plan plans[] = {
        {1, "portable 1"},
        {64, "portable 64"},
#if CHACHA_PORTABLE_BLOCKS
        {65, "1to4blocks_portable 65"},
        {255, "1to4blocks_portable 255"},
        {256, "4blocks_portable 256"},
        {257, "4blocks_portable 256, portable 1"},
        {1420, "4blocks_portable 1280, 1to4blocks_portable 140"},
#else
        {100000, "portable 100000"},
#endif
        {0, NULL},
    };

    (void)unused;
    expect_plans(SEALANE_LEVEL_PORTABLE, "portable", plans);
#if SEALANE_X86
    expect_plans(SEALANE_LEVEL_AVX512 & ~SEALANE_CPU_SSSE3, "portable", plans);
#endif
}

#if SEALANE_X86
static void ssse3(void **unused)
{
    static const struct plan plans[] = {
#if SEALANE_ASM
        {1, "1block_scalar 1"},
        {64, "1block_scalar 64"},
        {65, "from2blocks_ssse3 65"},
        {256, "from2blocks_ssse3 256"},
        {257, "from2blocks_ssse3 256, 1block_scalar 1"},
        {320, "from2blocks_ssse3 256, 1block_scalar 64"},
        {321, "from2blocks_ssse3 321"},
        {1420, "from2blocks_ssse3 1420"},
        {4097, "from2blocks_ssse3 4096, 1block_scalar 1"},
#else
        {1, "portable 1"},
        {64, "portable 64"},
        {65, "1to4blocks_ssse3 65"},
        {255, "1to4blocks_ssse3 255"},
        {256, "4blocks_ssse3 256"},
        {257, "4blocks_ssse3 256, portable 1"},
        {1420, "4blocks_ssse3 1280, 1to4blocks_ssse3 140"},
#endif
        {0, NULL},
    };

    (void)unused;
    expect_plans(SEALANE_LEVEL_SSSE3, "ssse3", plans);
    expect_plans(SEALANE_LEVEL_AVX512 & ~SEALANE_CPU_AVX2, "ssse3", plans);
}

static void avx2(void **unused)
{
    static const struct plan plans[] = {
#if SEALANE_ASM
        {1, "1block_scalar 1"},
        {64, "1block_scalar 64"},
        {65, "from2blocks_avx2 65"},
        {512, "from2blocks_avx2 512"},
        {513, "from2blocks_avx2 512, 1block_scalar 1"},
        {576, "from2blocks_avx2 512, 1block_scalar 64"},
        {577, "from2blocks_avx2 577"},
        {1420, "from2blocks_avx2 1420"},
        {4096, "from2blocks_avx2 4096"},
#else
        {1, "portable 1"},
        {64, "portable 64"},
        {65, "1to8blocks_avx2 65"},
        {511, "1to8blocks_avx2 511"},
        {512, "8blocks_avx2 512"},
        {1420, "8blocks_avx2 1024, 1to8blocks_avx2 396"},
        {4096, "8blocks_avx2 4096"},
#endif
        {0, NULL},
    };

    (void)unused;
    expect_plans(SEALANE_LEVEL_AVX2, "avx2", plans);
    expect_plans(SEALANE_LEVEL_AVX512 & ~SEALANE_CPU_AVX512VL, "avx2", plans);
    expect_plans(SEALANE_LEVEL_AVX512 & ~SEALANE_CPU_BMI2, "avx2", plans);
}

#if SEALANE_ASM
static void avx512vl(void **unused)
{
    static const struct plan plans[] = {
        {1, "1block_avx512vl 1"},
        {64, "1block_avx512vl 64"},
        {65, "2to4blocks_avx512vl 65"},
        {256, "2to4blocks_avx512vl 256"},
        {257, "5to8blocks_avx512vl 257"},
        {512, "5to8blocks_avx512vl 512"},
        {513, "9to16blocks_avx512vl 513"},
        {1023, "9to16blocks_avx512vl 1023"},
        {1024, "16blocks_avx512vl 1024"},
        {1420, "16blocks_avx512vl 1024, 5to8blocks_avx512vl 396"},
        {4097, "16blocks_avx512vl 4096, 1block_avx512vl 1"},
        {0, NULL},
    };

    (void)unused;
    expect_plans(SEALANE_LEVEL_AVX512VL, "avx512vl", plans);
    expect_plans(SEALANE_LEVEL_AVX512VL & ~SEALANE_CPU_IFMA, "avx512vl", plans);
}

static void avx512(void **unused)
{
    static const struct plan plans[] = {
        {1, "1block_avx512vl 1"},           {64, "1block_avx512vl 64"},
        {65, "2to4blocks_avx512vl 65"},     {256, "2to4blocks_avx512vl 256"},
        {257, "5to8blocks_avx512vl 257"},   {512, "5to8blocks_avx512vl 512"},
        {513, "9to16blocks_avx512 513"},    {1024, "9to16blocks_avx512 1024"},
        {1025, "17to24blocks_avx512 1025"}, {1420, "17to24blocks_avx512 1420"},
        {1536, "17to24blocks_avx512 1536"}, {1537, "25to32blocks_avx512 1537"},
        {2047, "25to32blocks_avx512 2047"}, {2048, "32blocks_avx512 2048"},
        {4096, "32blocks_avx512 4096"},     {8920, "32blocks_avx512 8192, 9to16blocks_avx512 728"},
        {16384, "32blocks_avx512 16384"},   {0, NULL},
    };

    (void)unused;
    expect_plans(SEALANE_LEVEL_AVX512, "avx512", plans);
    expect_plans(SEALANE_LEVEL_AVX512 & ~SEALANE_CPU_IFMA, "avx512", plans);
}
#else
static void avx512vl(void **unused)
{
    static const struct plan plans[] = {
        {64, "portable 64"},
        {65, "1to8blocks_avx512vl 65"},
        {511, "1to8blocks_avx512vl 511"},
        {512, "8blocks_avx512vl 512"},
        {1420, "8blocks_avx512vl 1024, 1to8blocks_avx512vl 396"},
        {0, NULL},
    };

    (void)unused;
    expect_plans(SEALANE_LEVEL_AVX512VL, "avx512vl", plans);
}

static void avx512(void **unused)
{
    static const struct plan plans[] = {
        {64, "portable 64"},
        {65, "1to8blocks_avx512vl 65"},
        {512, "1to8blocks_avx512vl 512"},
        {513, "1to16blocks_avx512 513"},
        {1023, "1to16blocks_avx512 1023"},
        {1420, "16blocks_avx512 1024, 1to8blocks_avx512vl 396"},
        {0, NULL},
    };

    (void)unused;
    expect_plans(SEALANE_LEVEL_AVX512, "avx512", plans);
}
#endif
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portable),
#if SEALANE_X86
        cmocka_unit_test(ssse3),
        cmocka_unit_test(avx2),
        cmocka_unit_test(avx512vl),
        cmocka_unit_test(avx512),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
