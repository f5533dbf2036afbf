/* vec_avx2.h: the vocabulary of chacha_blocks.h and chacha_rows.h in ymm registers, AVX2. */
#ifndef X86_VEC_AVX2_H
#define X86_VEC_AVX2_H

#include <immintrin.h>
#include <stdint.h>

typedef __m256i vec;
#define LANES 8

#define vec_add _mm256_add_epi32
#define vec_xor _mm256_xor_si256
#define vec_set1(w) _mm256_set1_epi32((int)(w))
#define vec_iota() _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)
#define vec_lo32 _mm256_unpacklo_epi32
#define vec_hi32 _mm256_unpackhi_epi32
#define vec_lo64 _mm256_unpacklo_epi64
#define vec_hi64 _mm256_unpackhi_epi64
#define vec_load(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define vec_store(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define vec_end() _mm256_zeroupper()

#ifdef __AVX512VL__
#define vec_rotl(v, n) _mm256_rol_epi32(v, n)
#else
/* Whole bytes move with one shuffle. */
static inline __attribute__((always_inline)) vec vec_rotl(vec v, int n)
{
    if (n == 16)
        return _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(_mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10,
                                                                                11, 8, 9, 14, 15, 12, 13)));
    if (n == 8)
        return _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(_mm_setr_epi8(3, 0, 1, 2, 7, 4, 5, 6, 11, 8,
                                                                                9, 10, 15, 12, 13, 14)));
    return _mm256_or_si256(_mm256_slli_epi32(v, n), _mm256_srli_epi32(v, 32 - n));
}
#endif

static inline __attribute__((always_inline)) void vec_gather(vec out[4], const vec q[4])
{
    out[0] = _mm256_permute2x128_si256(q[0], q[1], 0x20);
    out[1] = _mm256_permute2x128_si256(q[2], q[3], 0x20);
    out[2] = _mm256_permute2x128_si256(q[0], q[1], 0x31);
    out[3] = _mm256_permute2x128_si256(q[2], q[3], 0x31);
}

#endif
