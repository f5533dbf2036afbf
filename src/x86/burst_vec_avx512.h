/* burst_vec_avx512.h: the vector vocabulary of the burst kernels in zmm registers: 16 lanes of 32 bits, 8
 * lanes of 64. Included by the instances; the texts that use it are burst_sweep.h and burst_mac.h. */
#ifndef BURST_VEC_AVX512_H
#define BURST_VEC_AVX512_H

#include <immintrin.h>
#include <stdint.h>

#include "aead_burst_kernels.h"

#define VEC_INLINE static inline __attribute__((always_inline))

typedef __m512i vec;
#define LANES32 16
#define LANES64 8

#define v_load(p) _mm512_loadu_si512((const void *)(p))
#define v_store(p, v) _mm512_storeu_si512((void *)(p), v)
#define v_xor(a, b) _mm512_xor_si512(a, b)
#define v_or(a, b) _mm512_or_si512(a, b)
#define v_add32(a, b) _mm512_add_epi32(a, b)
#define v_rol32(a, n) _mm512_rol_epi32(a, n)
#define v_set32(x) _mm512_set1_epi32((int)(x))
#define v_set64(x) _mm512_set1_epi64((long long)(x))

/* Masks of 64-bit lanes. */
typedef __mmask8 vmask;
#define v_not_above64(a, b) _mm512_cmple_epu64_mask(a, b)
#define v_below64(a, b) _mm512_cmplt_epu64_mask(a, b)
#define v_select(m, yes, no) _mm512_mask_mov_epi64(no, m, yes)

/* The first n bytes, n 0 .. 64. */
VEC_INLINE __mmask64 v_first(unsigned n)
{
    return _bzhi_u64(~UINT64_C(0), n);
}

VEC_INLINE void v_copy_tail(uint8_t *dst, const uint8_t *src, unsigned len)
{
    _mm512_mask_storeu_epi8(dst, v_first(len), _mm512_maskz_loadu_epi8(v_first(len), src));
}

/* out[lane] = in[lane] XOR the block in that lane of x[0 .. 15]. */
VEC_INLINE void v_put_blocks(vec x[16], const uint8_t *const *in, uint8_t *const *out)
{
    vec q[16];

    /* q[4 * g + j]: words 4g .. 4g+3 of blocks j, j + 4, j + 8, j + 12 */
#pragma GCC unroll 4
    for (int g = 0; g < 4; g++) {
        vec a = _mm512_unpacklo_epi32(x[4 * g], x[4 * g + 1]),
            b = _mm512_unpackhi_epi32(x[4 * g], x[4 * g + 1]);
        vec c = _mm512_unpacklo_epi32(x[4 * g + 2], x[4 * g + 3]),
            d = _mm512_unpackhi_epi32(x[4 * g + 2], x[4 * g + 3]);

        q[4 * g] = _mm512_unpacklo_epi64(a, c);
        q[4 * g + 1] = _mm512_unpackhi_epi64(a, c);
        q[4 * g + 2] = _mm512_unpacklo_epi64(b, d);
        q[4 * g + 3] = _mm512_unpackhi_epi64(b, d);
    }
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++) {
        vec a = _mm512_shuffle_i32x4(q[j], q[4 + j], 0x44), b = _mm512_shuffle_i32x4(q[j], q[4 + j], 0xee);
        vec c = _mm512_shuffle_i32x4(q[8 + j], q[12 + j], 0x44),
            d = _mm512_shuffle_i32x4(q[8 + j], q[12 + j], 0xee);

        v_store(out[j], v_xor(v_load(in[j]), _mm512_shuffle_i32x4(a, c, 0x88)));
        v_store(out[j + 4], v_xor(v_load(in[j + 4]), _mm512_shuffle_i32x4(a, c, 0xdd)));
        v_store(out[j + 8], v_xor(v_load(in[j + 8]), _mm512_shuffle_i32x4(b, d, 0x88)));
        v_store(out[j + 12], v_xor(v_load(in[j + 12]), _mm512_shuffle_i32x4(b, d, 0xdd)));
    }
}

/* Transposes 8 rows of 64 bytes in place: t[q] gets quadword q of every row. */
VEC_INLINE void v_transpose(vec t[8])
{
    vec pair[8], quad[8];

#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 2) {
        pair[i] = _mm512_unpacklo_epi64(t[i], t[i + 1]);
        pair[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 1]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 8; i += 4) {
        quad[i] = _mm512_shuffle_i64x2(pair[i], pair[i + 2], 0x44);
        quad[i + 1] = _mm512_shuffle_i64x2(pair[i + 1], pair[i + 3], 0x44);
        quad[i + 2] = _mm512_shuffle_i64x2(pair[i], pair[i + 2], 0xee);
        quad[i + 3] = _mm512_shuffle_i64x2(pair[i + 1], pair[i + 3], 0xee);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        t[4 * i] = _mm512_shuffle_i64x2(quad[2 * i], quad[2 * i + 4], 0x88);
        t[4 * i + 1] = _mm512_shuffle_i64x2(quad[2 * i + 1], quad[2 * i + 5], 0x88);
        t[4 * i + 2] = _mm512_shuffle_i64x2(quad[2 * i], quad[2 * i + 4], 0xdd);
        t[4 * i + 3] = _mm512_shuffle_i64x2(quad[2 * i + 1], quad[2 * i + 5], 0xdd);
    }
}

/* Half a row of packet a and half a row of packet b. */
VEC_INLINE vec v_half_rows(const uint8_t *a, const uint8_t *b)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)a)),
                              _mm256_loadu_si256((const __m256i *)(const void *)b), 1);
}

/* t[q] = quadword q of the column of each of 8 packets. Loads of half rows save every third shuffle of
 * v_transpose. */
VEC_INLINE void v_get_columns(vec t[8], const uint8_t *const *text, size_t offset)
{
#pragma GCC unroll 2
    for (int half = 0; half < 2; half++) {
        size_t at = offset + 32 * (size_t)half;
        vec a = v_half_rows(text[0] + at, text[2] + at), b = v_half_rows(text[1] + at, text[3] + at);
        vec c = v_half_rows(text[4] + at, text[6] + at), d = v_half_rows(text[5] + at, text[7] + at);
        vec even1 = _mm512_unpacklo_epi64(a, b), even2 = _mm512_unpacklo_epi64(c, d);
        vec odd1 = _mm512_unpackhi_epi64(a, b), odd2 = _mm512_unpackhi_epi64(c, d);

        t[4 * half] = _mm512_shuffle_i64x2(even1, even2, 0x88);
        t[4 * half + 1] = _mm512_shuffle_i64x2(odd1, odd2, 0x88);
        t[4 * half + 2] = _mm512_shuffle_i64x2(even1, even2, 0xdd);
        t[4 * half + 3] = _mm512_shuffle_i64x2(odd1, odd2, 0xdd);
    }
}

/* The same of the rows from packet `first` on. */
VEC_INLINE void v_get_rows(vec t[8], const struct aead_rows *rows, unsigned first)
{
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++)
        t[i] = v_or(_mm512_maskz_loadu_epi8(rows->aad_bytes[first + i], rows->aad[first + i]),
                    _mm512_maskz_loadu_epi8(rows->text_bytes[first + i], rows->text[first + i]));
    v_transpose(t);
}

/* Writes the 16 bytes of each lane. */
VEC_INLINE void v_put_tags(uint8_t (*tags)[16], vec lo, vec hi)
{
    vec even = _mm512_unpacklo_epi64(lo, hi), odd = _mm512_unpackhi_epi64(lo, hi);
    vec a = _mm512_shuffle_i64x2(even, odd, 0x44), b = _mm512_shuffle_i64x2(even, odd, 0xee);

    /* a: packets 0 2 1 3, b: 4 6 5 7 */
    v_store(tags[0], _mm512_shuffle_i64x2(a, a, 0xd8));
    v_store(tags[4], _mm512_shuffle_i64x2(b, b, 0xd8));
}

#endif
