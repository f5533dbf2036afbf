/* aead_burst_lanes.h: the ChaCha20 blocks of a burst (RFC 8439 section 2.8), dealt to the lanes of sweeps.
 * Called by aead_burst_plan.c. */
#ifndef AEAD_BURST_LANES_H
#define AEAD_BURST_LANES_H

#include "aead_burst_kernels.h"

/* A sweep that is being filled, lane by lane, and run when it is full. */
struct burst_lanes {
    const struct aead_burst_kernels *kernels;
    unsigned n;    /* lanes filled */
    unsigned most; /* lanes ever used: their rows of spare are to be wiped */
    int many_keys; /* each lane gets its key; else all have the one of burst_lanes_begin */
    struct aead_sweep sweep;
};

/* key: the one of all packets, or NULL when they have several. */
void burst_lanes_begin(struct burst_lanes *l, const struct aead_burst_kernels *kernels, const uint32_t *key);

/* Block 0 of a packet goes to out: 64 bytes, of which the first 32 are the one-time key of Poly1305. */
void burst_lanes_key(struct burst_lanes *l, const uint32_t *key, const uint8_t *nonce, uint8_t *out);

/* out = in XOR the stream from block 1 on, some of it now and the rest at burst_lanes_run. */
void burst_lanes_text(struct burst_lanes *l, const uint32_t *key, const uint8_t *nonce, const uint8_t *in,
                      uint8_t *out, size_t len);

/* Runs what is filled. */
void burst_lanes_run(struct burst_lanes *l);

/* Wipes what the lanes know. */
void burst_lanes_wipe(struct burst_lanes *l);

#endif
