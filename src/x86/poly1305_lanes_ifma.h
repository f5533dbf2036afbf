/* poly1305_lanes_ifma.h: groups and edges for poly1305_lanes.h in 44-bit limbs. */
#ifndef POLY1305_LANES_IFMA_H
#define POLY1305_LANES_IFMA_H

#define IFMA_BITS (64 * POLY1305_LANES)
#include "poly1305_ifma.h"

#define LANES_LIMBS 3
#define lanes_num ifma_num
#define lanes_power ifma_power
#define lanes_acc ifma_acc
#define lanes_add ifma_add
#define lanes_mac ifma_mac
#define lanes_carry ifma_carry
#define lanes_zero ifma_zero

static inline void lanes_limbs(uint64_t limb[3], const uint64_t v[3])
{
    memcpy(limb, v, 24);
}

LANES_INLINE struct ifma_num lanes_broadcast(const uint64_t limb[3])
{
    return (struct ifma_num){ifma_set(limb[0]), ifma_set(limb[1]), ifma_set(limb[2])};
}

LANES_INLINE struct ifma_num lanes_load(const uint64_t *limb, size_t stride)
{
    return (struct ifma_num){IFMA_OP(loadu_epi64)(limb), IFMA_OP(loadu_epi64)(limb + stride),
                             IFMA_OP(loadu_epi64)(limb + 2 * stride)};
}

LANES_INLINE struct ifma_num lanes_group(const uint8_t *p)
{
    const ifma_vec a = IFMA_OP(loadu_epi64)(p), b = IFMA_OP(loadu_epi64)(p + LANES_GROUP / 2);

    return ifma_block(IFMA_OP(unpacklo_epi64)(a, b), IFMA_OP(unpackhi_epi64)(a, b));
}

#if IFMA_BITS == 512
typedef __mmask64 ifma_bytes;
#define IFMA_LAST_BLOCK(x) _mm512_maskz_broadcast_i32x4(0xf000, x)
#else
typedef __mmask32 ifma_bytes;
#define IFMA_LAST_BLOCK(x) _mm256_maskz_broadcast_i32x4(0xf0, x)
#endif

/* The bytes from .. to - 1 of a vector that begins at byte first of its group. */
static inline ifma_bytes lanes_bytes(size_t first, size_t from, size_t to)
{
    const size_t width = IFMA_BITS / 8;
    const size_t a = from > first ? from - first : 0, b = to > first ? to - first : 0;

    if (a >= width || b == 0)
        return 0;
    return (ifma_bytes)((b >= width ? UINT64_MAX : (UINT64_C(1) << b) - 1) & (UINT64_MAX << a));
}

/* A group of one block, len <= 16 bytes and zeros. */
LANES_INLINE struct ifma_num lanes_one_block(const uint8_t *p, size_t len)
{
    const ifma_vec z = IFMA_LOGIC(setzero)();
    const ifma_vec x = IFMA_LAST_BLOCK(_mm_maskz_loadu_epi8((__mmask16)((1U << len) - 1), p));

    return ifma_block_in(lanes_of_last[1], IFMA_OP(unpacklo_epi64)(z, x), IFMA_OP(unpackhi_epi64)(z, x));
}

LANES_INLINE struct ifma_num lanes_edge(const uint8_t *p, size_t len, struct lanes_end end)
{
    const size_t n_blocks = (len + 15) / 16 + end.n_lengths;
    const size_t from = LANES_GROUP - 16 * n_blocks, to = from + len, half = LANES_GROUP / 2;
    const uint8_t *base = (const uint8_t *)((uintptr_t)p - from); /* masked bytes are not touched */
    ifma_vec a = IFMA_OP(maskz_loadu_epi8)(lanes_bytes(0, from, to), base);
    ifma_vec b = IFMA_OP(maskz_loadu_epi8)(lanes_bytes(half, from, to), base + half);
    ifma_mask lanes = lanes_of_last[n_blocks];

    if (end.plain && len % 16 != 0) {
        const ifma_vec one = IFMA_OP(set1_epi8)(1);

        lanes = lanes_of_last[n_blocks] & (ifma_mask)~lanes_of_last[1];
        a = IFMA_OP(mask_mov_epi8)(a, lanes_bytes(0, to, to + 1), one);
        b = IFMA_OP(mask_mov_epi8)(b, lanes_bytes(half, to, to + 1), one);
    }
    if (end.n_lengths != 0) {
        b = IFMA_OP(mask_set1_epi64)(b, 1 << (LANES - 2), (long long)end.lengths[0]);
        b = IFMA_OP(mask_set1_epi64)(b, 1 << (LANES - 1), (long long)end.lengths[1]);
    }
    return ifma_block_in(lanes, IFMA_OP(unpacklo_epi64)(a, b), IFMA_OP(unpackhi_epi64)(a, b));
}

static inline uint64_t lanes_add_up(ifma_vec v)
{
#if IFMA_BITS == 512
    return (uint64_t)_mm512_reduce_add_epi64(v);
#else
    const __m128i x = _mm_add_epi64(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));

    return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(x, _mm_unpackhi_epi64(x, x)));
#endif
}

/* Two products: lo < 6 2^52, hi < 6 2^42.4, and hi2 comes back as in ifma_carry_at_once, so the sums of
 * eight lanes are below 2^60.4, 2^58.3 and 2^58.3. The top word is below 2^19 at first; what stands above
 * 2^130 comes back times 5 (see scalar_step). */
LANES_INLINE void lanes_sum(uint64_t w[3], const struct ifma_acc *acc)
{
    const uint64_t v0 =
        lanes_add_up(IFMA_ADD(acc->lo0, IFMA_ADD(IFMA_SHL(acc->hi2, 12), IFMA_SHL(acc->hi2, 10))));
    const uint64_t v1 = lanes_add_up(IFMA_ADD(acc->lo1, IFMA_SHL(acc->hi0, 8)));
    const uint64_t v2 = lanes_add_up(IFMA_ADD(acc->lo2, IFMA_SHL(acc->hi1, 8)));
    const struct scalar_wide low = scalar_add((struct scalar_wide){v0, v1 >> 20}, v1 << 44, v2 << 24);
    const uint64_t top = (v2 >> 40) + (low.hi < v2 << 24);
    const struct scalar_wide all = scalar_add(low, (top & ~UINT64_C(3)) + (top >> 2), 0);

    w[0] = all.lo;
    w[1] = all.hi;
    w[2] = (top & 3) + (all.hi < low.hi);
    _mm256_zeroupper(); /* at -Os GCC does not care for it */
}

#endif
