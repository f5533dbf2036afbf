/* vec_avx512.h: the vocabulary of chacha_blocks.h in zmm registers, AVX-512F. */
#ifndef X86_VEC_AVX512_H
#define X86_VEC_AVX512_H

#include <immintrin.h>
#include <stdint.h>

typedef __m512i vec;
#define LANES 16

#define vec_add _mm512_add_epi32
#define vec_xor _mm512_xor_si512
#define vec_rotl(v, n) _mm512_rol_epi32(v, n)
#define vec_set1(w) _mm512_set1_epi32((int)(w))
#define vec_iota() _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define vec_lo32 _mm512_unpacklo_epi32
#define vec_hi32 _mm512_unpackhi_epi32
#define vec_lo64 _mm512_unpacklo_epi64
#define vec_hi64 _mm512_unpackhi_epi64
#define vec_load(p) _mm512_loadu_si512(p)
#define vec_store(p, v) _mm512_storeu_si512(p, v)
#define vec_end() _mm256_zeroupper()

static inline __attribute__((always_inline)) void vec_gather(vec out[4], const vec q[4])
{
    vec ab = _mm512_shuffle_i32x4(q[0], q[1], 0x44), cd = _mm512_shuffle_i32x4(q[2], q[3], 0x44);
    vec ef = _mm512_shuffle_i32x4(q[0], q[1], 0xee), gh = _mm512_shuffle_i32x4(q[2], q[3], 0xee);

    out[0] = _mm512_shuffle_i32x4(ab, cd, 0x88);
    out[1] = _mm512_shuffle_i32x4(ab, cd, 0xdd);
    out[2] = _mm512_shuffle_i32x4(ef, gh, 0x88);
    out[3] = _mm512_shuffle_i32x4(ef, gh, 0xdd);
}

#endif
