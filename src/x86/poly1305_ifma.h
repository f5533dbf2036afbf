/* poly1305_ifma.h: Poly1305 arithmetic (RFC 8439 section 2.5) in vectors of 64-bit lanes with the 52-bit
 * multiply-add of AVX-512 IFMA. Included by the kernels of one message and of bursts, which first define
 * IFMA_BITS as 512 (zmm, eight lanes) or 256 (ymm, four lanes).
 *
 * A number is three limbs of 44 bits: a = a0 + a1 2^44 + a2 2^88. What stands at 2^132 comes back times 20,
 * because 2^130 = 5 (mod p). Three forms, by the bounds of their limbs:
 *   block   b0, b1 < 2^44, b2 <= 2^41 - 1 (128 bits and the bit above them)
 *   carried h0 < 2^44, h1 < 2^44 + 2^16, h2 < 2^44 (what ifma_carry leaves)
 *   loose   every limb < 2^46 (up to four carried numbers or blocks added up, limb by limb) */
#ifndef POLY1305_IFMA_H
#define POLY1305_IFMA_H

#include <immintrin.h>
#include <stdint.h>

#define IFMA_INLINE static inline __attribute__((always_inline))
#define IFMA_M44 UINT64_C(0xfffffffffff)
#define IFMA_M42 UINT64_C(0x3ffffffffff)

/* The vocabulary: all that knows the width. */
#if IFMA_BITS == 512
typedef __m512i ifma_vec;
typedef __mmask8 ifma_mask;
#define IFMA_OP(op) _mm512_##op
#define IFMA_LOGIC(op) _mm512_##op##_si512
#define IFMA_SET _mm512_set1_epi64
#elif IFMA_BITS == 256
typedef __m256i ifma_vec;
typedef __mmask8 ifma_mask;
#define IFMA_OP(op) _mm256_##op
#define IFMA_LOGIC(op) _mm256_##op##_si256
#define IFMA_SET _mm256_set1_epi64x
#else
#error "IFMA_BITS is 512 or 256"
#endif

#define IFMA_ADD(a, b) IFMA_OP(add_epi64)(a, b)
#define IFMA_SHL(a, n) IFMA_OP(slli_epi64)(a, n)
#define IFMA_SHR(a, n) IFMA_OP(srli_epi64)(a, n)
#define IFMA_AND(a, b) IFMA_LOGIC (and)(a, b)
#define IFMA_OR(a, b) IFMA_LOGIC(or)(a, b)
#define IFMA_MUL_LO(acc, a, b) IFMA_OP(madd52lo_epu64)(acc, a, b)
#define IFMA_MUL_HI(acc, a, b) IFMA_OP(madd52hi_epu64)(acc, a, b)

IFMA_INLINE ifma_vec ifma_set(uint64_t x)
{
    return IFMA_SET((long long)x);
}

/* A number in every lane. */
struct ifma_num {
    ifma_vec v0, v1, v2;
};

/* A multiplier in every lane: a carried number and 20 times its upper limbs, below 2^48.4. */
struct ifma_power {
    ifma_vec r0, r1, r2, s1, s2;
};

/* Sums of products: the low 52 bits of each, and the bits above them. */
struct ifma_acc {
    ifma_vec lo0, lo1, lo2, hi0, hi1, hi2;
};

IFMA_INLINE struct ifma_num ifma_zero(void)
{
    const ifma_vec z = IFMA_LOGIC(setzero)();

    return (struct ifma_num){z, z, z};
}

IFMA_INLINE struct ifma_num ifma_add(struct ifma_num a, struct ifma_num b)
{
    return (struct ifma_num){IFMA_ADD(a.v0, b.v0), IFMA_ADD(a.v1, b.v1), IFMA_ADD(a.v2, b.v2)};
}

/* yes in the lanes of mask, no in the others. */
IFMA_INLINE struct ifma_num ifma_select(ifma_mask mask, struct ifma_num yes, struct ifma_num no)
{
    return (struct ifma_num){IFMA_OP(mask_mov_epi64)(no.v0, mask, yes.v0),
                             IFMA_OP(mask_mov_epi64)(no.v1, mask, yes.v1),
                             IFMA_OP(mask_mov_epi64)(no.v2, mask, yes.v2)};
}

IFMA_INLINE ifma_vec ifma_times20(ifma_vec a)
{
    return IFMA_ADD(IFMA_SHL(a, 4), IFMA_SHL(a, 2));
}

/* r: carried. */
IFMA_INLINE struct ifma_power ifma_power(struct ifma_num r)
{
    return (struct ifma_power){r.v0, r.v1, r.v2, ifma_times20(r.v1), ifma_times20(r.v2)};
}

/* An accumulator that starts with a block or a loose number. */
IFMA_INLINE struct ifma_acc ifma_acc(struct ifma_num a)
{
    const ifma_vec z = IFMA_LOGIC(setzero)();

    return (struct ifma_acc){a.v0, a.v1, a.v2, z, z, z};
}

/* acc += x p. x: loose; p: made from a carried number. A product is below 2^46 2^48.4 = 2^94.4: it adds less
 * than 2^52 to its lo and less than 2^42.4 to its hi, three to each. */
IFMA_INLINE void ifma_mac(struct ifma_acc *acc, struct ifma_num x, const struct ifma_power *p)
{
    acc->lo0 = IFMA_MUL_LO(acc->lo0, x.v2, p->s1);
    acc->hi0 = IFMA_MUL_HI(acc->hi0, x.v2, p->s1);
    acc->lo1 = IFMA_MUL_LO(acc->lo1, x.v2, p->s2);
    acc->hi1 = IFMA_MUL_HI(acc->hi1, x.v2, p->s2);
    acc->lo2 = IFMA_MUL_LO(acc->lo2, x.v2, p->r0);
    acc->hi2 = IFMA_MUL_HI(acc->hi2, x.v2, p->r0);
    acc->lo0 = IFMA_MUL_LO(acc->lo0, x.v1, p->s2);
    acc->hi0 = IFMA_MUL_HI(acc->hi0, x.v1, p->s2);
    acc->lo1 = IFMA_MUL_LO(acc->lo1, x.v1, p->r0);
    acc->hi1 = IFMA_MUL_HI(acc->hi1, x.v1, p->r0);
    acc->lo2 = IFMA_MUL_LO(acc->lo2, x.v1, p->r1);
    acc->hi2 = IFMA_MUL_HI(acc->hi2, x.v1, p->r1);
    acc->lo0 = IFMA_MUL_LO(acc->lo0, x.v0, p->r0);
    acc->hi0 = IFMA_MUL_HI(acc->hi0, x.v0, p->r0);
    acc->lo1 = IFMA_MUL_LO(acc->lo1, x.v0, p->r1);
    acc->hi1 = IFMA_MUL_HI(acc->hi1, x.v0, p->r1);
    acc->lo2 = IFMA_MUL_LO(acc->lo2, x.v0, p->r2);
    acc->hi2 = IFMA_MUL_HI(acc->hi2, x.v0, p->r2);
}

/* acc as a carried number. At most 9 ifma_mac went into acc (27 products to each part) and one loose number:
 *   lo < 27 2^52 + 2^46 < 2^56.8, hi < 27 2^42.4 < 2^47.2; hi stands 52 - 44 = 8 bits above its limb
 *   lo1, lo2 < 2^56.8 + 2^55.2 + 2^14 < 2^57.3; t < 2^55.2 + 2^14; 20 t < 2^59.6; lo0 < 2^59.8
 * so no sum wraps, and the last carry, into lo1 < 2^44, is below 2^59.8 / 2^44 < 2^16. */
IFMA_INLINE struct ifma_num ifma_carry(const struct ifma_acc *acc)
{
    const ifma_vec m44 = ifma_set(IFMA_M44);
    ifma_vec lo1 = IFMA_ADD(acc->lo1, IFMA_SHL(acc->hi0, 8));
    ifma_vec lo2 = IFMA_ADD(acc->lo2, IFMA_SHL(acc->hi1, 8));
    ifma_vec t = IFMA_SHL(acc->hi2, 8);
    ifma_vec lo0;

    lo2 = IFMA_ADD(lo2, IFMA_SHR(lo1, 44));
    lo1 = IFMA_AND(lo1, m44);
    t = IFMA_ADD(t, IFMA_SHR(lo2, 44));
    lo2 = IFMA_AND(lo2, m44);
    lo0 = IFMA_ADD(acc->lo0, ifma_times20(t));
    return (struct ifma_num){IFMA_AND(lo0, m44), IFMA_ADD(lo1, IFMA_SHR(lo0, 44)), lo2};
}

/* x p, carried. */
IFMA_INLINE struct ifma_num ifma_mul(struct ifma_num x, const struct ifma_power *p)
{
    struct ifma_acc acc = ifma_acc(ifma_zero());

    ifma_mac(&acc, x, p);
    return ifma_carry(&acc);
}

/* acc as a number with every limb below 2^44 + 2^16: all carries at once, in half the time of ifma_carry and
 * with more operations. For one product and one number below 2^46 in acc: lo < 3 2^52 + 2^46, hi < 3 2^42.4.
 *   hi2 stands at 2^140 = 5 2^10: it comes back as (2^12 + 2^10) hi2 < 2^56.4, so lo0 < 2^56.5
 *   lo1, lo2 < 2^53.7 + 2^52 < 2^54.1; 20 (lo2 >> 44) < 2^14.5, lo0 >> 44 < 2^12.5 */
IFMA_INLINE struct ifma_num ifma_carry_at_once(const struct ifma_acc *acc)
{
    const ifma_vec m44 = ifma_set(IFMA_M44);
    const ifma_vec lo1 = IFMA_ADD(acc->lo1, IFMA_SHL(acc->hi0, 8));
    const ifma_vec lo2 = IFMA_ADD(acc->lo2, IFMA_SHL(acc->hi1, 8));
    const ifma_vec lo0 = IFMA_ADD(acc->lo0, IFMA_ADD(IFMA_SHL(acc->hi2, 12), IFMA_SHL(acc->hi2, 10)));

    return (struct ifma_num){IFMA_ADD(IFMA_AND(lo0, m44), ifma_times20(IFMA_SHR(lo2, 44))),
                             IFMA_ADD(IFMA_AND(lo1, m44), IFMA_SHR(lo0, 44)),
                             IFMA_ADD(IFMA_AND(lo2, m44), IFMA_SHR(lo1, 44))};
}

/* x p + y. x, y: limbs below 2^46; p: made from a number below 2^44 + 2^16. */
IFMA_INLINE struct ifma_num ifma_fold(struct ifma_num x, const struct ifma_power *p, struct ifma_num y)
{
    struct ifma_acc acc = ifma_acc(y);

    ifma_mac(&acc, x, p);
    return ifma_carry_at_once(&acc);
}

/* a^2, p made from a: six products in the place of nine. Limbs below 2^44 + 2^16, 2 s1 below 2^49.4: bounds
 * as in ifma_carry_at_once. */
IFMA_INLINE struct ifma_num ifma_square(struct ifma_num a, const struct ifma_power *p)
{
    const ifma_vec z = IFMA_LOGIC(setzero)(), twice0 = IFMA_ADD(a.v0, a.v0),
                   twice_s1 = IFMA_ADD(p->s1, p->s1);
    struct ifma_acc acc = {z, z, z, z, z, z};

    acc.lo0 = IFMA_MUL_LO(acc.lo0, a.v0, a.v0);
    acc.hi0 = IFMA_MUL_HI(acc.hi0, a.v0, a.v0);
    acc.lo1 = IFMA_MUL_LO(acc.lo1, twice0, a.v1);
    acc.hi1 = IFMA_MUL_HI(acc.hi1, twice0, a.v1);
    acc.lo2 = IFMA_MUL_LO(acc.lo2, twice0, a.v2);
    acc.hi2 = IFMA_MUL_HI(acc.hi2, twice0, a.v2);
    acc.lo0 = IFMA_MUL_LO(acc.lo0, a.v2, twice_s1);
    acc.hi0 = IFMA_MUL_HI(acc.hi0, a.v2, twice_s1);
    acc.lo1 = IFMA_MUL_LO(acc.lo1, a.v2, p->s2);
    acc.hi1 = IFMA_MUL_HI(acc.hi1, a.v2, p->s2);
    acc.lo2 = IFMA_MUL_LO(acc.lo2, a.v1, a.v1);
    acc.hi2 = IFMA_MUL_HI(acc.hi2, a.v1, a.v1);
    return ifma_carry_at_once(&acc);
}

/* 128 bits a lane, lo + hi 2^64, as a number without the bit above them: v2 < 2^40. */
IFMA_INLINE struct ifma_num ifma_split(ifma_vec lo, ifma_vec hi)
{
    const ifma_vec m44 = ifma_set(IFMA_M44);

    return (struct ifma_num){IFMA_AND(lo, m44),
                             IFMA_OP(ternarylogic_epi64)(IFMA_SHR(lo, 44), IFMA_SHL(hi, 20), m44, 0xa8),
                             IFMA_SHR(hi, 24)};
}

/* The same as a block: with 2^128 added. */
IFMA_INLINE struct ifma_num ifma_block(ifma_vec lo, ifma_vec hi)
{
    struct ifma_num b = ifma_split(lo, hi);

    b.v2 = IFMA_OR(b.v2, ifma_set(UINT64_C(1) << 40));
    return b;
}

/* The same for the lanes in mask only. */
IFMA_INLINE struct ifma_num ifma_block_in(ifma_mask mask, ifma_vec lo, ifma_vec hi)
{
    struct ifma_num b = ifma_split(lo, hi);

    b.v2 = IFMA_OP(mask_or_epi64)(b.v2, mask, b.v2, ifma_set(UINT64_C(1) << 40));
    return b;
}

/* The key's first half, a message a lane: clamped (RFC 8439 section 2.5.1), as a number. */
IFMA_INLINE struct ifma_num ifma_clamp(ifma_vec lo, ifma_vec hi)
{
    return ifma_split(IFMA_AND(lo, ifma_set(UINT64_C(0x0ffffffc0fffffff))),
                      IFMA_AND(hi, ifma_set(UINT64_C(0x0ffffffc0ffffffc))));
}

/* (h mod p + s) mod 2^128 in every lane, in place of s: the tags. h: every limb < 2^47 (loose, or the sum of
 * four carried numbers).
 *
 * The first pass of carries brings c <= 2^5 back and leaves a number below 2^130 + 160 with v1 < 2^44 and v2
 * < 2^42. When the second brings one back, less than 160 stood above 2^130, so that every limb ends in its
 * range and the number below 2^130. Then h >= p exactly when h + 5 reaches 2^130, that is bit 42 of its top
 * limb. */
IFMA_INLINE void ifma_finish(struct ifma_num h, ifma_vec *s_lo, ifma_vec *s_hi)
{
    const ifma_vec m44 = ifma_set(IFMA_M44), m42 = ifma_set(IFMA_M42);
    struct ifma_num g;
    ifma_vec c, lo, hi;
    ifma_mask take;

    for (int pass = 0; pass < 2; pass++) {
        h.v1 = IFMA_ADD(h.v1, IFMA_SHR(h.v0, 44));
        h.v0 = IFMA_AND(h.v0, m44);
        h.v2 = IFMA_ADD(h.v2, IFMA_SHR(h.v1, 44));
        h.v1 = IFMA_AND(h.v1, m44);
        c = IFMA_SHR(h.v2, 42);
        h.v2 = IFMA_AND(h.v2, m42);
        h.v0 = IFMA_ADD(h.v0, IFMA_ADD(c, IFMA_SHL(c, 2)));
    }

    g.v0 = IFMA_ADD(h.v0, ifma_set(5));
    g.v1 = IFMA_ADD(h.v1, IFMA_SHR(g.v0, 44));
    g.v2 = IFMA_ADD(h.v2, IFMA_SHR(g.v1, 44));
    take = IFMA_OP(test_epi64_mask)(g.v2, ifma_set(UINT64_C(1) << 42));
    h.v0 = IFMA_OP(mask_and_epi64)(h.v0, take, g.v0, m44);
    h.v1 = IFMA_OP(mask_and_epi64)(h.v1, take, g.v1, m44);
    h.v2 = IFMA_OP(mask_mov_epi64)(h.v2, take, g.v2);

    lo = IFMA_ADD(IFMA_OR(h.v0, IFMA_SHL(h.v1, 44)), *s_lo);
    hi = IFMA_ADD(IFMA_OR(IFMA_SHR(h.v1, 20), IFMA_SHL(h.v2, 24)), *s_hi);
    take = IFMA_OP(cmplt_epu64_mask)(lo, *s_lo); /* the low half wrapped */
    *s_hi = IFMA_OP(mask_sub_epi64)(hi, take, hi, ifma_set(UINT64_MAX));
    *s_lo = lo;
}

#endif
