/* burst_rows_avx512.h: the vocabulary of burst_mac.h and burst_sweep.h in zmm registers: eight packets, one
 * in each 64-bit lane; rows of 64 bytes and what turns them into columns. */
#ifndef BURST_ROWS_AVX512_H
#define BURST_ROWS_AVX512_H

#include "aead_burst_kernels.h"
#include "vec_avx512.h"

#define LANES64 8
#include "burst_rows.h"

#define v_set64(x) _mm512_set1_epi64((long long)(x))
#define v_add64 _mm512_add_epi64
#define v_sub64 _mm512_sub_epi64
#define v_and64 _mm512_and_si512
#define v_left64 _mm512_sllv_epi64
#define v_right64 _mm512_srlv_epi64
#define v_steps64(n) _mm512_setr_epi64(0, n, 2 * n, 3 * n, 4 * n, 5 * n, 6 * n, 7 * n)
#define v_below64(a, b) _mm512_cmplt_epu64_mask(a, b)
#define v_all_below64(a, b) (v_below64(a, b) == 0xff)
#define v_not_above64(a, b) _mm512_cmple_epu64_mask(a, b)
#define v_equal64(a, b) _mm512_cmpeq_epi64_mask(a, b)
#define v_choose64(mask, yes, no) _mm512_mask_mov_epi64(no, mask, yes)

/* The first n lanes, 1 .. 8, to `to`, where there may be room for all of them: words, and pointers with `add`
 * added. */
ROWS_INLINE void v_put_words(uint32_t *to, __m256i words, unsigned n, int room)
{
    if (room)
        _mm256_storeu_si256((__m256i *)(void *)to, words);
    else
        _mm256_mask_storeu_epi32(to, (__mmask8)rows_bytes(n), words);
}

ROWS_INLINE void v_copy_words(uint32_t *to, const uint32_t *from, unsigned n, int room)
{
    v_put_words(to, _mm256_loadu_si256((const __m256i *)(const void *)from), n, room);
}

ROWS_INLINE void v_copy_pointers(void *to, const void *from, size_t add, unsigned n, int room)
{
    const vec pointers = v_add64(vec_load(from), v_set64(add));

    if (room)
        vec_store(to, pointers);
    else
        _mm512_mask_storeu_epi64(to, (__mmask8)rows_bytes(n), pointers);
}

/* Copies len bytes, 1 .. 63. */
ROWS_INLINE void v_copy_tail(uint8_t *dst, const uint8_t *src, unsigned len)
{
    __mmask64 m = _bzhi_u64(UINT64_MAX, len);

    _mm512_mask_storeu_epi8(dst, m, _mm512_maskz_loadu_epi8(m, src));
}

ROWS_INLINE vec v_two_halves(__m256i a, __m256i b)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
}

/* t[q] = quadword q of eight rows of 32 bytes, given as halves of (0, 2), (1, 3), (4, 6), (5, 7). */
ROWS_INLINE void v_turn(vec t[4], vec a, vec b, vec c, vec d)
{
    vec even1 = vec_lo64(a, b), even2 = vec_lo64(c, d);
    vec odd1 = vec_hi64(a, b), odd2 = vec_hi64(c, d);

    t[0] = _mm512_shuffle_i64x2(even1, even2, 0x88);
    t[1] = _mm512_shuffle_i64x2(odd1, odd2, 0x88);
    t[2] = _mm512_shuffle_i64x2(even1, even2, 0xdd);
    t[3] = _mm512_shuffle_i64x2(odd1, odd2, 0xdd);
}

/* t[q] = quadword q of the column at text[i] + offset. */
ROWS_INLINE void v_get_columns(vec t[8], const uint8_t *const *text, size_t offset)
{
#define HALF(i) _mm256_loadu_si256((const __m256i *)(const void *)(text[i] + at))
#pragma GCC unroll 2
    for (size_t q = 0; q < 8; q += 4) {
        size_t at = offset + 8 * q;

        v_turn(t + q, v_two_halves(HALF(0), HALF(2)), v_two_halves(HALF(1), HALF(3)),
               v_two_halves(HALF(4), HALF(6)), v_two_halves(HALF(5), HALF(7)));
    }
#undef HALF
}

/* The same of the first len bytes of a column, 1 .. 64, and zeros behind them. */
ROWS_INLINE void v_get_part(vec t[8], const uint8_t *const *text, size_t offset, unsigned len)
{
    const uint64_t m = _bzhi_u64(UINT64_MAX, len);

#define HALF(i) _mm256_maskz_loadu_epi8((__mmask32)(m >> 8 * q), text[i] + offset + 8 * q)
#pragma GCC unroll 2
    for (unsigned q = 0; q < 8; q += 4) {
        v_turn(t + q, v_two_halves(HALF(0), HALF(2)), v_two_halves(HALF(1), HALF(3)),
               v_two_halves(HALF(4), HALF(6)), v_two_halves(HALF(5), HALF(7)));
        if (len <= 32) {
            t[4] = t[5] = t[6] = t[7] = _mm512_setzero_si512();
            break;
        }
    }
#undef HALF
}

/* The same of rows. */
ROWS_INLINE void v_get_rows(vec t[8], const struct rows *rows)
{
    vec r[8];

#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++)
        r[i] = _mm512_maskz_loadu_epi8(rows->bytes[i], rows->at[i]);
#define LOW(a, b) _mm512_shuffle_i64x2(r[a], r[b], 0x44)
#define HIGH(a, b) _mm512_shuffle_i64x2(r[a], r[b], 0xee)
    v_turn(t, LOW(0, 2), LOW(1, 3), LOW(4, 6), LOW(5, 7));
    v_turn(t + 4, HIGH(0, 2), HIGH(1, 3), HIGH(4, 6), HIGH(5, 7));
#undef LOW
#undef HIGH
}

/* Writes the 16 bytes of each lane. */
ROWS_INLINE void v_put_tags(uint8_t (*tags)[16], vec lo, vec hi)
{
    vec even = vec_lo64(lo, hi), odd = vec_hi64(lo, hi);
    vec a = _mm512_shuffle_i64x2(even, odd, 0x44), b = _mm512_shuffle_i64x2(even, odd, 0xee);

    /* a: packets 0 2 1 3, b: 4 6 5 7 */
    vec_store(tags[0], _mm512_shuffle_i64x2(a, a, 0xd8));
    vec_store(tags[4], _mm512_shuffle_i64x2(b, b, 0xd8));
}

#endif
