/* vec_generic.h: the vocabulary of chacha_blocks.h in the vector extension of GCC and Clang, for whatever
 * registers of 128 bits the machine's baseline has. */
#ifndef CHACHA_VEC_GENERIC_H
#define CHACHA_VEC_GENERIC_H

#include <stdint.h>
#include <string.h>

typedef uint32_t vec __attribute__((vector_size(16)));
#define LANES 4

#ifdef __clang__
#define vec_pick(v, w, a, b, c, d) __builtin_shufflevector(v, w, a, b, c, d)
#else
#define vec_pick(v, w, a, b, c, d) __builtin_shuffle(v, w, (vec){a, b, c, d})
#endif

#define vec_add(v, w) ((v) + (w))
#define vec_xor(v, w) ((v) ^ (w))
#define vec_rotl(v, n) ((v) << (n) | (v) >> (32 - (n)))
#define vec_iota() ((vec){0, 1, 2, 3})
#define vec_lo32(v, w) vec_pick(v, w, 0, 4, 1, 5)
#define vec_hi32(v, w) vec_pick(v, w, 2, 6, 3, 7)
#define vec_lo64(v, w) vec_pick(v, w, 0, 1, 4, 5)
#define vec_hi64(v, w) vec_pick(v, w, 2, 3, 6, 7)
#define vec_end() ((void)0)

static inline __attribute__((always_inline)) vec vec_set1(uint32_t w)
{
    return (vec){w, w, w, w};
}

static inline __attribute__((always_inline)) vec vec_load(const uint8_t *p)
{
    vec v;

    memcpy(&v, p, sizeof v);
    return v;
}

static inline __attribute__((always_inline)) void vec_store(uint8_t *p, vec v)
{
    memcpy(p, &v, sizeof v);
}

static inline __attribute__((always_inline)) void vec_gather(vec out[4], const vec q[4])
{
    memcpy(out, q, 4 * sizeof q[0]);
}

#endif
