/* burst_sweep_lanes.h: a sweep of ChaCha20 blocks (RFC 8439 section 2.3) of many packets. Included by the
 * bursts' kernels. */
#ifndef BURST_SWEEP_LANES_H
#define BURST_SWEEP_LANES_H

#include <stdint.h>

#define AEAD_SWEEP_LANES 32 /* blocks of one sweep */
#define AEAD_SWEEP_ROOM 48  /* whole vectors are filled: up to 15 more lanes are written */

/* Up to 32 blocks, each of any packet: out = in XOR keystream, 64 bytes a lane, or tail_len[lane] bytes of
 * tail_in and tail_out for the lanes whose bit is set in tails. Those go through the lane's row of spare,
 * where in and out point. in and out of a lane are equal or disjoint; lanes do not overlap each other. */
struct aead_sweep {
    /* input words 4 .. 15: key, block number, nonce */
    _Alignas(64) uint32_t words[12][AEAD_SWEEP_ROOM];
    const uint8_t *in[AEAD_SWEEP_ROOM];
    uint8_t *out[AEAD_SWEEP_ROOM];
    const uint8_t *tail_in[AEAD_SWEEP_LANES];
    uint8_t *tail_out[AEAD_SWEEP_LANES];
    uint8_t tail_len[AEAD_SWEEP_LANES]; /* 1 .. 63 */
    uint32_t tails;
    _Alignas(64) uint8_t spare[AEAD_SWEEP_LANES][64];
};

#endif
