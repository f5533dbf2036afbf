/* aead_clean_avx2.c: what kernels up to AVX2 leave in registers. Called through aead_suite.c. */
#define CLEAN_NAME aead_clean_avx2
#define CLEAN_VEC __m256i
#define CLEAN_ZERO _mm256_setzero_si256()
#define CLEAN_STORE(p, zero) _mm256_storeu_si256((__m256i *)(p), zero)
#define CLEAN_REGISTERS "vzeroall\n\t"
#include "aead_clean.h"
