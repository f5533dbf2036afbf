/* poly1305_hard.h: what the tests of Poly1305's parts (poly1305_parts.h) drive them with. */
#ifndef TESTS_POLY1305_HARD_H
#define TESTS_POLY1305_HARD_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <sealane/cpu.h>

#include "bigpoly.h"
#include "rng.h"

static const uint8_t zero[17], one[17] = {1};
static const unsigned words_at[3] = {0, 64, 128};

/* h += a number; h *= r. */
static inline void add(struct bigpoly *b, const uint8_t x[17])
{
    bigpoly_mul_add(b->h, x, one, b->h);
}

static inline void multiply(struct bigpoly *b)
{
    uint8_t r[17] = {0};

    memcpy(r, b->r, 16);
    bigpoly_mul_add(b->h, b->h, r, zero);
}

/* ------------------------------------------------------------------------------------- hard numbers
 *
 * Numbers mod p at which a carry runs through a whole word or limb, or what is not yet reduced lies between p
 * and 2^130 or above: around 0, around the bounds of words, and around those of limbs. */
static const uint64_t hard_words[][3] = {
#define AROUND(w0, w1, w2)                                                                                   \
    {w0, w1, w2}, {w0, w1, (w2) + 1},                                                                        \
    {                                                                                                        \
        w0, w1, (w2) + 2                                                                                     \
    }
    {0, 0, 0},
    {1, 0, 0},
    {2, 0, 0},
    {3, 0, 0},
    {4, 0, 0},
    {5, 0, 0},
    {6, 0, 0},
    {7, 0, 0},
    {9, 0, 0},
    {10, 0, 0},
    {14, 0, 0},
    {19, 0, 0},
    {100, 0, 0},
    {1000, 0, 0},
    {0x10000, 0, 0},
    {0x8000000, 0, 0},
    {UINT64_C(1) << 56, 0, 0},
    {UINT64_MAX - 4, UINT64_MAX, 3}, /* p is {UINT64_MAX - 4, UINT64_MAX, 3} and so 0 */
    {UINT64_MAX - 5, UINT64_MAX, 3},
    {UINT64_MAX - 6, UINT64_MAX, 3},
    {UINT64_MAX - 9, UINT64_MAX, 3},
    AROUND(UINT64_MAX, UINT64_MAX, 0),
    AROUND(UINT64_MAX - 4, UINT64_MAX, 0),
    AROUND(UINT64_MAX, 0, 0),
    AROUND(UINT64_MAX - 4, 0, 0),
    AROUND(0, 0, 1),
    AROUND(3, 0, 1),
    AROUND(1000, 0, 1),
    AROUND(UINT64_C(1) << 56, 0, 1),
    AROUND(0, 1, 0),
    AROUND(3, 1, 1),
    AROUND(1000, 1, 0),
    AROUND(0, UINT64_MAX, 0),
    AROUND(7, UINT64_MAX, 0),
    AROUND(200, 0xabcdef, 1),
    AROUND(UINT64_C(0x5a5100000000007), UINT64_C(0x123456789abcdef), 0), /* a low limb of little */
    AROUND(UINT64_C(0x5a5100000000400), UINT64_C(0x123456789abcdef), 0),
    AROUND(UINT64_C(0x5a5ffffffffffff), UINT64_C(0x123456789abcdef), 0),
    AROUND(UINT64_C(0x00089abcdef1234), UINT64_C(0x123456789000000), 0), /* a middle one */
    AROUND(UINT64_C(0x60089abcdef1234), UINT64_C(0x123456789000000), 0),
    AROUND(UINT64_C(0xfff89abcdef1234), UINT64_C(0x123456789ffffff), 0),
    AROUND(UINT64_C(0xdef123489abcdef), UINT64_C(0x0000000123456789), 1), /* an upper one */
#undef AROUND
};

#define N_HARD (sizeof hard_words / sizeof hard_words[0])

static inline void hard(uint8_t x[17], size_t i)
{
    bigpoly_from_limbs(x, hard_words[i], words_at, 3);
}

/* Keys: every limb of r at its maximum, r of one bit, or random. */
static inline void hard_key(uint8_t key[32], struct rng *rng, unsigned kind)
{
    rng_fill(rng, key, 32);
    if (kind % 4 == 0)
        memset(key, 0xff, 16);
    if (kind % 4 == 1) {
        memset(key, 0, 16);
        key[rng_below(rng, 2) * 8] = 4;
    }
    if (kind % 3 == 0)
        memset(key + 16, 0xff, 16);
}

static inline void clamped(uint64_t r[2], uint64_t s[2], const uint8_t key[32])
{
    struct bigpoly b;

    bigpoly_init(&b, key);
    memcpy(r, b.r, 16);
    memcpy(s, b.s, 16);
}

/* Can this machine run it? Else says why not. */
static inline int can_run(uint32_t level, const char *what)
{
    const uint32_t missing = level & ~sealane_cpu_found();

    if (missing != 0)
        printf("skipped: %s needs features %#x, this machine lacks %#x of them\n", what, (unsigned)level,
               (unsigned)missing);
    return missing == 0;
}

#endif
