/* poly1305_powers.h: powers of r in scalar code, for the vector kernels of Poly1305 (RFC 8439 section 2.5).
 *
 * A power is v0 + v1 2^44 + v2 2^88 with v0 < 2^44, v1 < 2^44 + 2^11, v2 < 2^42. */
#ifndef POLY1305_POWERS_H
#define POLY1305_POWERS_H

#include "poly1305_scalar.h"

#define POWERS_M44 UINT64_C(0xfffffffffff)
#define POWERS_M42 UINT64_C(0x3ffffffffff)

/* out = a b.
 *   d0 < 2^88 + 2 2^(44.1 + 48.4) < 2^93.7, d1 and d2 below that
 *   what stands at 2^130, d2 >> 42, is below 2^51.8; times 5 and with v0 below 2^54.2: carry below 2^10.2 */
static inline void powers_mul(uint64_t out[3], const uint64_t a[3], const uint64_t b[3])
{
    const uint64_t s1 = 20 * b[1], s2 = 20 * b[2]; /* 2^132 = 20 (mod p) */
    scalar_u128 d0 = (scalar_u128)a[0] * b[0] + (scalar_u128)a[1] * s2 + (scalar_u128)a[2] * s1;
    scalar_u128 d1 = (scalar_u128)a[0] * b[1] + (scalar_u128)a[1] * b[0] + (scalar_u128)a[2] * s2;
    scalar_u128 d2 = (scalar_u128)a[0] * b[2] + (scalar_u128)a[1] * b[1] + (scalar_u128)a[2] * b[0];
    uint64_t v0;

    d1 += (uint64_t)(d0 >> 44);
    d2 += (uint64_t)(d1 >> 44);
    v0 = ((uint64_t)d0 & POWERS_M44) + 5 * (uint64_t)(d2 >> 42);
    out[0] = v0 & POWERS_M44;
    out[1] = ((uint64_t)d1 & POWERS_M44) + (v0 >> 44);
    out[2] = (uint64_t)d2 & POWERS_M42;
}

/* w[0] + w[1] 2^64 + w[2] 2^128, w[2] <= 6, in limbs; v2 < 2^43, and < 2^40 when w[2] is 0. */
static inline void powers_from_words(uint64_t v[3], const uint64_t w[3])
{
    v[0] = w[0] & POWERS_M44;
    v[1] = (w[0] >> 44 | w[1] << 20) & POWERS_M44;
    v[2] = w[1] >> 24 | w[2] << 40;
}

/* The way back. v0 < 2^44; v1, v2 < 2^63. */
static inline void powers_to_words(uint64_t w[3], const uint64_t v[3])
{
    const uint64_t v2 = v[2] + (v[1] >> 44), v1 = v[1] & POWERS_M44;

    w[0] = v[0] | v1 << 44;
    w[1] = v1 >> 20 | v2 << 24;
    w[2] = v2 >> 40;
}

#endif
