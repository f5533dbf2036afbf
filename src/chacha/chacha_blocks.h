/* chacha_blocks.h: ChaCha (RFC 8439 section 2.4), LANES blocks at a time in columns: vector i holds word i of
 * every block. One text for every vector width; an instance includes it behind the vocabulary of its width:
 *
 *   vec, LANES             a vector of LANES 32-bit words
 *   vec_add, vec_xor       on 32-bit words
 *   vec_rotl(v, n)         each word to the left; n is a constant
 *   vec_set1(w)            w in all lanes
 *   vec_iota()             0, 1, 2, ..
 *   vec_lo32, vec_hi32, vec_lo64, vec_hi64   interleave words or pairs of them within 128-bit lanes
 *   vec_gather(out, q)     four vectors q as one matrix of 128-bit lanes, transposed
 *   vec_load(p), vec_store(p, v)             unaligned
 *   vec_end()              vzeroupper, where the width wants it
 *
 * Loops over the words are unrolled and no index is a variable, so that the state stays in registers as far
 * as there are any. */
#ifndef CHACHA_BLOCKS_H
#define CHACHA_BLOCKS_H

#include <string.h>

#include "chacha_kernels.h"
#include "secret.h"

#define INLINE static inline __attribute__((always_inline))
#define UNROLLED _Pragma("GCC unroll 16")

#define SWEEP_LEN (64 * (size_t)LANES)
#define VEC_LEN (4 * (size_t)LANES)

/* One step of quarter round i: row p += row q, row t = (row t ^ row p) <<< n; k turns the rows into
 * diagonals. */
#define BLOCKS_STEP(p, q, t, n, k)                                                                           \
    do {                                                                                                     \
        UNROLLED for (int i = 0; i < 4; i++) x[4 * p + ((i + k * p) & 3)] =                                  \
            vec_add(x[4 * p + ((i + k * p) & 3)], x[4 * q + ((i + k * q) & 3)]);                             \
        UNROLLED for (int i = 0; i < 4; i++) x[4 * t + ((i + k * t) & 3)] =                                  \
            vec_xor(x[4 * t + ((i + k * t) & 3)], x[4 * p + ((i + k * p) & 3)]);                             \
        UNROLLED for (int i = 0; i < 4; i++) x[4 * t + ((i + k * t) & 3)] =                                  \
            vec_rotl(x[4 * t + ((i + k * t) & 3)], n);                                                       \
    } while (0)

#define BLOCKS_ROUND(k)                                                                                      \
    do {                                                                                                     \
        BLOCKS_STEP(0, 1, 3, 16, k);                                                                         \
        BLOCKS_STEP(2, 3, 1, 12, k);                                                                         \
        BLOCKS_STEP(0, 1, 3, 8, k);                                                                          \
        BLOCKS_STEP(2, 3, 1, 7, k);                                                                          \
    } while (0)

/* The keystream of LANES blocks, as words; words 12 .. 15 of the input come in as vectors. */
INLINE void blocks_keystream(vec x[16], const uint32_t key[12], const vec nonce[4], int rounds)
{
    UNROLLED for (int i = 0; i < 12; i++) x[i] = vec_set1(key[i]);
    UNROLLED for (int i = 0; i < 4; i++) x[12 + i] = nonce[i];
    for (; rounds > 0; rounds -= 2) {
        BLOCKS_ROUND(0);
        BLOCKS_ROUND(1);
    }
    UNROLLED for (int i = 0; i < 12; i++) x[i] = vec_add(x[i], vec_set1(key[i]));
    UNROLLED for (int i = 0; i < 4; i++) x[12 + i] = vec_add(x[12 + i], nonce[i]);
}

/* Blocks j, 4 + j, .. out of the words' vectors: out[] holds their bytes one after another. */
INLINE void blocks_of(vec out[4], const vec x[16], int j)
{
    vec q[4];

    UNROLLED for (int g = 0; g < 4; g++)
    {
        vec ab = j < 2 ? vec_lo32(x[4 * g], x[4 * g + 1]) : vec_hi32(x[4 * g], x[4 * g + 1]);
        vec cd = j < 2 ? vec_lo32(x[4 * g + 2], x[4 * g + 3]) : vec_hi32(x[4 * g + 2], x[4 * g + 3]);

        q[g] = j % 2 == 0 ? vec_lo64(ab, cd) : vec_hi64(ab, cd);
    }
    vec_gather(out, q);
}

/* dst = src ^ keystream, len bytes: 1, 2, 4, 8, 16 or 32, a constant. */
INLINE void blocks_xor_few(uint8_t *dst, const uint8_t *src, const uint8_t *keystream, size_t len)
{
    uint64_t s[4] = {0}, k[4] = {0};

    memcpy(s, src, len);
    memcpy(k, keystream, len);
    UNROLLED for (size_t i = 0; i < (len + 7) / 8; i++) s[i] ^= k[i];
    memcpy(dst, s, len);
}

/* dst = src ^ keystream, n bytes, n < 64: the powers of two that n is made of. */
INLINE void blocks_short(uint8_t *dst, const uint8_t *src, const uint8_t *keystream, size_t n)
{
    size_t at = 0;

    UNROLLED for (size_t step = 32; step != 0; step /= 2)
    {
        if ((n & step) != 0) {
            blocks_xor_few(dst + at, src + at, keystream + at, step);
            at += step;
        }
    }
}

/* Lanes' block numbers and nonce. */
INLINE void blocks_nonce(vec nonce[4], const uint32_t state[16], uint32_t counter)
{
    nonce[0] = vec_add(vec_set1(counter), vec_iota());
    UNROLLED for (int i = 1; i < 4; i++) nonce[i] = vec_set1(state[12 + i]);
}

/* Multiples of SWEEP_LEN bytes. */
INLINE void blocks_xor_whole(uint8_t *dst, const uint8_t *src, size_t len, const uint32_t state[16],
                             int rounds)
{
    uint32_t counter = state[12];

    for (; len != 0; len -= SWEEP_LEN, dst += SWEEP_LEN, src += SWEEP_LEN, counter += LANES) {
        vec x[16], out[4], nonce[4];

        blocks_nonce(nonce, state, counter);
        blocks_keystream(x, state, nonce, rounds);
        UNROLLED for (int j = 0; j < 4; j++)
        {
            blocks_of(out, x, j);
            UNROLLED for (int i = 0; i < 4; i++)
            {
                size_t at = 64 * (4 * ((size_t)i * LANES / 16) + (size_t)j) + (size_t)i * VEC_LEN % 64;

                vec_store(dst + at, vec_xor(vec_load(src + at), out[i]));
            }
        }
    }
    vec_end();
}

/* dst = src ^ keystream, 1 .. SWEEP_LEN bytes; wipes the keystream. */
INLINE void blocks_xor_stream(uint8_t *dst, const uint8_t *src, size_t len, uint8_t keystream[SWEEP_LEN])
{
    size_t at = 0;

    for (; len - at >= 64; at += 64)
        UNROLLED for (size_t i = 0; i < 64; i += VEC_LEN)
            vec_store(dst + at + i, vec_xor(vec_load(src + at + i), vec_load(keystream + at + i)));
    blocks_short(dst + at, src + at, keystream + at, len - at);
    vec_end();
    secret_wipe(keystream, SWEEP_LEN);
}

/* 1 .. SWEEP_LEN bytes. The keystream waits in memory for what comes out of the transpose out of order. */
INLINE void blocks_xor_part(uint8_t *dst, const uint8_t *src, size_t len, const uint32_t state[16],
                            int rounds)
{
    vec x[16], out[4], nonce[4];
    uint8_t keystream[SWEEP_LEN];

    blocks_nonce(nonce, state, state[12]);
    blocks_keystream(x, state, nonce, rounds);
    UNROLLED for (int j = 0; j < 4; j++)
    {
        blocks_of(out, x, j);
        UNROLLED for (int i = 0; i < 4; i++)
            vec_store(keystream + 64 * (4 * (i * LANES / 16) + j) + (size_t)i * VEC_LEN % 64, out[i]);
    }
    blocks_xor_stream(dst, src, len, keystream);
}

#endif
