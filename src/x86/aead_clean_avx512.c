/* aead_clean_avx512.c: what kernels in zmm and ymm leave in all 32 registers and in the mask registers.
 * Called through aead_suite.c. */
#define CLEAN_NAME aead_clean_avx512
#define CLEAN_VEC __m512i
#define CLEAN_ZERO _mm512_setzero_si512()
#define CLEAN_STORE(p, zero) _mm512_storeu_si512(p, zero)
#define CLEAN_REGISTERS                                                                                      \
    "vzeroall\n\t"                                                                                           \
    "vpxord %%zmm16, %%zmm16, %%zmm16\n\t"                                                                   \
    "vpxord %%zmm17, %%zmm17, %%zmm17\n\t"                                                                   \
    "vpxord %%zmm18, %%zmm18, %%zmm18\n\t"                                                                   \
    "vpxord %%zmm19, %%zmm19, %%zmm19\n\t"                                                                   \
    "vpxord %%zmm20, %%zmm20, %%zmm20\n\t"                                                                   \
    "vpxord %%zmm21, %%zmm21, %%zmm21\n\t"                                                                   \
    "vpxord %%zmm22, %%zmm22, %%zmm22\n\t"                                                                   \
    "vpxord %%zmm23, %%zmm23, %%zmm23\n\t"                                                                   \
    "vpxord %%zmm24, %%zmm24, %%zmm24\n\t"                                                                   \
    "vpxord %%zmm25, %%zmm25, %%zmm25\n\t"                                                                   \
    "vpxord %%zmm26, %%zmm26, %%zmm26\n\t"                                                                   \
    "vpxord %%zmm27, %%zmm27, %%zmm27\n\t"                                                                   \
    "vpxord %%zmm28, %%zmm28, %%zmm28\n\t"                                                                   \
    "vpxord %%zmm29, %%zmm29, %%zmm29\n\t"                                                                   \
    "vpxord %%zmm30, %%zmm30, %%zmm30\n\t"                                                                   \
    "vpxord %%zmm31, %%zmm31, %%zmm31\n\t"                                                                   \
    "kxorq %%k1, %%k1, %%k1\n\tkxorq %%k2, %%k2, %%k2\n\tkxorq %%k3, %%k3, %%k3\n\t"
#include "aead_clean.h"
