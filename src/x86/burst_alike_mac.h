/* burst_alike_mac.h: the MACs of packets of one shape (RFC 8439 section 2.8), one in each lane of 64 bits:
 * what stands before and behind the whole columns of text. Over burst_mac.h; included by burst_alike.h.
 *
 * Columns begin with the text: the AAD before it and what is left behind it are blocks of their own, as many
 * as there are. */
#ifndef BURST_ALIKE_MAC_H
#define BURST_ALIKE_MAC_H

#include "burst_mac.h"

static const uint8_t alike_zeros[64];

/* LANES64 MACs. */
struct alike_group {
    struct mac_powers p;
    struct mac_num h;
    vec s[2];
};

/* h after the AAD: aad_len bytes, at most AEAD_MACS_AAD_MAX. */
ROWS_INLINE struct mac_num alike_mac_aad(const struct mac_powers *p, const uint8_t *const *aad,
                                         size_t aad_len)
{
    struct mac_num h = mac_zero();
    vec t[8];

    for (size_t at = 0; at < aad_len; at += 64) {
        const unsigned len = aad_len - at < 64 ? (unsigned)(aad_len - at) : 64;

        v_get_part(t, aad, at, len);
        h = mac_blocks(p, h, t, (len + 15) / 16);
    }
    return h;
}

/* h goes on over the text's last bytes, less than 64, and the lengths. */
ROWS_INLINE struct mac_num alike_mac_rest(const struct mac_powers *p, struct mac_num h,
                                          const uint8_t *const *text, size_t aad_len, size_t len)
{
    const unsigned rest = (unsigned)(len % 64);
    unsigned n = (rest + 15) / 16;
    vec t[8];

    if (n != 0)
        v_get_part(t, text, len - rest, rest);
    if (n == 4) {
        h = mac_column(p, h, t);
        n = 0;
    }
    t[2 * n] = v_set64(aad_len);
    t[2 * n + 1] = v_set64(len);
    return mac_blocks(p, h, t, n + 1);
}

/* Packets so short that all of their MAC is six blocks: three and three are one multiplication less in turn
 * than AAD, column and lengths, and r^3 is enough for them. */
ROWS_INLINE int alike_is_brief(size_t aad_len, size_t len)
{
    return aad_len <= 16 && len <= 64;
}

/* h of such packets. */
ROWS_INLINE struct mac_num alike_mac_brief(const struct mac_powers *p, const uint8_t *const *aad,
                                           const uint8_t *const *text, size_t aad_len, size_t len)
{
    const unsigned first = aad_len != 0, n = first + (unsigned)(len + 15) / 16 + 1;
    struct mac_num h = mac_zero();
    vec t[14], a[8];

    if (first) {
        v_get_part(a, aad, 0, (unsigned)aad_len);
        t[0] = a[0];
        t[1] = a[1];
    }
    if (len != 0)
        v_get_part(t + 2 * first, text, 0, (unsigned)len);
    t[2 * n - 2] = v_set64(aad_len);
    t[2 * n - 1] = v_set64(len);
    if (n <= 3)
        return mac_blocks(p, h, t, n);
    h = mac_blocks(p, h, t, n - 3);
    return mac_blocks(p, h, t + 2 * (n - 3), 3);
}

/* The tags, too. */
ROWS_INLINE void alike_mac_end(const struct mac_powers *p, struct mac_num h, const uint8_t *const *text,
                               size_t aad_len, size_t len, vec s[2], uint8_t (*tags)[16])
{
    mac_tag(alike_mac_rest(p, h, text, aad_len, len), &s[0], &s[1]);
    v_put_tags(tags, s[0], s[1]);
}

#endif
