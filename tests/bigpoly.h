/* bigpoly.h: Poly1305 as plain arithmetic on big integers, to compare every implementation with.
 *
 * Simple on purpose: numbers are arrays of bytes and the product is the schoolbook's. Nothing is shared with
 * the library, and every number is fully reduced after every block.
 */
#ifndef TESTS_BIGPOLY_H
#define TESTS_BIGPOLY_H

#include <stddef.h>
#include <stdint.h>

/* The accumulator, a number below p = 2^130 - 5, little-endian; and the clamped r. */
struct bigpoly {
    uint8_t h[17];
    uint8_t r[16];
    uint8_t s[16];
};

void bigpoly_init(struct bigpoly *b, const uint8_t key[32]);

/* h = (h + block + 2^(8 len)) * r mod p; len 1 .. 16. */
void bigpoly_block(struct bigpoly *b, const uint8_t *block, size_t len);

/* tag = (h + s) mod 2^128. */
void bigpoly_tag(const struct bigpoly *b, uint8_t tag[16]);

/* The tag of a whole message (RFC 8439 section 2.5). */
void bigpoly_mac(uint8_t tag[16], const uint8_t *msg, size_t len, const uint8_t key[32]);

/* The tag of an AEAD message (RFC 8439 section 2.8): aad | pad16 | text | pad16 | le64(aad_len) | le64(len).
 */
void bigpoly_aead(uint8_t tag[16], const uint8_t key[32], const uint8_t *aad, size_t aad_len,
                  const uint8_t *text, size_t len);

/* Finds the one block that makes the accumulator equal to target (a number below p) after it, when there is
 * one: h + block + 2^128 = target / r mod p. Returns 1 and the block, or 0 (then no 16-byte block leads
 * there). r must not be 0. With this every value of h can be driven to where it hurts. */
int bigpoly_block_to(const struct bigpoly *b, const uint8_t target[17], uint8_t block[16]);

/* out = (v[0] 2^at[0] + .. + v[n-1] 2^at[n-1]) mod p, for what has words or limbs of its own. at[i] < 200. */
void bigpoly_from_limbs(uint8_t out[17], const uint64_t *v, const unsigned *at, size_t n);

/* out = (a b + c) mod p, of numbers below p; may be one of them. */
void bigpoly_mul_add(uint8_t out[17], const uint8_t a[17], const uint8_t b[17], const uint8_t c[17]);

#endif
