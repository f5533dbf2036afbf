/* poly1305_lanes.h: one message in the lanes of a vector: powers of r, groups of blocks, the edges. Included
 * by the Poly1305 kernels and by the fused AEAD kernels, which first define POLY1305_LANES: 8 (IFMA in zmm),
 * 4 (IFMA in ymm), or with POLY1305_AVX2 4 lanes of 26-bit limbs.
 *
 * A group is LANES blocks; block j of a group stands in lane lanes_of_block[j], where two vector loads and an
 * unpack put it. The accumulator holds one number a lane, and the lane of block j is worth r^(LANES - j) at
 * the end. A group that is not full is filled with zeros at its front, where they count for nothing. So what
 * came before a group of n blocks is multiplied by r^n, in every lane. */
#ifndef POLY1305_LANES_H
#define POLY1305_LANES_H

#include "poly1305_powers.h"

#define LANES POLY1305_LANES
#define LANES_GROUP (16 * (size_t)LANES) /* bytes */
#define LANES_INLINE static inline __attribute__((always_inline))

#if LANES == 8
static const uint8_t lanes_of_block[8] = {0, 2, 4, 6, 1, 3, 5, 7};
/* The lanes of the last n blocks of a group, as a mask. */
static const uint8_t lanes_of_last[9] = {0, 0x80, 0xa0, 0xa8, 0xaa, 0xea, 0xfa, 0xfe, 0xff};
#else
static const uint8_t lanes_of_block[4] = {0, 2, 1, 3};
static const uint8_t lanes_of_last[5] = {0, 0x8, 0xa, 0xe, 0xf};
#endif

/* What ends a group that is not full: nothing, the length block of RFC 8439 section 2.8, or the 1 that a
 * plain message puts behind a short last block. */
struct lanes_end {
    uint64_t lengths[2];
    size_t n_lengths; /* 0 or 1 blocks of lengths */
    int plain;
};

/* The arithmetic, and what else knows the limbs:
 *   lanes_group(p)            a full group
 *   lanes_edge(p, len, end)   a group whose last blocks are len bytes at p, len < LANES_GROUP, and what end
 *                             says; a short last block is filled with zeros
 *   lanes_one_block(p, len)   a group of one block, len <= 16
 *   lanes_broadcast(limb)     a carried number in every lane
 *   lanes_load(limb, stride)  one carried number a lane, limbs stride words apart
 *   lanes_sum(w, acc)         the lanes of one or two products added up, as words, the top one at most 4
 *   lanes_limbs(limb, v)      a power (poly1305_powers.h) in limbs, carried */
#if defined(POLY1305_AVX2)
#include "poly1305_lanes_avx2.h"
#else
#include "poly1305_lanes_ifma.h"
#endif

/* Powers of r in limbs: limb by limb, the power that each lane is worth, then r^n for n = 2, 3, 4 and 8
 * groups. That of one group is the first lane's. The fused assembler (aead_columns_avx512.S) writes the table
 * of eight lanes. */
enum { LANES_1_GROUP = 0, LANES_2_GROUPS = LANES, LANES_3_GROUPS, LANES_4_GROUPS, LANES_8_GROUPS };

struct lanes_table {
    uint64_t power[LANES_LIMBS][2 * LANES];
    uint64_t s[2]; /* the key's second half */
};

static inline void lanes_put(struct lanes_table *t, int place, const uint64_t v[3])
{
    uint64_t limb[LANES_LIMBS];

    lanes_limbs(limb, v);
    for (int i = 0; i < LANES_LIMBS; i++)
        t->power[i][place] = limb[i];
}

/* The powers that n_groups groups need. r: clamped. */
static inline void lanes_table_init(struct lanes_table *t, const uint64_t r[2], size_t n_groups)
{
    uint64_t p[LANES + 1][3], two[3], more[3];

    powers_from_words(p[1], (const uint64_t[3]){r[0], r[1], 0});
#pragma GCC unroll 8
    for (int e = 2; e <= LANES; e++)
        powers_mul(p[e], p[e / 2], p[e - e / 2]);
#pragma GCC unroll 8
    for (int e = 1; e <= LANES; e++)
        lanes_put(t, lanes_of_block[LANES - e], p[e]);
    if (n_groups >= 2) {
        powers_mul(two, p[LANES], p[LANES]);
        lanes_put(t, LANES_2_GROUPS, two);
    }
    if (n_groups >= 3) {
        powers_mul(more, two, p[LANES]);
        lanes_put(t, LANES_3_GROUPS, more);
    }
    if (n_groups >= 4) {
        powers_mul(more, two, two);
        lanes_put(t, LANES_4_GROUPS, more);
    }
}

/* The power at a place of the table, in every lane. */
LANES_INLINE struct lanes_power lanes_power_at(const struct lanes_table *t, size_t place)
{
    uint64_t limb[LANES_LIMBS];

    for (int i = 0; i < LANES_LIMBS; i++)
        limb[i] = t->power[i][place];
    return lanes_power(lanes_broadcast(limb));
}

/* h goes on over n full groups at p. The loop has one carry for four groups: of 4 multiplications. */
LANES_INLINE struct lanes_num lanes_groups(struct lanes_num h, const struct lanes_table *t, const uint8_t *p,
                                           size_t n)
{
    static const uint8_t places[] = {LANES_1_GROUP, LANES_2_GROUPS, LANES_3_GROUPS};
    struct lanes_acc acc;

    if (n >= 4) {
        const struct lanes_power p1 = lanes_power_at(t, LANES_1_GROUP),
                                 p2 = lanes_power_at(t, LANES_2_GROUPS),
                                 p3 = lanes_power_at(t, LANES_3_GROUPS),
                                 p4 = lanes_power_at(t, LANES_4_GROUPS);

        for (; n >= 4; n -= 4, p += 4 * LANES_GROUP) {
            acc = lanes_acc(lanes_group(p + 3 * LANES_GROUP));
            lanes_mac(&acc, lanes_group(p + 2 * LANES_GROUP), &p1);
            lanes_mac(&acc, lanes_group(p + LANES_GROUP), &p2);
            lanes_mac(&acc, lanes_group(p), &p3);
            lanes_mac(&acc, h, &p4);
            h = lanes_carry(&acc);
        }
    }
    if (n != 0) {
        const struct lanes_power power = lanes_power_at(t, places[n - 1]);

        acc = lanes_acc(lanes_group(p + (n - 1) * LANES_GROUP));
        if (n >= 2) {
            const struct lanes_power p1 = lanes_power_at(t, LANES_1_GROUP);

            lanes_mac(&acc, lanes_group(p + (n - 2) * LANES_GROUP), &p1);
        }
        if (n == 3) {
            const struct lanes_power p2 = lanes_power_at(t, LANES_2_GROUPS);

            lanes_mac(&acc, lanes_group(p), &p2);
        }
        lanes_mac(&acc, h, &power);
        h = lanes_carry(&acc);
    }
    return h;
}

/* h goes on over a group that is not full: x has n blocks, 1 <= n <= LANES. */
LANES_INLINE struct lanes_num lanes_go_on(struct lanes_num h, const struct lanes_table *t, struct lanes_num x,
                                          size_t n)
{
    const struct lanes_power power = lanes_power_at(t, lanes_of_block[(size_t)LANES - n]);
    struct lanes_acc acc = lanes_acc(x);

    lanes_mac(&acc, h, &power);
    return lanes_carry(&acc);
}

/* The first blocks of a message, len > 0 bytes: as many as leave full groups behind, of which the last may
 * have a short block. */
LANES_INLINE struct lanes_num lanes_begin(const struct lanes_table *t, const uint8_t *p, size_t len)
{
    const struct lanes_end none = {{0, 0}, 0, 0};
    const size_t n_blocks = (len + 15) / 16, first = (n_blocks - 1) % LANES + 1;
    struct lanes_num h;

    if (len <= 16)
        return lanes_one_block(p, len);
    if (n_blocks <= LANES)
        return len == LANES_GROUP ? lanes_group(p) : lanes_edge(p, len, none);
    h = first == LANES ? lanes_group(p) : lanes_edge(p, 16 * first, none);
    p += 16 * first;
    len -= 16 * first;
    h = lanes_groups(h, t, p, len / LANES_GROUP);
    p += len - len % LANES_GROUP;
    len %= LANES_GROUP;
    return len == 0 ? h : lanes_go_on(h, t, lanes_edge(p, len, none), LANES);
}

/* The power that each lane is worth. */
LANES_INLINE struct lanes_num lanes_worth(const struct lanes_table *t)
{
    return lanes_load(&t->power[0][0], 2 * LANES);
}

/* The accumulator's value as words, the top one at most 4: every lane times its power, added up. */
LANES_INLINE void lanes_value(uint64_t w[3], struct lanes_num h, const struct lanes_table *t)
{
    const struct lanes_power power = lanes_power(lanes_worth(t));
    struct lanes_acc acc = lanes_acc(lanes_zero());

    lanes_mac(&acc, h, &power);
    lanes_sum(w, &acc);
}

LANES_INLINE void lanes_finish(uint8_t tag[16], struct poly1305_core *p, const struct lanes_table *t)
{
    p->s[0] = t->s[0];
    p->s[1] = t->s[1];
    scalar_finish(p, tag);
}

LANES_INLINE void lanes_tag(uint8_t tag[16], struct lanes_num h, const struct lanes_table *t)
{
    struct poly1305_core p;

    lanes_value(p.h, h, t);
    lanes_finish(tag, &p, t);
}

/* The last bytes of an AEAD message, less than a group, its lengths, and the tag. The power that h is worth
 * behind the last group does not wait for h. */
LANES_INLINE void lanes_aead_end(uint8_t tag[16], struct lanes_num h, const struct lanes_table *t,
                                 const uint8_t *p, size_t rest_len, size_t aad_len, size_t len)
{
    const struct lanes_end none = {{0, 0}, 0, 0}, lengths = {{aad_len, len}, 1, 0};
    const struct lanes_power worth = lanes_power(lanes_worth(t));
    struct lanes_acc acc = lanes_acc(lanes_zero());
    struct lanes_power power;
    struct poly1305_core core;

    if (rest_len > LANES_GROUP - 16) { /* no block is left for the lengths */
        h = lanes_go_on(h, t, lanes_edge(p, rest_len, none), LANES);
        rest_len = 0;
    }
    power = lanes_power_at(t, lanes_of_block[(size_t)LANES - (rest_len + 15) / 16 - 1]);
    lanes_mac(&acc, lanes_worth(t), &power);
    power = lanes_power(lanes_carry(&acc));
    acc = lanes_acc(lanes_zero());
    lanes_mac(&acc, lanes_edge(p, rest_len, lengths), &worth);
    lanes_mac(&acc, h, &power);
    lanes_sum(core.h, &acc);
    lanes_finish(tag, &core, t);
}

#endif
