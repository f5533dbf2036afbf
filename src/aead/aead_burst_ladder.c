/* aead_burst_ladder.c: which bursts are served by lanes, level by level. Called when a key is made. */
#include "aead_burst_kernels.h"

#include <sealane/cpu.h>

static const struct aead_burst_ladder none = {NULL, NULL, 0};

#if SEALANE_X86

/* Prices measured on an AMD EPYC 9004 (Zen 4), GCC 12, 30 November 2026, packets one behind the other. They
 * fall where one block of key and the blocks of text fill the sweeps of 8 lanes, four blocks each: at 192,
 * 448, 704, .. bytes. Where packets crowd the cache (aead_burst.c) the widest lanes cost a third more than
 * this, and only the narrowest are taken. */
static const struct aead_burst_rung avx2_rungs[] = {
    {64, {39, 66, 117}, 8},   {128, {44, 78, 141}, 0},   {192, {49, 87, 165}, 0},   {448, {51, 95, 183}, 0},
    {704, {56, 108, 210}, 0}, {1024, {65, 125, 245}, 0}, {1472, {67, 133, 264}, 0}, {1984, {72, 143, 283}, 0},
};
static const struct aead_burst_rung limb26_rungs[] = {
    {64, {35, 57, 100}, 8},    {128, {38, 66, 120}, 8},   {192, {42, 75, 137}, 8},    {448, {43, 79, 154}, 8},
    {1024, {52, 103, 203}, 6}, {2048, {58, 118, 232}, 8}, {16384, {66, 132, 262}, 8},
};
static const struct aead_burst_rung ifma_avx512vl_rungs[] = {
    {64, {41, 52, 79}, 3},     {128, {40, 52, 104}, 3},   {448, {40, 70, 130}, 3},   {768, {40, 79, 159}, 3},
    {1472, {54, 106, 206}, 3}, {2048, {65, 130, 260}, 3}, {8192, {79, 158, 316}, 3},
};
static const struct aead_burst_rung ifma_avx512_rungs[] = {
    {64, {35, 62, 118}, 6},    {128, {34, 62, 101}, 8},    {192, {37, 70, 130}, 10},
    {320, {41, 62, 108}, 12},  {448, {38, 70, 130}, 16},   {704, {47, 79, 156}, 16},
    {960, {61, 118, 229}, 16}, {1472, {71, 141, 280}, 20}, {1984, {75, 150, 300}, 0},
};

static const struct aead_burst_ladder avx2 = {&burst_avx2, avx2_rungs, 1984};
static const struct aead_burst_ladder avx512vl = {&burst_avx512vl, limb26_rungs, 16384};
static const struct aead_burst_ladder ifma_avx512vl = {&burst_ifma_avx512vl, ifma_avx512vl_rungs, 8192};
static const struct aead_burst_ladder avx512 = {&burst_avx512, limb26_rungs, 16384};
static const struct aead_burst_ladder ifma_avx512 = {&burst_ifma_avx512, ifma_avx512_rungs, 1984};

const struct aead_burst_ladder *aead_burst_ladder_for(uint32_t cpu)
{
    const struct aead_burst_ladder *ladder = &none;

    if (!(cpu & SEALANE_CPU_BMI2))
        return ladder;
    if (cpu & SEALANE_CPU_AVX2)
        ladder = &avx2;
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
