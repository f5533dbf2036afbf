/* poly1305_lanes_avx2.h: groups and edges for poly1305_lanes.h in 26-bit limbs. */
#ifndef POLY1305_LANES_AVX2_H
#define POLY1305_LANES_AVX2_H

#include "poly1305_limb26.h"

#define LANES_LIMBS 5
#define lanes_num limb26_num
#define lanes_power limb26_power
#define lanes_acc limb26_acc
#define lanes_add limb26_add
#define lanes_mac limb26_mac
#define lanes_carry limb26_carry
#define lanes_zero limb26_zero

static inline void lanes_limbs(uint64_t limb[5], const uint64_t v[3])
{
    uint64_t w[3];

    powers_to_words(w, v);
    limb[0] = w[0] & LIMB26_M26;
    limb[1] = w[0] >> 26 & LIMB26_M26;
    limb[2] = (w[0] >> 52 | w[1] << 12) & LIMB26_M26;
    limb[3] = w[1] >> 14 & LIMB26_M26;
    limb[4] = w[1] >> 40 | w[2] << 24; /* w[2] <= 4 */
}

LANES_INLINE struct limb26_num lanes_broadcast(const uint64_t limb[5])
{
    struct limb26_num n;

    for (int i = 0; i < 5; i++)
        n.v[i] = limb26_set(limb[i]);
    return n;
}

LANES_INLINE __m256i lanes_vec(const void *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

LANES_INLINE struct limb26_num lanes_load(const uint64_t *limb, size_t stride)
{
    struct limb26_num n;

    for (size_t i = 0; i < 5; i++)
        n.v[i] = lanes_vec(limb + i * stride);
    return n;
}

LANES_INLINE struct limb26_num lanes_group_in(const uint8_t *p, __m256i top)
{
    const __m256i a = lanes_vec(p), b = lanes_vec(p + LANES_GROUP / 2);

    return limb26_block(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b), top);
}

LANES_INLINE struct limb26_num lanes_group(const uint8_t *p)
{
    return lanes_group_in(p, limb26_set(UINT64_C(1) << 24));
}

LANES_INLINE struct limb26_num lanes_edge(const uint8_t *p, size_t len, struct lanes_end end)
{
    const size_t n_blocks = (len + 15) / 16 + end.n_lengths;
    const size_t from = LANES_GROUP - 16 * n_blocks, to = from + len;
    uint8_t group[LANES_GROUP] = {0};
    unsigned lanes = lanes_of_last[n_blocks];
    uint64_t top[LANES];
    struct limb26_num x;

    copy_bytes(group + from, p, len);
    if (end.plain && len % 16 != 0) {
        group[to] = 1;
        lanes &= ~(unsigned)lanes_of_last[1];
    }
    if (end.n_lengths != 0)
        memcpy(group + LANES_GROUP - 16, end.lengths, 16);
    for (int i = 0; i < LANES; i++)
        top[i] = (uint64_t)(lanes >> i & 1) << 24;
    x = lanes_group_in(group, lanes_vec(top));
    secret_wipe(group, sizeof group);
    return x;
}

LANES_INLINE struct limb26_num lanes_one_block(const uint8_t *p, size_t len)
{
    const struct lanes_end none = {{0, 0}, 0, 0};

    return lanes_edge(p, len, none);
}

/* The sums are below 4 (2^26 + 2^12) < 2^28.1. The first pass of carries brings 5 2^2.1 back at most; the
 * second leaves every limb in its range, as for the 44-bit limbs. */
LANES_INLINE void lanes_sum(uint64_t w[3], const struct limb26_acc *acc)
{
    const struct limb26_num h = limb26_carry(acc);
    uint64_t v[5], c;

    for (int i = 0; i < 5; i++) {
        const __m128i x = _mm_add_epi64(_mm256_castsi256_si128(h.v[i]), _mm256_extracti128_si256(h.v[i], 1));

        v[i] = (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(x, _mm_unpackhi_epi64(x, x)));
    }
    for (int pass = 0; pass < 2; pass++) {
        c = 0;
        for (int i = 0; i < 5; i++) {
            v[i] += c;
            c = v[i] >> 26;
            v[i] &= LIMB26_M26;
        }
        v[0] += 5 * c;
    }
    w[0] = v[0] | v[1] << 26 | v[2] << 52;
    w[1] = v[2] >> 12 | v[3] << 14 | v[4] << 40;
    w[2] = v[4] >> 24;
    _mm256_zeroupper(); /* at -Os GCC does not care for it */
}

#endif
