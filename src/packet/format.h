/* format.h: the table of wire formats. A row holds all that the data channel has to know about one format:
 * where header, tag and AAD lie, how numbers and nonces are made, what is padded, and when keys are used up.
 *
 * The rows are written in one small file per format; seal.c, open.c and channel.c read them and know no
 * format themselves. A datagram is always header | ciphertext | trailer; the tag is the trailer, or a part of
 * the header. */
#ifndef PACKET_FORMAT_H
#define PACKET_FORMAT_H

#include <stdbool.h>

#include <sealane/aead.h>
#include <sealane/packet.h>

struct open_batch;
struct open_run;
struct seal_batch;

/* What an authentic packet turned out to hold. */
struct packet_inner {
    size_t len;                 /* payload bytes, from the start of the plaintext */
    unsigned kind, next_header; /* no bytes, which compilers would load together after one was stored */
};

struct packet_format {
    uint32_t format, flags; /* the pair that picks this row */
    uint32_t max_id;        /* greatest legal tx_id and rx_id */
    uint32_t kinds;         /* bit k: packets of enum sealane_kind k can be sealed */
    uint8_t header_len, trailer_len;
    uint8_t tag_off; /* of the tag in the header, when trailer_len is 0 */
    uint8_t aad_len; /* the AAD is the beginning of the header */
    uint8_t max_pad; /* padding of one packet, at most */
    uint8_t pad_to;  /* payloads are padded to a multiple of this; 0: no padding */
    uint8_t keepalive_len;
    const uint8_t *keepalive; /* plaintext of a keepalive */

    uint64_t first_number, rekey_number; /* packet numbers: the first; that from which new keys are due */
    uint64_t limit_number;               /* no number at or above it is sent or accepted */
    uint64_t rekey_ms, reject_ms;        /* ages: new keys are due; nothing is sent or accepted. 0: never */

    /* Is this header_len bytes of the format? 0 and the receiver's id, or EFORMAT. */
    int (*peek)(const uint8_t *header, uint32_t *id);
    /* The packet number of a header that peek took, and the nonce; newest is the greatest number that was
     * accepted (for formats that send half of it). */
    uint64_t (*read_number)(const uint8_t *header, uint64_t newest, uint8_t nonce[12], const uint8_t iv[12]);
    /* Writes header_len bytes, less the tag, and makes the nonce. */
    void (*write_header)(uint8_t *header, uint8_t nonce[12], uint32_t id, const uint8_t iv[12],
                         uint64_t number);
    /* The text of padding. */
    void (*write_pad)(uint8_t *pad, size_t pad_len, uint8_t next_header);
    /* Finds the payload in an authentic plaintext: 0, or EFORMAT. */
    int (*look_inside)(const uint8_t *plain, size_t len, struct packet_inner *inner);

    /* Copies of seal_steps.h's seal_plain and seal_begin for this row. */
    size_t (*seal_plain)(struct seal_batch *b, struct sealane_packet *p, size_t n);
    size_t (*seal_begin)(struct seal_batch *b, size_t at, size_t to);
    /* Of open_steps.h's open_plain and open_report. */
    size_t (*open_plain)(struct open_batch *b, struct sealane_packet *p, size_t n);
    size_t (*open_report)(struct open_batch *b, struct open_run *run);
};

/* wireguard.c, openvpn.c */
extern const struct packet_format packet_wireguard, packet_wireguard_raw, packet_openvpn;

/* The row, or NULL when there is none. */
const struct packet_format *packet_format_for(uint32_t format, uint32_t flags);

/* 0 and the receiver's id of a datagram of any length; or ELENGTH, EFORMAT. */
int packet_format_peek(const struct packet_format *f, const uint8_t *datagram, size_t len, uint32_t *id);

static inline size_t packet_overhead(const struct packet_format *f)
{
    return (size_t)f->header_len + f->trailer_len;
}

/* Padding behind len bytes of payload: up to a multiple of pad_to, but never past a multiple of the MTU (0:
 * none). What is padded is the last MTU's worth, so that a packet of exactly the MTU stays as it is. */
static inline size_t packet_pad_len(const struct packet_format *f, size_t len, uint32_t mtu)
{
    size_t last, pad;

    if (f->pad_to == 0)
        return 0;
    last = mtu == 0 || len <= mtu ? len : len % mtu;
    pad = (0 - last) & (f->pad_to - (size_t)1); /* a power of two */
    return mtu != 0 && pad > mtu - last ? mtu - last : pad;
}

/* Offset of the tag in a datagram with len bytes of ciphertext. */
static inline size_t packet_tag_off(const struct packet_format *f, size_t len)
{
    return f->trailer_len != 0 ? f->header_len + len : f->tag_off;
}

#endif
