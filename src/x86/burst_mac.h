/* burst_mac.h: Poly1305 (RFC 8439 section 2.5) over many packets, one in each lane of 64 bits. The text; an
 * instance includes before it the vocabulary of its width, burst_rows_.., and an arithmetic, burst_arith_...
 *
 * Horner's rule over columns of four blocks: h = (h + b0) r^4 + b1 r^3 + b2 r^2 + b3 r. No lane meets
 * another. */
#ifndef BURST_MAC_H
#define BURST_MAC_H

#include "aead_burst_kernels.h"

/* LANES64 MACs under way. */
struct mac_group {
    struct mac_power r[4]; /* r, r^2, r^3, r^4 */
    struct mac_num h;
    vec s_lo, s_hi;
};

_Static_assert(sizeof(struct mac_group) * (AEAD_MACS / LANES64) <= sizeof(struct aead_macs),
               "the groups fit the contract's room");

ROWS_INLINE struct mac_group *mac_group(struct aead_macs *m, unsigned first)
{
    return (struct mac_group *)(void *)m->opaque + first / LANES64;
}

static inline void burst_mac_keys(struct aead_macs *m, const uint8_t (*rows)[64], unsigned n)
{
    for (unsigned first = 0; first < n; first += LANES64) {
        struct mac_group *g = mac_group(m, first);
        const uint8_t *key[LANES64];
        struct mac_num r, r2;
        vec t[8];

        for (int i = 0; i < LANES64; i++)
            key[i] = rows[first + (unsigned)i];
        v_get_columns(t, key, 0);
        r = mac_clamp(t[0], t[1]);
        g->r[0] = mac_power(r);
        r2 = mac_mul(r, &g->r[0]);
        g->r[1] = mac_power(r2);
        g->r[2] = mac_power(mac_mul(r2, &g->r[0]));
        g->r[3] = mac_power(mac_mul(r2, &g->r[1]));
        g->h = mac_zero();
        g->s_lo = t[2];
        g->s_hi = t[3];
    }
}

/* The next accumulator: h and one column of full blocks. */
ROWS_INLINE struct mac_num mac_column(const struct mac_group *g, struct mac_num h, const vec t[8])
{
    struct mac_acc acc = mac_acc(mac_zero());

    mac_mul_add(&acc, mac_block(t[6], t[7]), &g->r[0]);
    mac_mul_add(&acc, mac_block(t[4], t[5]), &g->r[1]);
    mac_mul_add(&acc, mac_block(t[2], t[3]), &g->r[2]);
    mac_mul_add(&acc, mac_add(h, mac_block(t[0], t[1])), &g->r[3]);
    return mac_carry(&acc);
}

/* The same, where the first blocks of a lane, as many as its row skips, are no blocks but zeros. */
ROWS_INLINE struct mac_num mac_row_column(const struct mac_group *g, struct mac_num h, const vec t[8],
                                          vec skip)
{
    struct mac_acc acc = mac_acc(mac_zero());

    mac_mul_add(&acc, mac_block_unless(skip, 3, t[6], t[7]), &g->r[0]);
    mac_mul_add(&acc, mac_block_unless(skip, 2, t[4], t[5]), &g->r[1]);
    mac_mul_add(&acc, mac_block_unless(skip, 1, t[2], t[3]), &g->r[2]);
    mac_mul_add(&acc, mac_add(h, mac_block_unless(skip, 0, t[0], t[1])), &g->r[3]);
    return mac_carry(&acc);
}

static inline void burst_mac_rows(struct aead_macs *m, const struct aead_rows *rows, unsigned n)
{
    for (unsigned first = 0; first < n; first += LANES64) {
        struct mac_group *g = mac_group(m, first);
        vec t[8];

        v_get_rows(t, rows, first);
        g->h = mac_row_column(g, g->h, t, vec_load(&rows->skip[first]));
    }
}

static inline void burst_mac_text(struct aead_macs *m, const uint8_t *const *text, const uint64_t *cols,
                                  unsigned n)
{
    static const uint8_t nothing[64];

    for (unsigned first = 0; first < n; first += LANES64) {
        struct mac_group *g = mac_group(m, first);
        struct mac_num h = g->h;
        uint64_t all = UINT64_MAX, most = 0;
        vec t[8];

        for (unsigned i = first; i < first + LANES64; i++) {
            all = cols[i] < all ? cols[i] : all;
            most = cols[i] > most ? cols[i] : most;
        }
        for (uint64_t k = 0; k < all; k++) {
            v_get_columns(t, text + first, k * 64);
            h = mac_column(g, h, t);
        }
        for (uint64_t k = all; k < most; k++) {
            const uint8_t *row[LANES64];

            for (unsigned i = 0; i < LANES64; i++)
                row[i] = k < cols[first + i] ? text[first + i] + k * 64 : nothing;
            v_get_columns(t, row, 0);
            h = mac_select(v_below64(v_set64(k), vec_load(&cols[first])), mac_column(g, h, t), h);
        }
        g->h = h;
    }
}

static inline void burst_mac_finish(struct aead_macs *m, const struct aead_rows *rows,
                                    const uint64_t *aad_len, const uint64_t *len, uint8_t (*tags)[16],
                                    unsigned n)
{
    for (unsigned first = 0; first < n; first += LANES64) {
        struct mac_group *g = mac_group(m, first);
        vec t[8];

        v_get_rows(t, rows, first);
        t[6] = vec_load(aad_len + first);
        t[7] = vec_load(len + first);
        g->h = mac_row_column(g, g->h, t, vec_load(&rows->skip[first]));
        mac_tag(g->h, &g->s_lo, &g->s_hi);
        v_put_tags(tags + first, g->s_lo, g->s_hi);
    }
}

#endif
