/* poly1305_scalar.h: Poly1305 in scalar C, RFC 8439 section 2.5. Included by poly1305_portable.c, and by
 * machines' kernels that want the same text for their short messages and built with their instructions
 * (mulx).
 *
 * With 128-bit products the accumulator is two words of 64 bits and a third of a few bits; without, five
 * limbs of 26 bits. r is clamped: its bits 28..31, 60..63, 92..95 and 124..127 and the low two bits of r1 ..
 * r3 are 0. */
#ifndef POLY1305_SCALAR_H
#define POLY1305_SCALAR_H

#include "poly1305_kernels.h"

#include "bytes.h"
#include "secret.h"

#if defined(__SIZEOF_INT128__) && !SEALANE_POLY1305_32

__extension__ typedef unsigned __int128 scalar_u128;

/* lo + hi 2^64. Carries are written as comparisons, which compilers turn into add-with-carry more readily
 * than additions of 128 bits. */
struct scalar_wide {
    uint64_t lo, hi;
};

static inline struct scalar_wide scalar_mul(uint64_t a, uint64_t b)
{
    const scalar_u128 m = (scalar_u128)a * b;

    return (struct scalar_wide){(uint64_t)m, (uint64_t)(m >> 64)};
}

static inline struct scalar_wide scalar_add(struct scalar_wide a, uint64_t lo, uint64_t hi)
{
    const uint64_t sum = a.lo + lo;

    return (struct scalar_wide){sum, a.hi + hi + (sum < lo)};
}

static inline void scalar_setup(struct poly1305_core *p, const uint8_t key[32])
{
    p->h[0] = p->h[1] = p->h[2] = 0;
    p->r[0] = load_le64(key) & UINT64_C(0x0ffffffc0fffffff);
    p->r[1] = load_le64(key + 8) & UINT64_C(0x0ffffffc0ffffffc);
    p->s[0] = load_le64(key + 16);
    p->s[1] = load_le64(key + 24);
}

/* h = (h + lo + hi * 2^64 + top * 2^128) * r, partly reduced. Before and after: h[2] <= 4.
 *
 * After the addition h0, h1 < 2^64 and h2 <= 4 + 1 + 1 = 6. r[0], r[1] < 2^60. r[1] is a multiple of 4, so
 * 2^128 * r[1] = 2^130 * (r[1] / 4) = 5 * (r[1] / 4) = s1 (mod p), s1 < 2^60.4.
 *   d0 = h0 r0 + h1 s1                    < 2^124 + 2^124.4 < 2^125.3
 *   d1 = h0 r1 + h1 r0 + h2 s1 + d0 >> 64 < 2^125 + 2^63.1  < 2^125.1
 *   d2 = h2 r0 + d1 >> 64                 < 2^62.6 + 2^61.1 < 2^63.1
 * What stands at and above 2^130, d2 >> 2, comes back times 5: c = 5 (d2 >> 2) < 2^63.5. */
static inline void scalar_step(uint64_t h[3], const uint64_t r[2], uint64_t lo, uint64_t hi, uint64_t top)
{
    const uint64_t s1 = r[1] + (r[1] >> 2);
    const uint64_t h0 = h[0] + lo, carry0 = h0 < lo;
    const uint64_t sum1 = h[1] + carry0, h1 = sum1 + hi;
    const uint64_t h2 = h[2] + (sum1 < carry0) + (h1 < hi) + top;
    const struct scalar_wide m01 = scalar_mul(h1, s1), m10 = scalar_mul(h1, r[0]);
    const struct scalar_wide d0 = scalar_add(scalar_mul(h0, r[0]), m01.lo, m01.hi);
    const struct scalar_wide sum = scalar_add(scalar_mul(h0, r[1]), m10.lo, m10.hi);
    const struct scalar_wide d1 = scalar_add(scalar_add(sum, h2 * s1, 0), d0.hi, 0);
    const uint64_t d2 = h2 * r[0] + d1.hi;
    const uint64_t c = (d2 & ~UINT64_C(3)) + (d2 >> 2);

    h[0] = d0.lo + c;
    h[1] = d1.lo + (h[0] < c);
    h[2] = (d2 & 3) + (h[1] < d1.lo);
}

/* len is a multiple of 16. A machine's file may have its own (poly1305_mulx.S). */
#ifdef SCALAR_BLOCKS
void SCALAR_BLOCKS(struct poly1305_core *p, const uint8_t *msg, size_t len);

static inline void scalar_blocks(struct poly1305_core *p, const uint8_t *msg, size_t len)
{
    if (len != 0)
        SCALAR_BLOCKS(p, msg, len);
}
#else
static inline void scalar_blocks(struct poly1305_core *p, const uint8_t *msg, size_t len)
{
    uint64_t h[3] = {p->h[0], p->h[1], p->h[2]};
    const uint64_t r[2] = {p->r[0], p->r[1]};

    for (; len >= 16; len -= 16, msg += 16)
        scalar_step(h, r, load_le64(msg), load_le64(msg + 8), 1);
    p->h[0] = h[0];
    p->h[1] = h[1];
    p->h[2] = h[2];
}
#endif

static inline void scalar_absorb(struct poly1305_core *p, const uint8_t block[16], uint64_t top)
{
    scalar_step(p->h, p->r, load_le64(block), load_le64(block + 8), top);
}

/* tag = (h mod p + s) mod 2^128. h[2] <= 4, so h < 2^130 + 2^128 < 2 p: one conditional subtraction of p =
 * 2^130 - 5 is enough, and h >= p exactly when h + 5 >= 2^130. */
static inline void scalar_finish(struct poly1305_core *p, uint8_t tag[16])
{
    const uint64_t g0 = p->h[0] + 5, carry0 = g0 < 5;
    const uint64_t g1 = p->h[1] + carry0, g2 = p->h[2] + (g1 < carry0);
    const uint64_t use_g = 0 - (g2 >> 2 & 1);
    const uint64_t h0 = (p->h[0] & ~use_g) | (g0 & use_g), h1 = (p->h[1] & ~use_g) | (g1 & use_g);
    const uint64_t lo = h0 + p->s[0];

    store_le64(tag, lo);
    store_le64(tag + 8, h1 + p->s[1] + (lo < h0));
}

#else

#define SCALAR_M26 UINT32_C(0x3ffffff)

/* limbs[0 .. 4] is h, limbs[5 .. 9] is r. */
static inline void scalar_setup(struct poly1305_core *p, const uint8_t key[32])
{
    uint32_t *r = p->limbs + 5;

    memset(p, 0, sizeof *p);
    r[0] = load_le32(key) & 0x3ffffff;
    r[1] = (load_le32(key + 3) >> 2) & 0x3ffff03;
    r[2] = (load_le32(key + 6) >> 4) & 0x3ffc0ff;
    r[3] = (load_le32(key + 9) >> 6) & 0x3f03fff;
    r[4] = (load_le32(key + 12) >> 8) & 0x00fffff;
    p->s[0] = load_le64(key + 16);
    p->s[1] = load_le64(key + 24);
}

/* h = (h + block + top * 2^128) * r. Before: h[i] < 2^26 + 2^10; after the addition below 2^27.1. r[i] < 2^26
 * and 5 r[i] < 2^28.4, so a sum of five products is below 5 * 2^55.5 < 2^58. */
static inline void scalar_absorb(struct poly1305_core *p, const uint8_t block[16], uint64_t top)
{
    uint32_t *h = p->limbs;
    const uint32_t *r = p->limbs + 5;
    uint64_t a[5], d[5], c;

    a[0] = h[0] + (load_le32(block) & SCALAR_M26);
    a[1] = h[1] + ((load_le32(block + 3) >> 2) & SCALAR_M26);
    a[2] = h[2] + ((load_le32(block + 6) >> 4) & SCALAR_M26);
    a[3] = h[3] + ((load_le32(block + 9) >> 6) & SCALAR_M26);
    a[4] = h[4] + (load_le32(block + 12) >> 8) + (top << 24);
    for (int i = 0; i < 5; i++) {
        d[i] = 0;
        for (int j = 0; j < 5; j++)
            d[i] += a[j] * (i >= j ? r[i - j] : (uint64_t)r[5 + i - j] * 5);
    }
    c = 0;
    for (int i = 0; i < 5; i++) {
        d[i] += c;
        c = d[i] >> 26; /* < 2^33 */
        h[i] = (uint32_t)d[i] & SCALAR_M26;
    }
    c = h[0] + c * 5; /* < 2^36 */
    h[0] = (uint32_t)c & SCALAR_M26;
    h[1] += (uint32_t)(c >> 26);
}

static inline void scalar_blocks(struct poly1305_core *p, const uint8_t *msg, size_t len)
{
    for (; len >= 16; len -= 16, msg += 16)
        scalar_absorb(p, msg, 1);
}

/* tag = (h mod p + s) mod 2^128. */
static inline void scalar_finish(struct poly1305_core *p, uint8_t tag[16])
{
    uint32_t *h = p->limbs, g[5], c, use_g;
    uint64_t f;

    c = 0;
    /* h[1] < 2^26 + 2^10, the others < 2^26. Where a carry leaves the top, one left h[1] and what stayed
     * there is below 2^10: the second pass ends in h[1], with every limb below 2^26. */
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 5; i++) {
            h[i] += c;
            c = h[i] >> 26;
            h[i] &= SCALAR_M26;
        }
        c *= 5;
    }
    c = 5; /* h >= 2^130 - 5 exactly when h + 5 carries out of the top limb */
    for (int i = 0; i < 5; i++) {
        g[i] = h[i] + c;
        c = g[i] >> 26;
        g[i] &= SCALAR_M26;
    }
    use_g = 0 - c;
    for (int i = 0; i < 5; i++)
        h[i] = (h[i] & ~use_g) | (g[i] & use_g);

    const uint32_t w[4] = {h[0] | h[1] << 26, h[1] >> 6 | h[2] << 20, h[2] >> 12 | h[3] << 14,
                           h[3] >> 18 | h[4] << 8};

    f = 0;
    for (int i = 0; i < 4; i++) {
        f += (uint64_t)w[i] + (uint32_t)(p->s[i / 2] >> (32 * (i % 2)));
        store_le32(tag + 4 * i, (uint32_t)f);
        f >>= 32;
    }
}

#endif

static inline void scalar_last(struct poly1305_core *p, const uint8_t *msg, size_t len)
{
    uint8_t block[16] = {0};

    memcpy(block, msg, len);
    block[len] = 1;
    scalar_absorb(p, block, 0);
    secret_wipe(block, sizeof block);
}

static inline void scalar_padded(struct poly1305_core *p, const uint8_t *msg, size_t len)
{
    size_t whole = len & ~(size_t)15;
    uint8_t block[16] = {0};

    scalar_blocks(p, msg, whole);
    if (len != whole) {
        memcpy(block, msg + whole, len - whole);
        scalar_absorb(p, block, 1);
    }
}

static inline void scalar_plain(uint8_t tag[16], const uint8_t key[32], const uint8_t *msg, size_t len)
{
    struct poly1305_core p;
    size_t whole = len & ~(size_t)15;

    scalar_setup(&p, key);
    scalar_blocks(&p, msg, whole);
    if (len != whole)
        scalar_last(&p, msg + whole, len - whole);
    scalar_finish(&p, tag);
    secret_wipe(&p, sizeof p);
}

/* The end of an AEAD message: p has absorbed the AAD and len bytes of text. */
static inline void scalar_lengths(struct poly1305_core *p, uint8_t tag[16], size_t aad_len, size_t len)
{
    uint8_t lengths[16];

    store_le64(lengths, aad_len);
    store_le64(lengths + 8, len);
    scalar_blocks(p, lengths, 16);
    scalar_finish(p, tag);
}

static inline void scalar_aead(uint8_t tag[16], const uint8_t key[32], const uint8_t *aad, size_t aad_len,
                               const uint8_t *text, size_t len)
{
    struct poly1305_core p;

    scalar_setup(&p, key);
    scalar_padded(&p, aad, aad_len);
    scalar_padded(&p, text, len);
    scalar_lengths(&p, tag, aad_len, len);
    secret_wipe(&p, sizeof p);
}

#endif
