/* aead_avx2.c: one message in ymm registers (RFC 8439 section 2.8): short ones with four to six blocks in
 * rows, the others in sweeps of eight in columns. Called through the rungs of aead_suite.c. */
#include <immintrin.h>

#include "aead_kernels.h"

#define COLUMNS_SWEEP 512
#define COLUMNS_MAC 4
#define columns_first_run aead_first_columns8_avx2
#define columns_sweep_run aead_sweep_columns8_avx2

static inline void columns_xor(uint8_t *out, const uint8_t *in, const uint8_t *stream, size_t len);

#include "aead_columns.h"

static inline void columns_xor(uint8_t *out, const uint8_t *in, const uint8_t *stream, size_t len)
{
    size_t i = 0;

    if (len == 0) /* the pointers may be NULL */
        return;
    for (; i + 32 <= len; i += 32)
        _mm256_storeu_si256((__m256i *)(void *)(out + i),
                            _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(const void *)(in + i)),
                                             _mm256_load_si256((const __m256i *)(const void *)(stream + i))));
    _mm256_zeroupper();
    columns_xor_rest(out + i, in + i, stream + i, len - i);
}

AEAD_KERNEL(aead_seal_columns8_avx2)
{
    (void)suite;
    columns_seal(m, tag);
}

AEAD_KERNEL(aead_open_columns8_avx2)
{
    (void)suite;
    columns_open(m, tag);
}

#define ROWS(layout)                                                                                         \
    AEAD_KERNEL(aead_seal_##layout##_avx2)                                                                   \
    {                                                                                                        \
        (void)suite;                                                                                         \
        columns_short(m, tag, aead_stream_##layout##_avx2, 0);                                               \
    }                                                                                                        \
    AEAD_KERNEL(aead_open_##layout##_avx2)                                                                   \
    {                                                                                                        \
        (void)suite;                                                                                         \
        columns_short(m, tag, aead_stream_##layout##_avx2, 1);                                               \
    }

ROWS(rows4)
ROWS(rows5)
ROWS(rows6)
