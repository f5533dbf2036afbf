/* aead_burst_ladder.c: which bursts are served by lanes, level by level. Called when a key is made. */
#include "aead_burst_kernels.h"

#include <sealane/cpu.h>

static const struct aead_burst_ladder none = {NULL, NULL, 0, 0};

#if SEALANE_X86

/* Prices measured on an AMD EPYC 9004 (Zen 4), GCC 12, 30 November 2026, packets one behind the other. They
 * fall where one block of key and the blocks of text fill the sweeps of 8 lanes, four blocks each: at 192,
 * 448, 704, .. bytes. Where packets crowd the cache (aead_burst.c) the widest lanes cost a third more than
 * this, and only the narrowest are taken. */
static const struct aead_burst_rung avx2_rungs[] = {
    {64, {39, 66, 117}, 250}, {128, {44, 78, 141}, 150}, {192, {49, 87, 165}, 0},   {448, {51, 95, 183}, 0},
    {704, {56, 108, 210}, 0}, {1024, {65, 125, 245}, 0}, {1472, {67, 133, 264}, 0}, {1984, {72, 143, 283}, 0},
};
static const struct aead_burst_rung limb26_rungs[] = {
    {64, {35, 57, 100}, 380},     {128, {38, 66, 120}, 360},   {192, {42, 75, 137}, 380},
    {448, {43, 79, 154}, 400},    {1024, {52, 103, 203}, 540}, {2048, {58, 118, 232}, 450},
    {16384, {66, 132, 262}, 500},
};
static const struct aead_burst_rung ifma_avx512vl_rungs[] = {
    {64, {41, 52, 79}, 260},     {128, {40, 52, 104}, 310},   {448, {40, 70, 130}, 320},
    {768, {40, 79, 159}, 450},   {1472, {54, 106, 206}, 450}, {2048, {65, 130, 260}, 500},
    {8192, {79, 158, 316}, 100},
};
static const struct aead_burst_rung ifma_avx512_rungs[] = {
    {64, {35, 62, 118}, 335},    {128, {34, 62, 101}, 390},   {192, {37, 70, 130}, 360},
    {320, {41, 62, 108}, 360},   {448, {38, 70, 130}, 350},   {704, {54, 92, 178}, 450},
    {960, {70, 128, 250}, 300},  {1472, {75, 150, 294}, 215}, {1536, {81, 162, 324}, 150},
    {1984, {75, 150, 300}, 150},
};

static const struct aead_burst_ladder avx2 = {&burst_avx2, avx2_rungs, 1984, 1000};
static const struct aead_burst_ladder avx512vl = {&burst_avx512vl, limb26_rungs, 16384, 2400};
static const struct aead_burst_ladder ifma_avx512vl = {&burst_ifma_avx512vl, ifma_avx512vl_rungs, 8192, 500};
static const struct aead_burst_ladder avx512 = {&burst_avx512, limb26_rungs, 16384, 2400};
static const struct aead_burst_ladder ifma_avx512 = {&burst_ifma_avx512, ifma_avx512_rungs, 1984, 2700};

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
