/* aead_burst_lanes.h: the ChaCha20 blocks of a burst (RFC 8439 section 2.8), dealt to the lanes of sweeps.
 * Called by aead_burst_plan.c. */
#ifndef AEAD_BURST_LANES_H
#define AEAD_BURST_LANES_H

#include <sealane/aead.h>

#include "aead_burst_kernels.h"
#include "bytes.h"

/* A sweep that is being filled, lane by lane, and run when it is full. */
struct burst_lanes {
    const struct aead_burst_kernels *kernels;
    unsigned n;    /* lanes filled */
    unsigned most; /* no row of spare from here on was ever used */
    int many_keys; /* each lane gets its key; else all have the one of burst_lanes_begin */
    struct aead_sweep sweep;
};

/* key: the one of all packets, or NULL when they have several. */
void burst_lanes_begin(struct burst_lanes *l, const struct aead_burst_kernels *kernels, const uint32_t *key);

/* Runs what is filled. */
void burst_lanes_run(struct burst_lanes *l);

/* One lane for one block; the caller gives it in and out. */
static inline unsigned burst_lanes_add(struct burst_lanes *l, const uint32_t *key, const uint8_t *nonce,
                                       uint32_t number)
{
    struct aead_sweep *s = &l->sweep;
    unsigned lane;

    if (l->n == AEAD_SWEEP_LANES)
        burst_lanes_run(l);
    lane = l->n++;
    if (l->many_keys)
        for (int w = 0; w < 8; w++)
            s->words[w][lane] = key[w];
    s->words[8][lane] = number;
    s->words[9][lane] = load_le32(nonce);
    s->words[10][lane] = load_le32(nonce + 4);
    s->words[11][lane] = load_le32(nonce + 8);
    return lane;
}

/* out = in XOR one block. */
static inline void burst_lanes_block(struct burst_lanes *l, const uint32_t *key, const uint8_t *nonce,
                                     uint32_t number, const uint8_t *in, uint8_t *out)
{
    unsigned lane = burst_lanes_add(l, key, nonce, number);

    l->sweep.in[lane] = in;
    l->sweep.out[lane] = out;
}

/* out = in XOR the stream from block 1 on, some of it now and the rest at burst_lanes_run. */
void burst_lanes_text(struct burst_lanes *l, const uint32_t *key, const uint8_t *nonce, const uint8_t *in,
                      uint8_t *out, size_t len);

/* Wipes what the lanes know. */
void burst_lanes_wipe(struct burst_lanes *l);

#endif
