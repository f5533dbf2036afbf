/* burst_rows_avx2.h: the vocabulary of burst_mac.h and burst_sweep.h in ymm registers, AVX2: four packets,
 * one in each 64-bit lane; rows of 64 bytes and what turns them into columns. With AVX-512VL, byte masks and
 * mask registers. */
#ifndef BURST_ROWS_AVX2_H
#define BURST_ROWS_AVX2_H

#include "aead_burst_kernels.h"
#include "bytes.h"
#include "vec_avx2.h"

#define LANES64 4
#include "burst_rows.h"

#define v_set64(x) _mm256_set1_epi64x((long long)(x))
#define v_add64 _mm256_add_epi64
#define v_sub64 _mm256_sub_epi64
#define v_and64 _mm256_and_si256
#define v_left64 _mm256_sllv_epi64
#define v_right64 _mm256_srlv_epi64
#define v_steps64(n) _mm256_setr_epi64x(0, n, 2 * n, 3 * n)
#if BURST_MASK_REGISTERS /* what the arithmetic wants */
#define v_below64(a, b) _mm256_cmplt_epu64_mask(a, b)
#define v_not_above64(a, b) _mm256_cmple_epu64_mask(a, b)
#define v_equal64(a, b) _mm256_cmpeq_epi64_mask(a, b)
#define v_choose64(mask, yes, no) _mm256_mask_mov_epi64(no, mask, yes)
#define v_all_below64(a, b) (v_below64(a, b) == 0xf)
#else
#define v_below64(a, b) _mm256_cmpgt_epi64(b, a)
#define v_equal64(a, b) _mm256_cmpeq_epi64(a, b)
#define v_choose64(mask, yes, no) _mm256_blendv_epi8(no, yes, mask)
#define v_all_below64(a, b) (_mm256_movemask_epi8(v_below64(a, b)) == -1)
#endif

/* The first n lanes, 1 .. 4, to `to`, where there is room for all of them: words, and pointers with `add`
 * added. */
ROWS_INLINE void v_put_words(uint32_t *to, __m256i words, unsigned n, int room)
{
    (void)n;
    (void)room;
    _mm_storeu_si128((__m128i *)(void *)to, _mm256_castsi256_si128(words));
}

ROWS_INLINE void v_copy_words(uint32_t *to, const uint32_t *from, unsigned n, int room)
{
    (void)n;
    (void)room;
    _mm_storeu_si128((__m128i *)(void *)to, _mm_loadu_si128((const __m128i *)(const void *)from));
}

ROWS_INLINE void v_copy_pointers(void *to, const void *from, size_t add, unsigned n, int room)
{
    (void)n;
    (void)room;
    vec_store(to, v_add64(vec_load(from), v_set64(add)));
}

/* t[q] = quadword q of four rows of 32 bytes. */
ROWS_INLINE void v_turn(vec t[4], const vec r[4])
{
    vec even1 = vec_lo64(r[0], r[1]), even2 = vec_lo64(r[2], r[3]);
    vec odd1 = vec_hi64(r[0], r[1]), odd2 = vec_hi64(r[2], r[3]);

    t[0] = _mm256_permute2x128_si256(even1, even2, 0x20);
    t[1] = _mm256_permute2x128_si256(odd1, odd2, 0x20);
    t[2] = _mm256_permute2x128_si256(even1, even2, 0x31);
    t[3] = _mm256_permute2x128_si256(odd1, odd2, 0x31);
}

/* t[q] = quadword q of the column at text[i] + offset. */
ROWS_INLINE void v_get_columns(vec t[8], const uint8_t *const *text, size_t offset)
{
#pragma GCC unroll 2
    for (size_t q = 0; q < 8; q += 4) {
        vec r[4];

#pragma GCC unroll 4
        for (int i = 0; i < 4; i++)
            r[i] = vec_load(text[i] + offset + 8 * q);
        v_turn(t + q, r);
    }
}

#ifdef __AVX512VL__

/* Copies len bytes, 1 .. 63. */
ROWS_INLINE void v_copy_tail(uint8_t *dst, const uint8_t *src, unsigned len)
{
    uint64_t m = _bzhi_u64(UINT64_MAX, len);
    __mmask32 low = (__mmask32)m, high = (__mmask32)(m >> 32);

    _mm256_mask_storeu_epi8(dst, low, _mm256_maskz_loadu_epi8(low, src));
    _mm256_mask_storeu_epi8(dst + 32, high, _mm256_maskz_loadu_epi8(high, src + 32));
}

/* The same of the first len bytes of a column, 1 .. 64, and zeros behind them. */
ROWS_INLINE void v_get_part(vec t[8], const uint8_t *const *text, size_t offset, unsigned len)
{
    uint64_t m = _bzhi_u64(UINT64_MAX, len);

#pragma GCC unroll 2
    for (unsigned q = 0; q < 8; q += 4) {
        vec r[4];

#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; i++)
            r[i] = _mm256_maskz_loadu_epi8((__mmask32)(m >> 8 * q), text[i] + offset + 8 * q);
        v_turn(t + q, r);
    }
}

/* Four rows as columns. */
ROWS_INLINE void v_get_rows(vec t[8], const struct rows *rows)
{
#pragma GCC unroll 2
    for (unsigned q = 0; q < 8; q += 4) {
        vec r[4];

#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; i++)
            r[i] = _mm256_maskz_loadu_epi8((__mmask32)(rows->bytes[i] >> 8 * q),
                                           row_at(rows->at[i], 8 * (ptrdiff_t)q));
        v_turn(t + q, r);
    }
}

#else

/* Copies len bytes, 1 .. 63, with overlapping moves. dst and src are disjoint or equal. */
static inline void v_copy_tail(uint8_t *dst, const uint8_t *src, unsigned len)
{
    uint64_t a, b;

    if (len >= 32) {
        vec v = vec_load(src), w = vec_load(src + len - 32);

        vec_store(dst, v);
        vec_store(dst + len - 32, w);
    } else if (len >= 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)src);
        __m128i w = _mm_loadu_si128((const __m128i *)(const void *)(src + len - 16));

        _mm_storeu_si128((__m128i *)(void *)dst, v);
        _mm_storeu_si128((__m128i *)(void *)(dst + len - 16), w);
    } else if (len >= 8) {
        memcpy(&a, src, 8);
        memcpy(&b, src + len - 8, 8);
        memcpy(dst, &a, 8);
        memcpy(dst + len - 8, &b, 8);
    } else {
        for (unsigned i = 0; i < len; i++)
            dst[i] = src[i];
    }
}

/* Copies the bytes whose bits are set in mask, which are neighbours. */
static inline void v_copy_masked(uint8_t row[64], const uint8_t *src, uint64_t mask)
{
    unsigned from, len;

    if (mask == 0)
        return;
    from = (unsigned)__builtin_ctzll(mask);
    len = 64 - from - (unsigned)__builtin_clzll(mask);
    if (len == 64)
        memcpy(row, src, 64);
    else
        v_copy_tail(row + from, src + from, len);
}

/* The first len bytes of a column, 1 .. 64, and zeros behind them. They are public: AAD and ciphertext. */
static inline void v_get_part(vec t[8], const uint8_t *const *text, size_t offset, unsigned len)
{
    uint8_t row[LANES64][64] = {{0}};
    const uint8_t *at[LANES64];

    for (unsigned i = 0; i < LANES64; i++) {
        if (len == 64)
            memcpy(row[i], text[i] + offset, 64);
        else
            v_copy_tail(row[i], text[i] + offset, len);
        at[i] = row[i];
    }
    v_get_columns(t, at, 0);
}

/* Four rows as columns. They are public: AAD and ciphertext. */
static inline void v_get_rows(vec t[8], const struct rows *rows)
{
    uint8_t row[LANES64][64] = {{0}};
    const uint8_t *at[LANES64];

    for (unsigned i = 0; i < LANES64; i++) {
        v_copy_masked(row[i], rows->at[i], rows->bytes[i]);
        at[i] = row[i];
    }
    v_get_columns(t, at, 0);
}

#endif

/* Writes the 16 bytes of each lane. */
ROWS_INLINE void v_put_tags(uint8_t (*tags)[16], vec lo, vec hi)
{
    vec even = vec_lo64(lo, hi), odd = vec_hi64(lo, hi);

    vec_store(tags[0], _mm256_permute2x128_si256(even, odd, 0x20));
    vec_store(tags[2], _mm256_permute2x128_si256(even, odd, 0x31));
}

#endif
