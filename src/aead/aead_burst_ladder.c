/* aead_burst_ladder.c: which bursts are served by lanes, level by level. Called when a key is made. */
#include "aead_burst_kernels.h"

#include <sealane/cpu.h>

static const struct aead_burst_ladder none = {NULL, NULL, 0};

const struct aead_burst_rung *aead_burst_rung_for(const struct aead_burst_ladder *ladder, size_t len)
{
    const struct aead_burst_rung *rung = ladder->rungs;

    while (len > rung->max_len)
        rung++;
    return rung;
}

#if SEALANE_X86

/* Crossovers measured on an AMD EPYC 9004 (Zen 4), GCC 12, 30 November 2026. At avx2, and with zmm and IFMA,
 * one message alone has a kernel that does the MAC beside the rounds: few or long packets are faster there.
 * On the other levels three packets suffice, and the bound is there for the caches. */
static const struct aead_burst_rung avx2_rungs[] = {{96, {87, 108, 160}, 4}, {256, {85, 130, 250}, 16}};
static const struct aead_burst_rung long_rungs[] = {{16384, {50, 80, 120}, 3}};
static const struct aead_burst_rung ifma_avx512vl_rungs[] = {{8192, {50, 80, 120}, 3}};
static const struct aead_burst_rung ifma_avx512_rungs[] = {
    {96, {49, 58, 77}, 3},   {160, {50, 60, 90}, 3},    {256, {46, 67, 126}, 4},
    {640, {60, 95, 180}, 6}, {1280, {77, 142, 279}, 0}, {1536, {88, 163, 310}, 0},
};

static const struct aead_burst_ladder avx2 = {&burst_avx2, avx2_rungs, 256};
static const struct aead_burst_ladder avx512vl = {&burst_avx512vl, long_rungs, 16384};
static const struct aead_burst_ladder ifma_avx512vl = {&burst_ifma_avx512vl, ifma_avx512vl_rungs, 8192};
static const struct aead_burst_ladder avx512 = {&burst_avx512, long_rungs, 16384};
static const struct aead_burst_ladder ifma_avx512 = {&burst_ifma_avx512, ifma_avx512_rungs, 1536};

const struct aead_burst_ladder *aead_burst_ladder_for(uint32_t cpu)
{
    const struct aead_burst_ladder *ladder = &none;

    if (cpu & SEALANE_CPU_AVX2)
        ladder = &avx2;
    if (!(cpu & SEALANE_CPU_BMI2))
        return ladder;
    if (cpu & SEALANE_CPU_AVX512VL)
        ladder = cpu & SEALANE_CPU_IFMA ? &ifma_avx512vl : &avx512vl;
    if (cpu & SEALANE_CPU_AVX512)
        ladder = cpu & SEALANE_CPU_IFMA ? &ifma_avx512 : &avx512;
    return ladder;
}

#else

const struct aead_burst_ladder *aead_burst_ladder_for(uint32_t cpu)
{
    (void)cpu;
    return &none;
}

#endif
