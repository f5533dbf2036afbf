/* chacha_round.h: the quarter round of RFC 8439 section 2.1. Used by the portable code and by scalar code
 * beside vector kernels. */
#ifndef CHACHA_ROUND_H
#define CHACHA_ROUND_H

#include <stdint.h>

static inline uint32_t chacha_rotl(uint32_t v, int n)
{
    return v << n | v >> (32 - n);
}

static inline void chacha_quarter_round(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
    *a += *b, *d = chacha_rotl(*d ^ *a, 16);
    *c += *d, *b = chacha_rotl(*b ^ *c, 12);
    *a += *b, *d = chacha_rotl(*d ^ *a, 8);
    *c += *d, *b = chacha_rotl(*b ^ *c, 7);
}

#endif
