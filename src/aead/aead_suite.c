/* aead_suite.c: which kernels serve a message, level by level. Called when a key is made. */
#include "aead_kernels.h"

#include <sealane/cpu.h>

/* The portable code wipes its own copies. */
static void clean_nothing(void)
{
}

#define RUNG(max_len, kind)                                                                                  \
    {                                                                                                        \
        max_len, aead_seal_##kind, aead_open_##kind, "aead_" #kind                                           \
    }

static const struct aead_rung two_pass[] = {RUNG(SIZE_MAX, two_pass)};

static const struct aead_suite portable = {
    "portable", &chacha_ladder_portable, &poly1305_ladder_portable, two_pass, clean_nothing,
};

#if SEALANE_X86

static const struct aead_suite ssse3 = {
    "ssse3", &chacha_ladder_ssse3, &poly1305_ladder_portable, two_pass, clean_nothing,
};

static const struct aead_suite avx2 = {
    "avx2", &chacha_ladder_avx2, &poly1305_ladder_avx2, two_pass, clean_nothing,
};

static const struct aead_suite avx2_bmi2 = {
    "avx2", &chacha_ladder_avx2, &poly1305_ladder_avx2_bmi2, two_pass, clean_nothing,
};

static const struct aead_suite avx512vl = {
    "avx512vl", &chacha_ladder_avx512vl, &poly1305_ladder_avx2_bmi2, two_pass, clean_nothing,
};

static const struct aead_suite avx512vl_ifma = {
    "avx512vl", &chacha_ladder_avx512vl, &poly1305_ladder_avx512vl, two_pass, clean_nothing,
};

static const struct aead_suite avx512 = {
    "avx512", &chacha_ladder_avx512, &poly1305_ladder_avx2_bmi2, two_pass, clean_nothing,
};

#if SEALANE_ASM
static const struct aead_rung avx512_ifma_rungs[] = {
    RUNG(191, rows4_scalar_avx512), RUNG(256, rows4_avx512),      RUNG(512, rows8_avx512),
    RUNG(1024, columns16_avx512),   RUNG(1536, columns24_avx512), RUNG(SIZE_MAX, columns32_avx512),
};
#else
#define avx512_ifma_rungs two_pass
#endif

static const struct aead_suite avx512_ifma = {
    "avx512", &chacha_ladder_avx512, &poly1305_ladder_avx512, avx512_ifma_rungs, clean_nothing,
};

const struct aead_suite *aead_suite_for(uint32_t cpu)
{
    const int ifma = (cpu & SEALANE_CPU_IFMA) != 0;

    if (!(cpu & SEALANE_CPU_SSSE3))
        return &portable;
    if (!(cpu & SEALANE_CPU_AVX2))
        return &ssse3;
    if (!(cpu & SEALANE_CPU_BMI2))
        return &avx2;
    if (!(cpu & SEALANE_CPU_AVX512VL))
        return &avx2_bmi2;
    if (!(cpu & SEALANE_CPU_AVX512))
        return ifma ? &avx512vl_ifma : &avx512vl;
    return ifma ? &avx512_ifma : &avx512;
}

#else

const struct aead_suite *aead_suite_for(uint32_t cpu)
{
    (void)cpu;
    return &portable;
}

#endif

const struct aead_rung *aead_rung_for(const struct aead_suite *suite, size_t len)
{
    const struct aead_rung *rung = suite->rungs;

    while (len > rung->max_len)
        rung++;
    return rung;
}
