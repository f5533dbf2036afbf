/* aead_burst_ladder.c: which bursts are served by lanes, level by level. Called when a key is made. */
#include "aead_burst_kernels.h"

#include <sealane/cpu.h>

static const struct aead_burst_ladder none = {NULL, UINT_MAX, 0};

#if SEALANE_X86

static const struct aead_burst_ladder ifma_avx512 = {&burst_ifma_avx512, 2, 16384};

const struct aead_burst_ladder *aead_burst_ladder_for(uint32_t cpu)
{
    const struct aead_burst_ladder *ladder = &none;

    if (!(cpu & SEALANE_CPU_BMI2))
        return ladder;
    if (cpu & SEALANE_CPU_AVX512 && cpu & SEALANE_CPU_IFMA)
        ladder = &ifma_avx512;
    return ladder;
}

#else

const struct aead_burst_ladder *aead_burst_ladder_for(uint32_t cpu)
{
    (void)cpu;
    return &none;
}

#endif
