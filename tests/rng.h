/* rng.h: the tests' random numbers: the same in every run, so that a failure comes again. */
#ifndef TESTS_RNG_H
#define TESTS_RNG_H

#include <stddef.h>
#include <stdint.h>

/* SplitMix64 (Steele, Lea, Flood 2014). Any start value is good. */
struct rng {
    uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A number below n, n > 0. */
static inline size_t rng_below(struct rng *r, size_t n)
{
    return (size_t)(rng_next(r) % n);
}

static inline void rng_fill(struct rng *r, void *p, size_t len)
{
    uint8_t *bytes = p;

    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(rng_next(r) >> 32);
}

#endif
