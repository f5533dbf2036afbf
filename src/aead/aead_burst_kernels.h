/* aead_burst_kernels.h: the contract of the burst kernels: many messages of RFC 8439 section 2.8 at once.
 * Called by aead_burst_alike.c, for packets of one shape, and by aead_burst_plan.c, which fills the lanes for
 * the others; implemented in the machines' folders.
 *
 * A group of mixed packets is up to AEAD_GROUP_MAX of them. Their ChaCha20 blocks, the key blocks included,
 * are dealt to the lanes of sweeps in any order; their MACs run side by side, one packet a lane. The kernels
 * see pointers and lengths, no jobs. */
#ifndef AEAD_BURST_KERNELS_H
#define AEAD_BURST_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#define AEAD_SWEEP_LANES 32 /* blocks of one sweep */
#define AEAD_SWEEP_ROOM 48  /* whole vectors are filled: up to 15 more lanes are written */
#define AEAD_MACS 16        /* MACs side by side */

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

/* Blocks number, number + 1, .. of a packet. */
struct aead_run {
    const uint32_t *key; /* eight words, or NULL where the lanes have theirs already */
    const uint8_t *nonce;
    uint32_t number;
    const uint8_t *in;
    uint8_t *out;
};

/* A MAC's input is cut into columns of four 16-byte blocks that end with the length block; what is missing to
 * a multiple of four stands as zero blocks before the AAD, where the accumulator is still 0 and they change
 * nothing. A column as rows of 64 bytes, one for each packet: those bytes of aad and of text whose bits are
 * set, where aad and text point at what would be byte 0 of the row; the others are zero and are not read. The
 * first skip blocks of a row are not there at all. */
struct aead_rows {
    const uint8_t *aad[AEAD_MACS], *text[AEAD_MACS];
    uint64_t aad_bytes[AEAD_MACS], text_bytes[AEAD_MACS];
    _Alignas(64) uint64_t skip[AEAD_MACS];
};

/* The inputs of up to AEAD_MACS MACs (RFC 8439 section 2.8), cut into columns: at most two heads with zeros
 * and AAD in them, then columns[i] of 64 bytes at text[i], which is not looked at when there are none, and
 * the last. Where last has the length block, its rows are zero. */
struct aead_macs {
    const uint8_t (*keys)[64]; /* the one-time key is the first half of each row */
    unsigned n_heads;
    struct aead_rows heads[2], last;
    const uint8_t *text[AEAD_MACS];
    _Alignas(64) uint64_t columns[AEAD_MACS], aad_len[AEAD_MACS], len[AEAD_MACS];
};

/* The AAD that always fits two heads: 8 blocks, less 3 that may be zero. */
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
};

/* Writes out and the tags over the ciphertext, which is out when sealing and in when opening. Opening
 * compares nothing: the caller does, and zeroes out on failure. tags has room for AEAD_ALIKE_MAX; those from
 * n on mean nothing. Lanes from n on need no values: their pointers are not followed. */
#define AEAD_ALIKE_KERNEL(name) void name(const struct aead_alike *a, uint8_t(*tags)[16])
typedef AEAD_ALIKE_KERNEL(aead_alike_kernel);

struct aead_burst_kernels {
    const char *name;
    unsigned sweep_lanes; /* a sweep runs in multiples of these: 8 or 16 */
    unsigned mac_lanes;   /* MACs run in multiples of these: 4 or 8 */

    /* Gives n lanes from `lane` on, 1 <= n and lane + n <= AEAD_SWEEP_LANES, to consecutive blocks of one
     * packet. */
    void (*fill)(struct aead_sweep *s, unsigned lane, unsigned n, const struct aead_run *run);
    /* The first n lanes, n a multiple of sweep_lanes. */
    void (*sweep)(struct aead_sweep *s, unsigned n);
    /* n tags, n a multiple of mac_lanes. */
    void (*macs)(const struct aead_macs *m, uint8_t (*tags)[16], unsigned n);

    aead_alike_kernel *seal_alike, *open_alike; /* NULL: none */
    /* Of their frames' upper ends: bytes without secrets as long as 8, 16 and 32 packets at most ran. */
    unsigned unused[AEAD_ALIKE_WIDTHS];
    unsigned alike_stack; /* what these frames hold at most, with secrets in them */
    unsigned stack;       /* the same of all kernels above */
};

/* How packets of up to max_len bytes (above the rung before) go through lanes. */
struct aead_burst_rung {
    size_t max_len;
    /* What packets of one shape cost that fill 8, 16 and 32 lanes, in tenths of a message alone; idle lanes
     * cost as much as others. */
    uint16_t price[AEAD_ALIKE_WIDTHS];
    /* Packets of mixed shapes that make a group, at least; 0: what is left of a shape goes alone. */
    uint8_t mixed;
};

/* Fewer packets go alone whatever their lengths: no price is as low, and no group as small. */
#define AEAD_BURST_MIN 3

/* Which bursts of one feature level go through lanes. */
struct aead_burst_ladder {
    const struct aead_burst_kernels *kernels; /* NULL: none, every packet is a message of its own */
    const struct aead_burst_rung *rungs;      /* ascending; longer packets than the last rung's go alone */
    size_t max_len;                           /* of the last rung */
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
