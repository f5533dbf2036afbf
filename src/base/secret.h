/* secret.h: handling of secrets: wiping that the optimizer keeps, comparing in constant time. Used by every
 * room. */
#ifndef BASE_SECRET_H
#define BASE_SECRET_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* "Uses" what p points to: the stores before it cannot be dropped. */
#define SECRET_KEEP_STORES(p) __asm__ volatile("" : : "r"(p) : "memory")

/* Zeroes len bytes; survives -O3 and link-time optimization. (NULL, 0) is legal. Sixteen bytes at a time:
 * what a compiler makes of one memset (rep stos) takes as long as a third of a block of ChaCha. */
static inline void secret_wipe(void *p, size_t len)
{
    unsigned char *bytes = p;

    for (; len >= 16; bytes += 16, len -= 16) {
        memset(bytes, 0, 16);
        SECRET_KEEP_STORES(bytes);
    }
    if (len != 0) {
        memset(bytes, 0, len);
        SECRET_KEEP_STORES(bytes);
    }
}

/* For the way out of the cipher's and the authenticator's public calls (the AEAD's suites have their own):
 * zeroes the vector registers and the first `stack` bytes, 128 .. SECRET_STACK_MAX, below the caller's frame,
 * where kernels and helpers left what they spilled. Implemented by the machine's folder; where there is none,
 * by secret.c, for the stack alone. */
#define SECRET_STACK_MAX 8192
void secret_leave(size_t stack);

/* 1 when both 16-byte strings are equal, else 0; time and addresses depend on neither. */
int secret_equal16(const uint8_t a[16], const uint8_t b[16]);

/* 1 when both 32-byte strings are equal, else 0; time and addresses depend on neither. */
int secret_equal32(const uint8_t a[32], const uint8_t b[32]);

#endif
