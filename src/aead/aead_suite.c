/* aead_suite.c: which kernels serve a message, level by level. Called when a key is made. */
#include "aead_kernels.h"

#include <sealane/cpu.h>

#include "secret.h"

/* Clang at -Os inlines less, and its frames are up to 400 bytes larger. */
#ifdef __OPTIMIZE_SIZE__
#define FRAMES_MORE 512
#else
#define FRAMES_MORE 0
#endif

/* A rung whose kernels keep so many bytes of ciphertext above the rest of their frames, when sealing and when
 * opening. */
#define RUNG_ABOVE(max_len, kind, stack, sealing, opening)                                                   \
    {                                                                                                        \
        max_len, aead_seal_##kind, aead_open_##kind, {sealing, stack + FRAMES_MORE},                         \
            {opening, stack + FRAMES_MORE}, "aead_" #kind                                                    \
    }

#define RUNG(max_len, kind, stack, copy) RUNG_ABOVE(max_len, kind, stack, 0, copy)

static const struct aead_rung two_pass[] = {RUNG(SIZE_MAX, two_pass, 3072, 0)};

#if SEALANE_X86
#define PORTABLE_CLEAN aead_clean_sse2
#else
#define PORTABLE_CLEAN clean_stack
/* What a compiler can do: registers are left to the caller's next calls. */
__attribute__((noinline)) static AEAD_CLEAN(clean_stack)
{
    uint8_t area[AEAD_STACK_MAX];

    secret_wipe(area + sizeof area - skip - stack, stack);
}
#endif

static const struct aead_suite portable = {
    "portable", &chacha_ladder_portable, &poly1305_ladder_portable, two_pass, PORTABLE_CLEAN,
};

#if SEALANE_X86

#if SEALANE_ASM
/* One design each: the key from the first sweep, Poly1305 beside the others. */
static const struct aead_rung ssse3_rungs[] = {
    RUNG(SIZE_MAX, columns4_ssse3, 1536, 0),
};
static const struct aead_rung avx2_rungs[] = {
    RUNG(192, rows4_avx2, 1152, 0),
    RUNG(256, rows5_avx2, 1152, 0),
    RUNG(320, rows6_avx2, 1152, 0),
    RUNG(SIZE_MAX, columns8_avx2, 1536, 0),
};
/* With IFMA in ymm two passes are faster from about 800 bytes on (Zen 4, GCC 12, November 2026: 1478 and 1611
 * cycles at 640 bytes, 2378 and 2204 at 1420). */
static const struct aead_rung avx512vl_ifma_rungs[] = {
    RUNG(64, rows2_avx512vl, 384, 0),
    RUNG(192, rows4_avx512vl, 640, 0),
    RUNG_ABOVE(448, columns8_avx512vl, 640, 512, 512),
    RUNG(768, columns8_avx2, 1536, 0),
    RUNG(SIZE_MAX, two_pass, 3072, 0),
};
#else
/* Poly1305 in 26-bit limbs keeps its powers on the stack: of long AAD, too. */
static const struct aead_rung two_pass_avx2[] = {
    RUNG(SIZE_MAX, two_pass, 8192, 0),
};
#define ssse3_rungs two_pass
#define avx2_rungs two_pass_avx2
#define avx512vl_ifma_rungs two_pass
#endif

static const struct aead_suite ssse3 = {
    "ssse3", &chacha_ladder_ssse3, &poly1305_ladder_portable, ssse3_rungs, aead_clean_sse2,
};

static const struct aead_suite avx2 = {
    "avx2", &chacha_ladder_avx2, &poly1305_ladder_avx2, avx2_rungs, aead_clean_avx2,
};

static const struct aead_suite avx2_bmi2 = {
    "avx2", &chacha_ladder_avx2, &poly1305_ladder_avx2_bmi2, avx2_rungs, aead_clean_avx2,
};

static const struct aead_suite avx512vl = {
    "avx512vl", &chacha_ladder_avx512vl, &poly1305_ladder_avx2_bmi2, avx2_rungs, aead_clean_avx512vl,
};

static const struct aead_suite avx512vl_ifma = {
    "avx512vl", &chacha_ladder_avx512vl, &poly1305_ladder_avx512vl, avx512vl_ifma_rungs, aead_clean_avx512vl,
};

static const struct aead_suite avx512 = {
    "avx512", &chacha_ladder_avx512, &poly1305_ladder_avx2_bmi2, avx2_rungs, aead_clean_avx512,
};

#if SEALANE_ASM
/* Crossovers measured on Zen 4 (EPYC, family 25 model 17), GCC 12, November 2026: powers of r serve where the
 * rounds beside which they are made take long enough. 256 bytes sealed take 651 cycles in rows of 4 and 695
 * in columns of 8; 448 bytes 814 in rows of 8 and 749 in columns. */
static const struct aead_rung avx512_ifma_rungs[] = {
    RUNG(64, rows2_avx512vl, 384, 0),
    RUNG(192, rows4_avx512vl, 640, 0),
    RUNG_ABOVE(256, rows4_avx512, 512, 320, 320),
    RUNG_ABOVE(448, columns8_avx512vl, 640, 512, 512),
    RUNG_ABOVE(512, rows8_avx512, 1024, 576, 576),
    RUNG(1024, columns16_avx512, 1152, 1024),
    RUNG(1536, columns24_avx512, 1152, 1536),
    RUNG(SIZE_MAX, columns32_avx512, 2048, 2048),
};
#else
#define avx512_ifma_rungs two_pass
#endif

static const struct aead_suite avx512_ifma = {
    "avx512", &chacha_ladder_avx512, &poly1305_ladder_avx512, avx512_ifma_rungs, aead_clean_avx512,
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
