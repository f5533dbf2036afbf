/* aead_burst_ladder.c: which bursts are served by lanes, level by level. Called when a key is made. */
#include "aead_burst_kernels.h"

#include <sealane/cpu.h>

static const struct aead_burst_ladder none = {NULL, UINT_MAX, 0};

#if SEALANE_X86

static const struct aead_burst_ladder avx2 = {&burst_avx2, 2, 16384};
static const struct aead_burst_ladder avx512vl = {&burst_avx512vl, 2, 16384};
static const struct aead_burst_ladder ifma_avx512vl = {&burst_ifma_avx512vl, 2, 16384};
static const struct aead_burst_ladder avx512 = {&burst_avx512, 2, 16384};
static const struct aead_burst_ladder ifma_avx512 = {&burst_ifma_avx512, 2, 16384};

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
