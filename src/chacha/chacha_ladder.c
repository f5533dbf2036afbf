/* chacha_ladder.c: which ChaCha kernel serves which length, level by level. Called when a key or a state is
 * made, and for each message. */
#include "chacha_kernels.h"

#include <sealane/cpu.h>

#include "bytes.h"
#include "secret.h"

/* Where the rungs end: measured on AMD EPYC 25/17 (Zen 4), November 2026, cycles in the kernel.
 *
 *   avx512     64 bytes: rows in xmm 290, general registers 347
 *              65 .. 256: rows in ymm 333, in zmm 388
 *              257 .. 512: columns in ymm 434, rows in zmm 521, two states of ymm 669
 *              513 .. 1024: one zmm 655, two ymm 669
 *              1025 .. 1536: zmm and ymm 900, two zmm 1200
 *              from 2048 on: two zmm 1170 for each 2048; one zmm 1310
 *   avx2       64 bytes: general registers 347, 8 blocks in ymm 536
 *   ssse3      64 bytes: general registers 347, 4 blocks in xmm 560
 *
 * Where vector instructions have a latency of two (Zen 5) the shorter of these lengths cost the same whatever
 * the width, and two states in flight gain more. */
#define RUNG(max_len, step, kernel)                                                                          \
    {                                                                                                        \
        max_len, step, step, 0, kernel, #kernel                                                              \
    }
/* Any length in sweeps of sweep bytes; the last block goes to another kernel when it would take a sweep. */
#define RUNG_OF_SWEEPS(max_len, sweep, kernel)                                                               \
    {                                                                                                        \
        max_len, 1, sweep, 64, kernel, #kernel                                                               \
    }

static const struct chacha_rung portable_rungs[] = {
#if CHACHA_PORTABLE_BLOCKS
    RUNG(64, 1, chacha_xor_portable),
    RUNG(255, 1, chacha_xor_1to4blocks_portable),
    RUNG(SIZE_MAX, 256, chacha_xor_4blocks_portable),
#else
    RUNG(SIZE_MAX, 1, chacha_xor_portable),
#endif
};

const struct chacha_ladder chacha_ladder_portable = {"portable", portable_rungs, 768};

#if SEALANE_X86
#include "chacha_x86.h"

#if SEALANE_ASM
static const struct chacha_rung ssse3_rungs[] = {
    RUNG(64, 1, chacha_xor_1block_scalar),
    RUNG_OF_SWEEPS(SIZE_MAX, 256, chacha_xor_from2blocks_ssse3),
};

static const struct chacha_rung avx2_rungs[] = {
    RUNG(64, 1, chacha_xor_1block_scalar),
    RUNG_OF_SWEEPS(SIZE_MAX, 512, chacha_xor_from2blocks_avx2),
};

static const struct chacha_rung avx512vl_rungs[] = {
    RUNG(64, 1, chacha_xor_1block_avx512vl),
    RUNG(256, 1, chacha_xor_2to4blocks_avx512vl),
    RUNG(512, 1, chacha_xor_5to8blocks_avx512vl),
    RUNG(1023, 1, chacha_xor_9to16blocks_avx512vl),
    RUNG(SIZE_MAX, 1024, chacha_xor_16blocks_avx512vl),
};

static const struct chacha_rung avx512_rungs[] = {
    RUNG(64, 1, chacha_xor_1block_avx512vl),          RUNG(256, 1, chacha_xor_2to4blocks_avx512vl),
    RUNG(512, 1, chacha_xor_5to8blocks_avx512vl),     RUNG(1024, 1, chacha_xor_9to16blocks_avx512),
    RUNG(1536, 1, chacha_xor_17to24blocks_avx512),    RUNG(2047, 1, chacha_xor_25to32blocks_avx512),
    RUNG(SIZE_MAX, 2048, chacha_xor_32blocks_avx512),
};
#else
#define ONE_BLOCK RUNG(64, 1, chacha_xor_portable)

static const struct chacha_rung ssse3_rungs[] = {
    ONE_BLOCK,
    RUNG(255, 1, chacha_xor_1to4blocks_ssse3),
    RUNG(SIZE_MAX, 256, chacha_xor_4blocks_ssse3),
};

static const struct chacha_rung avx2_rungs[] = {
    ONE_BLOCK,
    RUNG(511, 1, chacha_xor_1to8blocks_avx2),
    RUNG(SIZE_MAX, 512, chacha_xor_8blocks_avx2),
};

static const struct chacha_rung avx512vl_rungs[] = {
    ONE_BLOCK,
    RUNG(511, 1, chacha_xor_1to8blocks_avx512vl),
    RUNG(SIZE_MAX, 512, chacha_xor_8blocks_avx512vl),
};

static const struct chacha_rung avx512_rungs[] = {
    ONE_BLOCK,
    RUNG(512, 1, chacha_xor_1to8blocks_avx512vl),
    RUNG(1023, 1, chacha_xor_1to16blocks_avx512),
    RUNG(SIZE_MAX, 1024, chacha_xor_16blocks_avx512),
};
#endif

/* The assembler kernels wipe their frames and clear the registers themselves. */
#if SEALANE_ASM
#define CLEANED_BY_KERNEL(stack) 0
#else
#define CLEANED_BY_KERNEL(stack) stack
#endif

const struct chacha_ladder chacha_ladder_ssse3 = {"ssse3", ssse3_rungs, CLEANED_BY_KERNEL(1280)};
const struct chacha_ladder chacha_ladder_avx2 = {"avx2", avx2_rungs, CLEANED_BY_KERNEL(2304)};
const struct chacha_ladder chacha_ladder_avx512vl = {"avx512vl", avx512vl_rungs, CLEANED_BY_KERNEL(4096)};
const struct chacha_ladder chacha_ladder_avx512 = {"avx512", avx512_rungs, CLEANED_BY_KERNEL(4096)};
#endif

/* Does cpu hold every one of these features? */
static int has(uint32_t cpu, uint32_t features)
{
    return (cpu & features) == features;
}

const struct chacha_ladder *chacha_ladder_for(uint32_t cpu)
{
    const struct chacha_ladder *ladder = &chacha_ladder_portable;

#if SEALANE_X86
    if (!has(cpu, SEALANE_CPU_SSSE3))
        return ladder;
    ladder = &chacha_ladder_ssse3;
    if (!has(cpu, SEALANE_CPU_AVX2))
        return ladder;
    ladder = &chacha_ladder_avx2;
    if (!has(cpu, SEALANE_CPU_AVX512VL | SEALANE_CPU_BMI2))
        return ladder;
    ladder = &chacha_ladder_avx512vl;
    if (!has(cpu, SEALANE_CPU_AVX512))
        return ladder;
    ladder = &chacha_ladder_avx512;
#else
    (void)cpu;
    (void)has;
#endif
    return ladder;
}

const struct chacha_rung *chacha_next_run(const struct chacha_ladder *ladder, size_t len, size_t *n)
{
    const struct chacha_rung *rung = ladder->rungs;

    while (len > rung->max_len)
        rung++;
    *n = len & ~(rung->step - 1);
    if ((len & (rung->sweep - 1)) <= rung->spare)
        *n = len & ~(rung->sweep - 1);
    return rung;
}

void chacha_xor(const struct chacha_ladder *ladder, uint8_t *dst, const uint8_t *src, size_t len,
                const uint32_t state[16], int rounds)
{
    uint32_t rest[16]; /* the state of the second and later runs */

    while (len != 0) {
        size_t n;

        chacha_next_run(ladder, len, &n)->run(dst, src, n, state, rounds);
        len -= n;
        if (len == 0)
            break;
        if (state != rest)
            memcpy(rest, state, sizeof rest);
        rest[12] += (uint32_t)(n / 64);
        state = rest;
        dst += n;
        src += n;
    }
    if (state == rest)
        secret_wipe(rest, sizeof rest);
}
