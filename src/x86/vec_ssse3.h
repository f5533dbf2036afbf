/* vec_ssse3.h: the vocabulary of chacha_blocks.h and chacha_rows.h in xmm registers, SSSE3. */
#ifndef X86_VEC_SSSE3_H
#define X86_VEC_SSSE3_H

#include <stdint.h>
#include <tmmintrin.h>

typedef __m128i vec;
#define LANES 4

#define vec_add _mm_add_epi32
#define vec_xor _mm_xor_si128
#define vec_set1(w) _mm_set1_epi32((int)(w))
#define vec_iota() _mm_setr_epi32(0, 1, 2, 3)
#define vec_lo32 _mm_unpacklo_epi32
#define vec_hi32 _mm_unpackhi_epi32
#define vec_lo64 _mm_unpacklo_epi64
#define vec_hi64 _mm_unpackhi_epi64
#define vec_load(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define vec_store(p, v) _mm_storeu_si128((__m128i *)(void *)(p), v)
#define vec_end() ((void)0)

/* Whole bytes move with one shuffle. */
static inline __attribute__((always_inline)) vec vec_rotl(vec v, int n)
{
    if (n == 16)
        return _mm_shuffle_epi8(v, _mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
    if (n == 8)
        return _mm_shuffle_epi8(v, _mm_setr_epi8(3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14));
    return _mm_or_si128(_mm_slli_epi32(v, n), _mm_srli_epi32(v, 32 - n));
}

static inline __attribute__((always_inline)) void vec_gather(vec out[4], const vec q[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = q[i];
}

#endif
