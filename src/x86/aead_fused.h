/* aead_fused.h: what the fused kernels of one message share with their assembler (aead_columns_avx512.S): a
 * sweep of ChaCha20 blocks with the scalar half of Poly1305 beside it. Define POLY1305_LANES first. */
#ifndef AEAD_FUSED_H
#define AEAD_FUSED_H

#include "aead_kernels.h"
#include "poly1305_lanes.h"

/* The offsets are written out in the assembler. tail: a sweep of len % 64 != 0 leaves the last len % 64 bytes
 * of dst there, and secrets behind them. h: that of the AAD, then written by the mac functions:
 * their blocks b as b0 r^(n-1) + .. + b(n-1). */
struct fused_sweep {
    _Alignas(64) union {
        uint32_t state[16]; /* input of the first block of the sweep, of block 1 for the first sweep */
        uint8_t tail[64];
    };
    struct lanes_table powers; /* written by the powers functions */
    uint64_t r[2];             /* clamped; written by the same */
    uint64_t h[3];             /* h[2] <= 6 */
};

/* What later sweeps need besides. */
struct fused_sweeps {
    struct fused_sweep first;
    uint32_t head[16]; /* of the first round what all blocks share (chacha_rounds.inc: chacha_head) */
};

_Static_assert(offsetof(struct fused_sweep, powers) == 64 && offsetof(struct fused_sweep, powers.s) == 448 &&
                   offsetof(struct fused_sweep, r) == 464 && offsetof(struct fused_sweep, h) == 480 &&
                   offsetof(struct fused_sweeps, head) == 512,
               "as the assembler has them");

_Static_assert(offsetof(struct aead_message, aad_len) == 40 && offsetof(struct aead_message, len) == 48,
               "as the assembler has them");

/* dst = src XOR keystream, at most 64 bytes for each block of the layout; len may be 0. Of powers those of
 * one sweep make r to r^8 and r^16. */
#define FUSED_FIRST_SWEEP(name)                                                                              \
    void name(uint8_t *dst, const uint8_t *src, size_t len, struct fused_sweep *sweep)
typedef FUSED_FIRST_SWEEP(fused_first_sweep);

/* The same, all powers and the head. */
#define FUSED_FIRST_SWEEPS(name)                                                                             \
    void name(uint8_t *dst, const uint8_t *src, size_t len, struct fused_sweeps *sweeps)

/* A later sweep, and Poly1305 over blocks in n double rounds, 0 .. 8. The blocks are read before dst is
 * written.
 */
#define FUSED_MAC_SWEEP(name)                                                                                \
    void name(uint8_t *dst, const uint8_t *src, size_t len, struct fused_sweeps *sweeps,                     \
              const uint8_t *blocks, size_t n)
typedef FUSED_MAC_SWEEP(fused_mac_sweep);

FUSED_FIRST_SWEEP(aead_powers_columns16_avx512);
FUSED_FIRST_SWEEP(aead_powers_columns24_avx512);
FUSED_FIRST_SWEEPS(aead_powers_columns32_avx512);
FUSED_MAC_SWEEP(aead_mac_rows8_avx512);     /* 2 n blocks */
FUSED_MAC_SWEEP(aead_mac_columns16_avx512); /* 4 n */
FUSED_MAC_SWEEP(aead_mac_columns24_avx512); /* 4 n */
FUSED_MAC_SWEEP(aead_mac_columns32_avx512); /* 8 n */

/* Poly1305 over len bytes of text, of which the last len % 64 are read at tail, and the message's lengths;
 * the tag. h0, h1, h2, carried, are added to the lanes of the first blocks: of the first group of eight, or
 * of four in the odd lanes where (len & 64) != 0. */
void aead_end_avx512(uint8_t tag[16], const uint8_t *text, size_t len, const struct fused_sweep *sweep,
                     const uint8_t *tail, const struct aead_message *m, __m512i h0, __m512i h1, __m512i h2);

#endif
