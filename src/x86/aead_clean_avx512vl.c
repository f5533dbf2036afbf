/* aead_clean_avx512vl.c: the same in ymm registers only. Called through aead_suite.c. */
#define CLEAN_NAME aead_clean_avx512vl
#define CLEAN_VEC __m256i
#define CLEAN_ZERO _mm256_setzero_si256()
#define CLEAN_STORE(p, zero) _mm256_storeu_si256((__m256i *)(p), zero)
#define CLEAN_REGISTERS                                                                                      \
    "vzeroall\n\t"                                                                                           \
    "vpxord %%ymm16, %%ymm16, %%ymm16\n\t"                                                                   \
    "vpxord %%ymm17, %%ymm17, %%ymm17\n\t"                                                                   \
    "vpxord %%ymm18, %%ymm18, %%ymm18\n\t"                                                                   \
    "vpxord %%ymm19, %%ymm19, %%ymm19\n\t"                                                                   \
    "vpxord %%ymm20, %%ymm20, %%ymm20\n\t"                                                                   \
    "vpxord %%ymm21, %%ymm21, %%ymm21\n\t"                                                                   \
    "vpxord %%ymm22, %%ymm22, %%ymm22\n\t"                                                                   \
    "vpxord %%ymm23, %%ymm23, %%ymm23\n\t"                                                                   \
    "vpxord %%ymm24, %%ymm24, %%ymm24\n\t"                                                                   \
    "vpxord %%ymm25, %%ymm25, %%ymm25\n\t"                                                                   \
    "vpxord %%ymm26, %%ymm26, %%ymm26\n\t"                                                                   \
    "vpxord %%ymm27, %%ymm27, %%ymm27\n\t"                                                                   \
    "vpxord %%ymm28, %%ymm28, %%ymm28\n\t"                                                                   \
    "vpxord %%ymm29, %%ymm29, %%ymm29\n\t"                                                                   \
    "vpxord %%ymm30, %%ymm30, %%ymm30\n\t"                                                                   \
    "vpxord %%ymm31, %%ymm31, %%ymm31\n\t"                                                                   \
    "kxorq %%k1, %%k1, %%k1\n\tkxorq %%k2, %%k2, %%k2\n\tkxorq %%k3, %%k3, %%k3\n\t"
#include "aead_clean.h"
