/* chacha_reference.h: ChaCha word by word, as RFC 8439 sections 2.1 to 2.4 tell it, for any number of rounds.
 * Shares nothing with the library. */
#ifndef TESTS_CHACHA_REFERENCE_H
#define TESTS_CHACHA_REFERENCE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void reference_quarter(uint32_t x[16], int a, int b, int c, int d)
{
    static const int turns[4] = {16, 12, 8, 7};

    for (int i = 0; i < 4; i++) {
        int sum = i % 2 ? c : a, added = i % 2 ? d : b, turned = i % 2 ? b : d;

        x[sum] += x[added];
        x[turned] ^= x[sum];
        x[turned] = x[turned] << turns[i] | x[turned] >> (32 - turns[i]);
    }
}

static inline uint32_t reference_word(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Block number counter of the stream. */
static inline void reference_block(uint8_t out[64], int rounds, const uint8_t key[32],
                                   const uint8_t nonce[12], uint32_t counter)
{
    static const uint8_t constant[] = "expand 32-byte k";
    uint32_t in[16], x[16];

    for (int i = 0; i < 4; i++)
        in[i] = reference_word(constant + 4 * i);
    for (int i = 0; i < 8; i++)
        in[4 + i] = reference_word(key + 4 * i);
    in[12] = counter;
    for (int i = 0; i < 3; i++)
        in[13 + i] = reference_word(nonce + 4 * i);
    memcpy(x, in, sizeof x);
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < 4; i++) {
            int shift = round % 2; /* columns, then diagonals */

            reference_quarter(x, i, 4 + (i + shift) % 4, 8 + (i + 2 * shift) % 4, 12 + (i + 3 * shift) % 4);
        }
    for (int i = 0; i < 64; i++)
        out[i] = (uint8_t)((x[i / 4] + in[i / 4]) >> 8 * (i % 4));
}

/* dst = src XOR stream; the counter wraps at 2^32. */
static inline void reference_xor(uint8_t *dst, const uint8_t *src, size_t len, int rounds,
                                 const uint8_t key[32], const uint8_t nonce[12], uint32_t counter)
{
    uint8_t block[64];

    for (size_t i = 0; i < len; i++) {
        if (i % 64 == 0)
            reference_block(block, rounds, key, nonce, counter++);
        dst[i] = src[i] ^ block[i % 64];
    }
}

#endif
