/* aead_fused_key.h: what the fused kernels of short messages share with their assembler (aead_rows_avx512.S):
 * a sweep of ChaCha20 blocks with the block of the one-time key beside it. */
#ifndef AEAD_FUSED_KEY_H
#define AEAD_FUSED_KEY_H

#include <stddef.h>
#include <stdint.h>

/* The offsets are written out in the assembler. */
struct fused_key {
    uint32_t state[16];  /* input of block 1 */
    uint64_t s[2], r[2]; /* written by the key functions; r is clamped */
};

_Static_assert(offsetof(struct fused_key, s) == 64 && offsetof(struct fused_key, r) == 80,
               "as the assembler has them");

/* dst = src XOR keystream, at most 64 bytes for each block of the layout; len may be 0. */
#define FUSED_KEY_SWEEP(name) void name(uint8_t *dst, const uint8_t *src, size_t len, struct fused_key *key)
typedef FUSED_KEY_SWEEP(fused_key_sweep);

FUSED_KEY_SWEEP(aead_key_rows4_avx512);
FUSED_KEY_SWEEP(aead_key_rows8_avx512);

#endif
