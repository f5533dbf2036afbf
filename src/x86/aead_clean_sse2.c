/* aead_clean_sse2.c: what kernels up to SSSE3, and compilers on any x86-64, leave in registers. Called
 * through aead_suite.c. */
#define CLEAN_NAME aead_clean_sse2
#define CLEAN_VEC __m128i
#define CLEAN_ZERO _mm_setzero_si128()
#define CLEAN_STORE(p, zero) _mm_storeu_si128((__m128i *)(p), zero)
#define CLEAN_REGISTERS                                                                                      \
    "pxor %%xmm0, %%xmm0\n\t"                                                                                \
    "pxor %%xmm1, %%xmm1\n\t"                                                                                \
    "pxor %%xmm2, %%xmm2\n\t"                                                                                \
    "pxor %%xmm3, %%xmm3\n\t"                                                                                \
    "pxor %%xmm4, %%xmm4\n\t"                                                                                \
    "pxor %%xmm5, %%xmm5\n\t"                                                                                \
    "pxor %%xmm6, %%xmm6\n\t"                                                                                \
    "pxor %%xmm7, %%xmm7\n\t"                                                                                \
    "pxor %%xmm8, %%xmm8\n\t"                                                                                \
    "pxor %%xmm9, %%xmm9\n\t"                                                                                \
    "pxor %%xmm10, %%xmm10\n\t"                                                                              \
    "pxor %%xmm11, %%xmm11\n\t"                                                                              \
    "pxor %%xmm12, %%xmm12\n\t"                                                                              \
    "pxor %%xmm13, %%xmm13\n\t"                                                                              \
    "pxor %%xmm14, %%xmm14\n\t"                                                                              \
    "pxor %%xmm15, %%xmm15\n\t"
#include "aead_clean.h"
