/* burst_alike_words.h: the input words of packets of one shape, in lanes: lane l belongs to packet l % width.
 * Included by burst_alike.h and burst_alike_ifma.h. AVX2. */
#ifndef BURST_ALIKE_WORDS_H
#define BURST_ALIKE_WORDS_H

#include <immintrin.h>

#include "aead_burst_kernels.h"
#include "burst_rows.h"

/* 8, 16 or 32 packets side by side; those from n on are nobody's. */
ROWS_INLINE unsigned alike_width(unsigned n)
{
    return n <= 8 ? 8 : n <= 16 ? 16 : 32;
}

/* Eight keys into eight lanes of words 0 .. 7, rows of `step` words. */
ROWS_INLINE void alike_eight_keys(uint32_t *words, size_t step, const uint32_t *const key[8])
{
    __m256i r[8], a[8], b[8];

#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        r[i] = _mm256_loadu_si256((const __m256i *)(const void *)key[i]);
#pragma GCC unroll 2
    for (int i = 0; i < 8; i += 4) {
        a[i] = _mm256_unpacklo_epi32(r[i], r[i + 1]);
        a[i + 1] = _mm256_unpackhi_epi32(r[i], r[i + 1]);
        a[i + 2] = _mm256_unpacklo_epi32(r[i + 2], r[i + 3]);
        a[i + 3] = _mm256_unpackhi_epi32(r[i + 2], r[i + 3]);
        b[i] = _mm256_unpacklo_epi64(a[i], a[i + 2]);
        b[i + 1] = _mm256_unpackhi_epi64(a[i], a[i + 2]);
        b[i + 2] = _mm256_unpacklo_epi64(a[i + 1], a[i + 3]);
        b[i + 3] = _mm256_unpackhi_epi64(a[i + 1], a[i + 3]);
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++) {
        _mm256_storeu_si256((__m256i *)(void *)(words + i * step),
                            _mm256_permute2x128_si256(b[i], b[i + 4], 0x20));
        _mm256_storeu_si256((__m256i *)(void *)(words + (i + 4) * step),
                            _mm256_permute2x128_si256(b[i], b[i + 4], 0x31));
    }
}

/* A row of 32 words whose first `width` are at `from`. */
ROWS_INLINE void alike_spread(uint32_t *row, const uint32_t *from, unsigned width)
{
#pragma GCC unroll 4
    for (unsigned i = 0; i < AEAD_ALIKE_MAX; i += 8)
        _mm256_storeu_si256((__m256i *)(void *)(row + i),
                            _mm256_loadu_si256((const __m256i *)(const void *)(from + i % width)));
}

/* Keys and nonces, words 0 .. 7 and 9 .. 11. Lanes without a packet get packet 0's key and any nonce. */
ROWS_INLINE void alike_words(uint32_t *words, size_t step, const struct aead_alike *a, unsigned width)
{
    if (a->one_key) {
#pragma GCC unroll 8
        for (size_t w = 0; w < 8; w++) {
            const __m256i word = _mm256_set1_epi32((int)a->key[0][w]);

#pragma GCC unroll 4
            for (unsigned i = 0; i < AEAD_ALIKE_MAX; i += 8)
                _mm256_storeu_si256((__m256i *)(void *)(words + w * step + i), word);
        }
    } else {
        for (unsigned first = 0; first < width; first += 8) {
            const uint32_t *key[8];

            for (unsigned i = 0; i < 8; i++)
                key[i] = a->key[first + i < a->n ? first + i : 0];
            alike_eight_keys(words + first, step, key);
        }
        for (size_t w = 0; w < 8; w++)
            alike_spread(words + w * step, words + w * step, width);
    }
    for (size_t w = 0; w < 3; w++)
        alike_spread(words + (9 + w) * step, a->nonce[w], width);
}

#endif
