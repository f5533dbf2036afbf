/* secret.h: handling of secrets: wiping that the optimizer keeps, comparing in constant time. Used by every
 * room. */
#ifndef BASE_SECRET_H
#define BASE_SECRET_H

#include <stddef.h>
#include <stdint.h>

/* Zeroes len bytes; survives -O3 and link-time optimization. (NULL, 0) is legal. */
void secret_wipe(void *p, size_t len);

/* 1 when both 16-byte strings are equal, else 0; time and addresses depend on neither. */
int secret_equal16(const uint8_t a[16], const uint8_t b[16]);

/* 1 when both 32-byte strings are equal, else 0; time and addresses depend on neither. */
int secret_equal32(const uint8_t a[32], const uint8_t b[32]);

#endif
