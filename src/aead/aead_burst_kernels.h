/* aead_burst_kernels.h: the contract of the burst kernels: many messages of RFC 8439 section 2.8 at once.
 * Called by aead_burst_alike.c; implemented in the machines' folders. The kernels see pointers and lengths,
 * no jobs. */
#ifndef AEAD_BURST_KERNELS_H
#define AEAD_BURST_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* The longest AAD of packets in lanes. */
#define AEAD_MACS_AAD_MAX (5 * 16)

#define AEAD_ALIKE_MAX 32
#define AEAD_ALIKE_MIN 8u /* the narrowest lanes, the next are twice as wide */
#define AEAD_ALIKE_WIDTHS 3

/* Packets of one shape: one len, one aad_len, any keys; packet i has lane i wherever it goes. 8, 16 and 32
 * packets fill the lanes; other numbers leave some idle. Where len or aad_len is 0 the pointers are not
 * looked at; in and out of a packet are equal or disjoint, and no packet's out touches another packet. */
struct aead_alike {
    unsigned n;                                     /* 1 .. AEAD_ALIKE_MAX */
    int one_key;                                    /* all have key[0] */
    size_t aad_len, len;                            /* aad_len <= AEAD_MACS_AAD_MAX */
    _Alignas(64) uint32_t nonce[3][AEAD_ALIKE_MAX]; /* little-endian loads, a row for each word */
    const uint32_t *key[AEAD_ALIKE_MAX];            /* eight words each */
    const uint8_t *in[AEAD_ALIKE_MAX];
    uint8_t *out[AEAD_ALIKE_MAX];
    const uint8_t *aad[AEAD_ALIKE_MAX];
    /* Of packets of mixed shapes, in place of aad_len and len. No text is longer than the one before. */
    _Alignas(64) uint64_t aad_lens[AEAD_ALIKE_MAX], lens[AEAD_ALIKE_MAX];
};

/* Writes out and the tags over the ciphertext, which is out when sealing and in when opening. Opening
 * compares nothing: the caller does, and zeroes out on failure. tags has room for AEAD_ALIKE_MAX; those from
 * n on mean nothing. Lanes from n on need no values: their pointers are not followed. */
#define AEAD_ALIKE_KERNEL(name) void name(const struct aead_alike *a, uint8_t(*tags)[16])
typedef AEAD_ALIKE_KERNEL(aead_alike_kernel);

struct aead_burst_kernels {
    const char *name;

    aead_alike_kernel *seal_alike, *open_alike; /* NULL: none */
    /* Of their frames' upper ends: bytes without secrets as long as 8, 16 and 32 packets at most ran. */
    unsigned unused[AEAD_ALIKE_WIDTHS];
    unsigned alike_stack; /* what their frames hold at most, with secrets in them */

    /* For packets of mixed shapes, the longest first. */
    aead_alike_kernel *seal_mixed, *open_mixed;
    unsigned mixed_max;    /* packets at once, AEAD_ALIKE_MAX at most */
    unsigned mixed_unused; /* bytes without secrets at the frames' upper ends */
    unsigned mixed_stack;
};

/* How packets of up to max_len bytes (above the rung before) go through lanes. */
struct aead_burst_rung {
    size_t max_len;
    /* What packets of one shape cost that fill 8, 16 and 32 lanes, in tenths of a message alone; idle lanes
     * cost as much as others. */
    uint16_t price[AEAD_ALIKE_WIDTHS];
    /* What a packet saves in a mixed group, in cycles; 0: what is left of its shape goes alone. */
    uint16_t saved;
};

/* Fewer packets go alone whatever their lengths: no price is as low, and no group as small. */
#define AEAD_BURST_MIN 3

/* Which bursts of one feature level go through lanes. */
struct aead_burst_ladder {
    const struct aead_burst_kernels *kernels; /* NULL: none, every packet is a message of its own */
    const struct aead_burst_rung *rungs;      /* ascending; longer packets than the last rung's go alone */
    size_t max_len;                           /* of the last rung */
    unsigned mixed_start;                     /* cycles that packets must save to make a mixed group */
};

/* The rung of that length, len <= ladder->max_len. */
static inline const struct aead_burst_rung *aead_burst_rung_for(const struct aead_burst_ladder *ladder,
                                                                size_t len)
{
    const struct aead_burst_rung *rung = ladder->rungs;

    while (len > rung->max_len)
        rung++;
    return rung;
}

/* The ladder for a set of SEALANE_CPU_ bits. Never NULL. */
const struct aead_burst_ladder *aead_burst_ladder_for(uint32_t cpu);

/* The machines' kernels. */
extern const struct aead_burst_kernels burst_avx2, burst_avx512vl, burst_ifma_avx512vl, burst_avx512,
    burst_ifma_avx512;

#endif
