/* burst_mac.h: Poly1305 (RFC 8439 section 2.5) over many packets, one in each lane of 64 bits. The text; an
 * instance includes before it the vocabulary of its width, burst_rows_.., and an arithmetic, burst_arith_...
 *
 * Horner's rule over columns of four blocks: h = (h + b0) r^4 + b1 r^3 + b2 r^2 + b3 r. No lane meets
 * another. */
#ifndef BURST_MAC_H
#define BURST_MAC_H

#include "aead_burst_kernels.h"

/* The powers of the keys of LANES64 MACs. */
struct mac_powers {
    struct mac_power r[4]; /* r, r^2, r^3, r^4 */
};

/* From the keys' first halves. */
ROWS_INLINE void mac_powers_init(struct mac_powers *p, vec lo, vec hi)
{
    struct mac_num r = mac_clamp(lo, hi), r2;

    p->r[0] = mac_power(r);
    r2 = mac_mul(r, &p->r[0]);
    p->r[1] = mac_power(r2);
    p->r[2] = mac_power(mac_mul(r2, &p->r[0]));
    p->r[3] = mac_power(mac_mul(r2, &p->r[1]));
}

/* The next accumulator: h and one column of full blocks. */
ROWS_INLINE struct mac_num mac_column(const struct mac_powers *p, struct mac_num h, const vec t[8])
{
    struct mac_acc acc = mac_acc(mac_zero());

    mac_mul_add(&acc, mac_block(t[6], t[7]), &p->r[0]);
    mac_mul_add(&acc, mac_block(t[4], t[5]), &p->r[1]);
    mac_mul_add(&acc, mac_block(t[2], t[3]), &p->r[2]);
    mac_mul_add(&acc, mac_add(h, mac_block(t[0], t[1])), &p->r[3]);
    return mac_carry(&acc);
}

/* h goes on over one column, of which a lane leaves out the first blocks, as many as its skip; h stays where
 * that is 4 and h is 0. */
ROWS_INLINE struct mac_num mac_row_column(const struct mac_powers *p, struct mac_num h, const vec t[8],
                                          vec skip)
{
    struct mac_acc acc = mac_acc(mac_zero());

#pragma GCC unroll 4
    for (unsigned n = 0; n < 4; n++) {
        const unsigned i = 3 - n;
        struct mac_num b;

        if ((i == 2 || i == 1) && v_all_below64(v_set64(i), skip))
            break; /* short rows are frequent */
        b = mac_block_unless(skip, i, t[2 * i], t[2 * i + 1]);
        mac_mul_add(&acc, mac_add(b, mac_select(v_equal64(skip, v_set64(i)), h, mac_zero())), &p->r[n]);
    }
    return mac_carry(&acc);
}

/* h goes on over the first n blocks of a column, 1 .. 4. */
ROWS_INLINE struct mac_num mac_blocks(const struct mac_powers *p, struct mac_num h, const vec t[8],
                                      unsigned n)
{
    struct mac_acc acc = mac_acc(mac_zero());

    mac_mul_add(&acc, mac_add(h, mac_block(t[0], t[1])), &p->r[n - 1]);
    for (unsigned i = 1; i < n; i++)
        mac_mul_add(&acc, mac_block(t[2 * i], t[2 * i + 1]), &p->r[n - 1 - i]);
    return mac_carry(&acc);
}

/* h goes on over n columns of every packet, from byte `body` of its text on. */
ROWS_INLINE struct mac_num mac_text(const struct mac_powers *p, struct mac_num h, const uint8_t *const *text,
                                    size_t body, uint64_t n)
{
    vec t[8];

    for (; n != 0; n--, body += 64) {
        v_get_columns(t, text, body);
        h = mac_column(p, h, t);
    }
    return h;
}

/* The start of LANES64 MACs. */
ROWS_INLINE void mac_begin(struct mac_powers *p, vec s[2], const uint8_t (*keys)[64])
{
    const uint8_t *key[LANES64];
    vec t[8];

    for (unsigned i = 0; i < LANES64; i++)
        key[i] = keys[i];
    v_get_columns(t, key, 0);
    mac_powers_init(p, t[0], t[1]);
    s[0] = t[2];
    s[1] = t[3];
}

#endif
