/* poly1305_tree.h: Poly1305 (RFC 8439 section 2.5) of a message of few blocks, where the powers of r would
 * take as long as the blocks: pairs of neighbours are folded, x r + y, then pairs of those with r^2, r^4 and
 * so on, while each power is squared beside the folds. As many levels as the number of blocks has bits, each
 * the latency of one product; what found no neighbour is folded in last. Included by the AEAD kernels for
 * short messages; IFMA in ymm, four lanes.
 *
 * The blocks stand in memory, TREE_BLOCKS of them, aligned to their end: zeros that count for nothing, the
 * blocks, and a last one of zeros, which stands for the multiplication by r that ends a MAC. Vector v holds
 * the blocks v, v + 2 n, v + n, v + 3 n of 4 n: so vectors fold with their neighbours until one is left, and
 * its halves are neighbours again. */
#ifndef POLY1305_TREE_H
#define POLY1305_TREE_H

#define IFMA_BITS 256
#include "poly1305_ifma.h"
#include "poly1305_powers.h"

/* Blocks v, v + 2 n, v + n, v + 3 n at p, of which those from `first` on, but for the last of all, count. */
IFMA_INLINE struct ifma_num tree_blocks(const uint8_t *p, size_t n, size_t v, size_t first)
{
    const __m128i *block = (const __m128i *)(const void *)p + v;
    const __m256i a =
        _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_load_si128(block)), _mm_load_si128(block + n), 1);
    const __m256i b = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_load_si128(block + 2 * n)),
                                              _mm_load_si128(block + 3 * n), 1);
    const long long at = (long long)v, step = (long long)n;
    const __m256i place = _mm256_setr_epi64x(at, at + 2 * step, at + step, at + 3 * step);
    ifma_mask counts = _mm256_cmpge_epi64_mask(place, _mm256_set1_epi64x((long long)first));

    if (v + 1 == n)
        counts &= 7;
    return ifma_block_in(counts, _mm256_maskz_unpacklo_epi64(counts, a, b),
                         _mm256_maskz_unpackhi_epi64(counts, a, b));
}

/* Vectors v and v + 1, folded. */
IFMA_INLINE struct ifma_num tree_pair(const uint8_t *p, size_t n, size_t v, size_t first,
                                      const struct ifma_power *by_r)
{
    return ifma_fold(tree_blocks(p, n, v, first), by_r, tree_blocks(p, n, v + 1, first));
}

/* The lanes of a half, in its low lanes. */
IFMA_INLINE struct ifma_num tree_upper_half(struct ifma_num a)
{
    return (struct ifma_num){_mm256_castsi128_si256(_mm256_extracti128_si256(a.v0, 1)),
                             _mm256_castsi128_si256(_mm256_extracti128_si256(a.v1, 1)),
                             _mm256_castsi128_si256(_mm256_extracti128_si256(a.v2, 1))};
}

IFMA_INLINE struct ifma_num tree_second_lane(struct ifma_num a)
{
    return (struct ifma_num){_mm256_unpackhi_epi64(a.v0, a.v0), _mm256_unpackhi_epi64(a.v1, a.v1),
                             _mm256_unpackhi_epi64(a.v2, a.v2)};
}

/* The value of the blocks in 4 n places at p as words, below 2^130 + 2^5: those from `first` on count. n: 2,
 * 4, 5, 6, 8 or 9. r: clamped, in every lane. */
IFMA_INLINE void tree_value(uint64_t w[3], const uint8_t *p, size_t n, size_t first, struct ifma_num r)
{
    const struct ifma_power by_r = ifma_power(r);
    struct ifma_power by_r2, power;
    struct ifma_num x[4], h;
    uint64_t v[3], c;

    r = ifma_square(r, &by_r);
    by_r2 = power = ifma_power(r);
    x[0] = tree_pair(p, n, 0, first, &by_r); /* no loop: Clang would keep the places in vectors */
    if (n >= 4)
        x[1] = tree_pair(p, n, 2, first, &by_r);
    if (n >= 6)
        x[2] = tree_pair(p, n, 4, first, &by_r);
    if (n >= 8)
        x[3] = tree_pair(p, n, 6, first, &by_r);
#pragma GCC unroll 2
    for (size_t left = n / 4; left >= 1; left /= 2) {
        r = ifma_square(r, &power);
#pragma GCC unroll 2
        for (size_t i = 0; i < left; i++)
            x[i] = ifma_fold(x[2 * i], &power, x[2 * i + 1]);
        power = ifma_power(r);
    }
    h = x[0];
    if (n == 6) { /* x[2] was left */
        h = ifma_fold(h, &by_r2, x[2]);
        r = ifma_fold(r, &by_r2, ifma_zero());
        power = ifma_power(r);
    }
    if (n % 2 == 1) { /* a vector was left */
        h = ifma_fold(h, &by_r, tree_blocks(p, n, n - 1, first));
        r = ifma_fold(r, &by_r, ifma_zero());
        power = ifma_power(r);
    }
    h = ifma_fold(h, &power, tree_upper_half(h));
    power = ifma_power(ifma_square(r, &power));
    h = ifma_fold(h, &power, tree_second_lane(h));
    v[0] = (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(h.v0));
    v[1] = (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(h.v1));
    v[2] = (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(h.v2));
    v[1] += v[0] >> 44;
    v[0] &= IFMA_M44;
    powers_to_words(w, v);
    _mm256_zeroupper();  /* at -Os GCC does not care for it */
    c = 5 * (w[2] >> 2); /* w[2] <= 16 */
    w[0] += c;
    c = w[0] < c;
    w[1] += c;
    w[2] = (w[2] & 3) + (w[1] < c);
}

/* The tag of those blocks. The one-time key: r, not yet clamped, its halves in every lane; s. */
IFMA_INLINE void tree_tag(uint8_t tag[16], const uint8_t *p, size_t n, size_t first, __m256i r_lo,
                          __m256i r_hi, uint64_t s_lo, uint64_t s_hi)
{
    struct poly1305_core core;

    tree_value(core.h, p, n, first, ifma_clamp(r_lo, r_hi));
    core.s[0] = s_lo;
    core.s[1] = s_hi;
    scalar_finish(&core, tag);
}

#endif
