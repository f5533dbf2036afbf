/* aead_ssse3.c: one message in sweeps of four blocks in xmm registers (RFC 8439 section 2.8). Called through
 * the rungs of aead_suite.c. */
#include <tmmintrin.h>

#include "aead_kernels.h"

#define COLUMNS_SWEEP 256
#define COLUMNS_MAC 2
#define columns_first_run aead_first_columns4_ssse3
#define columns_sweep_run aead_sweep_columns4_ssse3

static inline void columns_xor(uint8_t *out, const uint8_t *in, const uint8_t *stream, size_t len);

#include "aead_columns.h"

static inline void columns_xor(uint8_t *out, const uint8_t *in, const uint8_t *stream, size_t len)
{
    size_t i = 0;

    if (len == 0) /* the pointers may be NULL */
        return;
    for (; i + 16 <= len; i += 16)
        _mm_storeu_si128((__m128i *)(void *)(out + i),
                         _mm_xor_si128(_mm_loadu_si128((const __m128i *)(const void *)(in + i)),
                                       _mm_load_si128((const __m128i *)(const void *)(stream + i))));
    columns_xor_rest(out + i, in + i, stream + i, len - i);
}

AEAD_KERNEL(aead_seal_columns4_ssse3)
{
    (void)suite;
    columns_seal(m, tag);
}

AEAD_KERNEL(aead_open_columns4_ssse3)
{
    (void)suite;
    columns_open(m, tag);
}
