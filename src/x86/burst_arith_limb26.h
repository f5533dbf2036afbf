/* burst_arith_limb26.h: the arithmetic of burst_mac.h in 26-bit limbs, four lanes of a ymm register, AVX2. */
#ifndef BURST_ARITH_LIMB26_H
#define BURST_ARITH_LIMB26_H

#include "poly1305_limb26.h"

#define mac_num limb26_num
#define mac_power limb26_power
#define mac_acc limb26_acc
#define mac_zero limb26_zero
#define mac_add limb26_add
#define mac_mul_add limb26_mac
#define mac_carry limb26_carry

LIMB26_INLINE struct limb26_num mac_block(__m256i lo, __m256i hi)
{
    return limb26_block(lo, hi, limb26_set(UINT64_C(1) << 24));
}

/* Block `at` of a row: a block in the lanes that do not skip it, zero in the others. */
LIMB26_INLINE struct limb26_num mac_block_unless(__m256i skip, uint64_t at, __m256i lo, __m256i hi)
{
    const __m256i skipped = _mm256_cmpgt_epi64(skip, limb26_set(at));

    return limb26_block(lo, hi, _mm256_andnot_si256(skipped, limb26_set(UINT64_C(1) << 24)));
}

/* The key's first half, clamped (RFC 8439 section 2.5.1), as a number. */
LIMB26_INLINE struct limb26_num mac_clamp(__m256i lo, __m256i hi)
{
    return limb26_block(_mm256_and_si256(lo, limb26_set(UINT64_C(0x0ffffffc0fffffff))),
                        _mm256_and_si256(hi, limb26_set(UINT64_C(0x0ffffffc0ffffffc))),
                        _mm256_setzero_si256());
}

/* x p, carried. */
LIMB26_INLINE struct limb26_num mac_mul(struct limb26_num x, const struct limb26_power *p)
{
    struct limb26_acc acc = limb26_acc(limb26_zero());

    limb26_mac(&acc, x, p);
    return limb26_carry(&acc);
}

/* yes in the lanes of mask, no in the others. */
LIMB26_INLINE struct limb26_num mac_select(__m256i mask, struct limb26_num yes, struct limb26_num no)
{
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++)
        no.v[i] = _mm256_blendv_epi8(no.v[i], yes.v[i], mask);
    return no;
}

/* One pass of carries up the limbs; what leaves the last one. */
LIMB26_INLINE __m256i mac_carry_up(struct limb26_num *h)
{
    const __m256i m26 = limb26_set(LIMB26_M26);
    __m256i c = _mm256_setzero_si256();

#pragma GCC unroll 5
    for (int i = 0; i < 5; i++) {
        h->v[i] = _mm256_add_epi64(h->v[i], c);
        c = _mm256_srli_epi64(h->v[i], 26);
        h->v[i] = _mm256_and_si256(h->v[i], m26);
    }
    return c;
}

/* (h mod p + s) mod 2^128 in every lane, in place of s: the tags. h: carried, so that the first pass brings
 * at most 5 back and leaves a number below 2^130 + 5; when the second brings one back too, less than 5 stood
 * above 2^130 and every limb ends in its range. Then h >= p exactly when h + 5 reaches 2^130. */
LIMB26_INLINE void mac_tag(struct limb26_num h, __m256i *s_lo, __m256i *s_hi)
{
    const __m256i sign = limb26_set(UINT64_C(1) << 63);
    struct limb26_num g;
    __m256i lo, hi, take, wrapped;

#pragma GCC unroll 2
    for (int pass = 0; pass < 2; pass++) {
        const __m256i above = mac_carry_up(&h);

        h.v[0] = _mm256_add_epi64(h.v[0], limb26_times5(above));
    }
    g = h;
    g.v[0] = _mm256_add_epi64(g.v[0], limb26_set(5));
    take = _mm256_sub_epi64(_mm256_setzero_si256(), mac_carry_up(&g));
    h = mac_select(take, g, h);

    lo = _mm256_or_si256(_mm256_or_si256(h.v[0], _mm256_slli_epi64(h.v[1], 26)),
                         _mm256_slli_epi64(h.v[2], 52));
    hi = _mm256_or_si256(_mm256_or_si256(_mm256_srli_epi64(h.v[2], 12), _mm256_slli_epi64(h.v[3], 14)),
                         _mm256_slli_epi64(h.v[4], 40));
    lo = _mm256_add_epi64(lo, *s_lo);
    wrapped = _mm256_cmpgt_epi64(_mm256_xor_si256(*s_lo, sign), _mm256_xor_si256(lo, sign));
    *s_hi = _mm256_sub_epi64(_mm256_add_epi64(hi, *s_hi), wrapped);
    *s_lo = lo;
}

#endif
