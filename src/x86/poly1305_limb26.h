/* poly1305_limb26.h: Poly1305 arithmetic (RFC 8439 section 2.5) in four 64-bit lanes of a ymm register with
 * the 32-bit multiply of AVX2. Included by poly1305_lanes.h.
 *
 * A number is five limbs of 26 bits. What stands at 2^130 comes back times 5. Forms by the bounds of limbs:
 *   block    every limb < 2^26 (v4 <= 2^25 - 1: 128 bits and the bit above them)
 *   carried  v0, v2, v3 < 2^26, v1, v4 < 2^26 + 2^12 (what limb26_carry leaves)
 *   loose    every limb < 2^27.1 (a carried number and a block added up) */
#ifndef POLY1305_LIMB26_H
#define POLY1305_LIMB26_H

#include <immintrin.h>
#include <stdint.h>

#define LIMB26_INLINE static inline __attribute__((always_inline))
#define LIMB26_M26 UINT64_C(0x3ffffff)

/* A number in every lane. */
struct limb26_num {
    __m256i v[5];
};

/* Sums of products. */
struct limb26_acc {
    __m256i v[5];
};

/* A multiplier in every lane: a carried number and 5 times its upper limbs, below 2^28.4. */
struct limb26_power {
    __m256i r[5], s[5];
};

LIMB26_INLINE __m256i limb26_set(uint64_t x)
{
    return _mm256_set1_epi64x((long long)x);
}

LIMB26_INLINE __m256i limb26_times5(__m256i a)
{
    return _mm256_add_epi64(a, _mm256_slli_epi64(a, 2));
}

LIMB26_INLINE struct limb26_num limb26_zero(void)
{
    const __m256i z = _mm256_setzero_si256();

    return (struct limb26_num){{z, z, z, z, z}};
}

LIMB26_INLINE struct limb26_num limb26_add(struct limb26_num a, struct limb26_num b)
{
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++)
        a.v[i] = _mm256_add_epi64(a.v[i], b.v[i]);
    return a;
}

/* r: carried. */
LIMB26_INLINE struct limb26_power limb26_power(struct limb26_num r)
{
    struct limb26_power p;

#pragma GCC unroll 5
    for (int i = 0; i < 5; i++) {
        p.r[i] = r.v[i];
        p.s[i] = limb26_times5(r.v[i]);
    }
    return p;
}

/* An accumulator that starts with a block or a loose number. */
LIMB26_INLINE struct limb26_acc limb26_acc(struct limb26_num a)
{
    return (struct limb26_acc){{a.v[0], a.v[1], a.v[2], a.v[3], a.v[4]}};
}

/* acc += x p. x: loose; p: made from a carried number. A product is below 2^27.1 2^28.4 = 2^55.5; five are
 * added to each limb: below 2^57.9. */
LIMB26_INLINE void limb26_mac(struct limb26_acc *acc, struct limb26_num x, const struct limb26_power *p)
{
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++)
#pragma GCC unroll 5
        for (int j = 0; j < 5; j++) {
            const __m256i m = i >= j ? p->r[i - j] : p->s[5 + i - j];

            acc->v[i] = _mm256_add_epi64(acc->v[i], _mm256_mul_epu32(x.v[j], m));
        }
}

/* acc as a carried number, in two chains that run side by side: 0 1 2 3 4 and 3 4 0 1. At most 9 limb26_mac
 * went into acc, so limbs are below 9 2^57.9 + 2^28 < 2^61.1 and a carry below 2^35.1; 5 times the one from
 * limb 4, which by then is below 2^61.2, is below 2^37.6. The second carries from limb 3, below 2^26 +
 * 2^35.2, and from limb 0, below 2^26 + 2^37.6, are below 2^9.3 and 2^11.7. */
LIMB26_INLINE struct limb26_num limb26_carry(const struct limb26_acc *acc)
{
    const __m256i m26 = limb26_set(LIMB26_M26);
    struct limb26_num h = {{acc->v[0], acc->v[1], acc->v[2], acc->v[3], acc->v[4]}};

#define LIMB26_PASS(to, from)                                                                                \
    do {                                                                                                     \
        h.v[to] = _mm256_add_epi64(h.v[to], _mm256_srli_epi64(h.v[from], 26));                               \
        h.v[from] = _mm256_and_si256(h.v[from], m26);                                                        \
    } while (0)
    LIMB26_PASS(1, 0);
    LIMB26_PASS(4, 3);
    LIMB26_PASS(2, 1);
    h.v[0] = _mm256_add_epi64(h.v[0], limb26_times5(_mm256_srli_epi64(h.v[4], 26)));
    h.v[4] = _mm256_and_si256(h.v[4], m26);
    LIMB26_PASS(3, 2);
    LIMB26_PASS(1, 0);
    LIMB26_PASS(4, 3);
#undef LIMB26_PASS
    return h;
}

/* 128 bits a lane, lo + hi 2^64, and top at 2^128: 2^24 in the lanes that hold a block, else 0. */
LIMB26_INLINE struct limb26_num limb26_block(__m256i lo, __m256i hi, __m256i top)
{
    const __m256i m26 = limb26_set(LIMB26_M26);
    const __m256i middle = _mm256_or_si256(_mm256_srli_epi64(lo, 52), _mm256_slli_epi64(hi, 12));

    return (struct limb26_num){{_mm256_and_si256(lo, m26), _mm256_and_si256(_mm256_srli_epi64(lo, 26), m26),
                                _mm256_and_si256(middle, m26),
                                _mm256_and_si256(_mm256_srli_epi64(hi, 14), m26),
                                _mm256_or_si256(_mm256_srli_epi64(hi, 40), top)}};
}

#endif
