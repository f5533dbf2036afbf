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

/* The same, where the first blocks of a lane, as many as its row skips, are no blocks but zeros. */
ROWS_INLINE struct mac_num mac_row_column(const struct mac_powers *p, struct mac_num h, const vec t[8],
                                          vec skip)
{
    struct mac_acc acc = mac_acc(mac_zero());

    mac_mul_add(&acc, mac_block_unless(skip, 3, t[6], t[7]), &p->r[0]);
    mac_mul_add(&acc, mac_block_unless(skip, 2, t[4], t[5]), &p->r[1]);
    if (v_all_below64(v_set64(1), skip)) /* h is 0 then, too */
        return mac_carry(&acc);
    mac_mul_add(&acc, mac_block_unless(skip, 1, t[2], t[3]), &p->r[2]);
    mac_mul_add(&acc, mac_add(h, mac_block_unless(skip, 0, t[0], t[1])), &p->r[3]);
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

/* h goes on over the columns from `from` to `to` of those packets that have so many. */
ROWS_INLINE struct mac_num mac_text_of_some(const struct mac_powers *p, struct mac_num h,
                                            const uint8_t *const *text, const uint64_t *columns,
                                            uint64_t from, uint64_t to)
{
    static const uint8_t nothing[64];
    const uint8_t *row[LANES64];
    vec t[8];

    for (uint64_t k = from; k < to; k++) {
        for (unsigned i = 0; i < LANES64; i++)
            row[i] = k < columns[i] ? text[i] + k * 64 : nothing;
        v_get_columns(t, row, 0);
        h = mac_select(v_below64(v_set64(k), vec_load(columns)), mac_column(p, h, t), h);
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

/* The last column, whose rows are in t, and the tags. */
ROWS_INLINE void mac_end(const struct mac_powers *p, struct mac_num h, vec t[8], vec skip, vec aad_len,
                         vec len, vec s[2], uint8_t (*tags)[16])
{
    t[6] = aad_len;
    t[7] = len;
    mac_tag(mac_row_column(p, h, t, skip), &s[0], &s[1]);
    v_put_tags(tags, s[0], s[1]);
}

ROWS_INLINE struct rows rows_from(const struct aead_rows *r, unsigned first)
{
    return (struct rows){r->aad + first, r->text + first, r->aad_bytes + first, r->text_bytes + first};
}

/* The MACs of packets first .. first + LANES64 - 1. */
ROWS_INLINE void mac_lanes(const struct aead_macs *m, uint8_t (*tags)[16], unsigned first)
{
    struct mac_num h = mac_zero();
    struct mac_powers p;
    uint64_t all = UINT64_MAX, most = 0;
    struct rows rows;
    vec t[8], s[2];

    for (unsigned i = 0; i < LANES64; i++) {
        uint64_t c = m->columns[first + i];

        all = c < all ? c : all;
        most = c > most ? c : most;
    }
    mac_begin(&p, s, m->keys + first);
    for (unsigned i = m->n_heads; i-- != 0;) {
        rows = rows_from(&m->heads[i], first);
        v_get_rows(t, &rows);
        h = mac_row_column(&p, h, t, vec_load(&m->heads[i].skip[first]));
    }
    h = mac_text(&p, h, m->text + first, 0, all);
    h = mac_text_of_some(&p, h, m->text + first, m->columns + first, all, most);
    rows = rows_from(&m->last, first);
    v_get_rows(t, &rows);
    mac_end(&p, h, t, vec_load(&m->last.skip[first]), vec_load(m->aad_len + first), vec_load(m->len + first),
            s, tags + first);
}

static void burst_macs(const struct aead_macs *m, uint8_t (*tags)[16], unsigned n)
{
    for (unsigned first = 0; first < n; first += LANES64)
        mac_lanes(m, tags, first);
    _mm256_zeroupper(); /* at -Os GCC does not care for it */
}

#endif
