/* poly1305_ladder.c: which Poly1305 kernel serves which length, level by level. Called when a key or a state
 * is made. */
#include "poly1305_kernels.h"

#include <sealane/cpu.h>

/* The rung of the kernels poly1305_.._ISA. */
#define RUNG(max_len, isa)                                                                                   \
    {                                                                                                        \
        max_len, poly1305_plain_##isa, poly1305_aead_##isa, poly1305_blocks_##isa, "poly1305_" #isa          \
    }

static const struct poly1305_rung portable_rungs[] = {RUNG(SIZE_MAX, portable)};

const struct poly1305_ladder poly1305_ladder_portable = {"portable", portable_rungs};

#if SEALANE_X86

/* Below the first crossover the powers of r cost more than the lanes win; then four lanes have fewer of them
 * to make than eight. Measured on Zen 4 (EPYC, family 25 model 17), GCC 12, November 2026. */
static const struct poly1305_rung bmi2_rungs[] = {RUNG(SIZE_MAX, bmi2)};
static const struct poly1305_rung avx2_rungs[] = {RUNG(895, portable), RUNG(SIZE_MAX, avx2)};
static const struct poly1305_rung avx2_bmi2_rungs[] = {RUNG(895, bmi2), RUNG(SIZE_MAX, avx2)};
static const struct poly1305_rung avx512vl_rungs[] = {RUNG(223, bmi2), RUNG(SIZE_MAX, avx512vl)};
static const struct poly1305_rung avx512_rungs[] = {RUNG(223, bmi2), RUNG(3071, avx512vl),
                                                    RUNG(SIZE_MAX, avx512)};

const struct poly1305_ladder poly1305_ladder_bmi2 = {"bmi2", bmi2_rungs};
const struct poly1305_ladder poly1305_ladder_avx2 = {"avx2", avx2_rungs};
const struct poly1305_ladder poly1305_ladder_avx2_bmi2 = {"avx2", avx2_bmi2_rungs};
const struct poly1305_ladder poly1305_ladder_avx512vl = {"avx512vl", avx512vl_rungs};
const struct poly1305_ladder poly1305_ladder_avx512 = {"avx512", avx512_rungs};

const struct poly1305_ladder *poly1305_ladder_for(uint32_t cpu)
{
    const int bmi2 = (cpu & SEALANE_CPU_BMI2) != 0;

    if (!(cpu & SEALANE_CPU_AVX2))
        return bmi2 ? &poly1305_ladder_bmi2 : &poly1305_ladder_portable;
    if (!bmi2)
        return &poly1305_ladder_avx2;
    if (!(cpu & SEALANE_CPU_AVX512VL) || !(cpu & SEALANE_CPU_IFMA))
        return &poly1305_ladder_avx2_bmi2;
    return cpu & SEALANE_CPU_AVX512 ? &poly1305_ladder_avx512 : &poly1305_ladder_avx512vl;
}

#else

const struct poly1305_ladder *poly1305_ladder_for(uint32_t cpu)
{
    (void)cpu;
    return &poly1305_ladder_portable;
}

#endif

const struct poly1305_rung *poly1305_rung_for(const struct poly1305_ladder *ladder, size_t len)
{
    const struct poly1305_rung *rung = ladder->rungs;

    while (len > rung->max_len)
        rung++;
    return rung;
}

void poly1305_aead(const struct poly1305_ladder *ladder, uint8_t tag[16], const uint8_t key[32],
                   const uint8_t *aad, size_t aad_len, const uint8_t *text, size_t len)
{
    poly1305_rung_for(ladder, aad_len + len)->aead(tag, key, aad, aad_len, text, len);
}
