/* packet.h: the data channel of one peer, both directions: headers, counters, nonces, replay windows, key
 * changes, and bursts of packets, in the formats of real VPNs.
 *
 * Threads: any number of threads may seal, open, tick and ask on one channel at once, while another installs
 * or retires keys. Only sealane_channel_free needs the channel to itself. After fork only one of the two
 * processes may seal on a channel: both would use the same packet numbers. */
#ifndef SEALANE_PACKET_H
#define SEALANE_PACKET_H

#include <stddef.h>
#include <stdint.h>

#include <sealane/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sealane_format {
    SEALANE_WIREGUARD = 1,     /* WireGuard transport data, message type 4 */
    SEALANE_OPENVPN = 2,       /* OpenVPN P_DATA_V2 with AEAD, tag in front */
    SEALANE_OPENVPN_EPOCH = 3, /* OpenVPN 2.7 epoch data keys; EINVAL in this version */
    SEALANE_ESP = 4            /* IPsec ESP, RFC 7634; EINVAL in this version */
};

/* Flags of struct sealane_keys. */
#define SEALANE_ESN UINT32_C(1)         /* ESP: 64-bit sequence numbers (RFC 4303 section 2.2.1) */
#define SEALANE_IMPLICIT_IV UINT32_C(2) /* ESP: no IV on the wire (RFC 8750) */
#define SEALANE_RAW_INNER UINT32_C(4)   /* WireGuard: the payload is no IP packet: no padding, no trimming */

/* One generation of keys. Zero it, set size, then what the format needs. */
struct sealane_keys {
    uint32_t size;   /* sizeof(struct sealane_keys) */
    uint32_t format; /* enum sealane_format */
    uint32_t flags;
    uint32_t
        cpu; /* feature bits of cpu.h for these keys; 0: sealane_cpu_used(); SEALANE_CPU_NONE: portable */
    uint8_t tx_key[32]; /* equal keys are refused: a key belongs to one direction */
    uint8_t rx_key[32];
    uint8_t tx_iv[12]; /* OpenVPN: 8 bytes used; ESP: 4, the salt; WireGuard: none, zero */
    uint8_t rx_iv[12];
    uint32_t tx_id; /* WireGuard: the peer's receiver index; OpenVPN: key id << 24 | peer id; ESP: SPI */
    uint32_t rx_id;
    uint32_t window; /* how far behind the newest a number is still accepted: 64 .. 65535; 0: 8128 */
    uint32_t mtu;    /* of the tunnel, bytes: bounds WireGuard's padding; 0: no bound */
};

struct sealane_channel;

/* When keys take over. */
enum sealane_when {
    SEALANE_NOW = 0,            /* current at once (the initiator of a key exchange) */
    SEALANE_ON_FIRST_PACKET = 1 /* wait as next until the first authentic packet on them (the responder) */
};

/* Which generation of keys. */
enum sealane_slot { SEALANE_PREVIOUS = 1, SEALANE_CURRENT = 2, SEALANE_NEXT = 3, SEALANE_ALL = 4 };

/* What a channel asks for. */
enum sealane_due {
    SEALANE_REKEY = 1,     /* install new keys soon: age, counter or failed openings */
    SEALANE_EXPIRED = 2,   /* nothing can be sealed any more: no current key, or it is used up */
    SEALANE_EPOCH_KEYS = 3 /* OpenVPN epoch format: push more epoch keys */
};

/* A channel without keys, on the heap. Errors: EINVAL (NULL), ESPACE (no memory; *ch is NULL). */
SEALANE_API SEALANE_MUST_CHECK int sealane_channel_new(struct sealane_channel **ch);

/* Wipes all keys and frees. No other call may be under way on it. NULL is ignored. */
SEALANE_API void sealane_channel_free(struct sealane_channel *ch);

/* Installs new keys; the caller may wipe its copy afterwards. With SEALANE_NOW they become current, current
 * becomes previous, and keys waiting as next are dropped. With SEALANE_ON_FIRST_PACKET they wait as next
 * (replacing keys that waited) until the first authentic packet on them makes them current. Counters start
 * afresh with the keys, and the keys' age at the last tick. rx_id may not be that of another live generation.
 * Errors: EINVAL (size, format, flags, window, equal keys, ids out of the format's range, when), ESPACE (no
 * memory); the channel is as before. */
SEALANE_API SEALANE_MUST_CHECK int sealane_channel_install(struct sealane_channel *ch,
                                                           const struct sealane_keys *keys, int when);

/* Retires a generation (enum sealane_slot): no new packet is sealed or opened under it, and it is wiped when
 * the last call in flight has left. Errors: EINVAL (slot), ENOKEY (no such generation; never with
 * SEALANE_ALL). */
SEALANE_API SEALANE_MUST_CHECK int sealane_channel_retire(struct sealane_channel *ch, int slot);

/* Tells the channel the time: the caller's monotonic clock in milliseconds. Ages keys: WireGuard asks for new
 * ones 120 s after they were installed and refuses them after 180 s. A clock that runs backwards is ignored.
 */
SEALANE_API SEALANE_MUST_CHECK int sealane_channel_tick(struct sealane_channel *ch, uint64_t now_ms);

/* 0, or the most urgent of enum sealane_due, or EINVAL. */
SEALANE_API SEALANE_MUST_CHECK int sealane_channel_due(const struct sealane_channel *ch);

/* OpenVPN epoch format: the caller, who has a SHA-256, pushes K_i and IV_i of the next epoch ahead. */
SEALANE_API SEALANE_MUST_CHECK int sealane_channel_epoch(struct sealane_channel *ch, uint16_t epoch,
                                                         const uint8_t tx_key[32], const uint8_t tx_iv[12],
                                                         const uint8_t rx_key[32], const uint8_t rx_iv[12]);

/* Totals over the channel's life. Set size before the call; what a smaller size has no room for is left out.
 */
struct sealane_stats {
    uint32_t size;           /* sizeof(struct sealane_stats) */
    uint32_t generations;    /* keys alive now: bit 0 previous, bit 1 current, bit 2 next */
    uint64_t sealed_packets; /* keepalives included */
    uint64_t sealed_bytes;   /* payload bytes */
    uint64_t opened_packets; /* authentic and fresh, keepalives included */
    uint64_t opened_bytes;   /* payload bytes */
    uint64_t forged;         /* EFORGED */
    uint64_t replayed;       /* EREPLAY */
    uint64_t malformed;      /* EFORMAT and ELENGTH on opening */
    uint64_t no_key;         /* ENOKEY, both directions */
    uint64_t limit;          /* ELIMIT, both directions */
    uint64_t tx_counter;     /* next packet number of the current key */
    uint64_t rx_newest;      /* newest packet number accepted on the current key */
    uint64_t key_age_ms;     /* age of the current key at the last tick */
    uint64_t keys_installed;
    uint64_t key_forged; /* forged packets under the current key */
};

/* Errors: EINVAL (NULL, size below 8). */
SEALANE_API SEALANE_MUST_CHECK int sealane_channel_stats(const struct sealane_channel *ch,
                                                         struct sealane_stats *out);

/* What a packet is. */
enum sealane_kind {
    SEALANE_DATA = 0,
    SEALANE_KEEPALIVE = 1, /* WireGuard's empty packet, OpenVPN's ping: not to be delivered */
    SEALANE_DUMMY = 2      /* ESP next header 59 */
};

/* One packet of a burst. Zero it, then set what the call needs. */
struct sealane_packet {
    struct sealane_channel *channel; /* packets of one burst may belong to different channels */
    uint8_t *buf;                    /* the caller's buffer, headroom and tailroom included */
    size_t cap;                      /* its bytes */
    const uint8_t *src;              /* where the input lies when not at buf + off; NULL: in place */
    size_t off, len;      /* in: payload (seal) or datagram (open); out: the other one, at buf + off */
    uint64_t counter;     /* out: its packet number */
    void *user;           /* the caller's, untouched */
    int32_t status;       /* out: 0 or a negative enum sealane_error */
    uint8_t kind;         /* seal: in, open: out: enum sealane_kind */
    uint8_t next_header;  /* ESP: seal in, open out */
    uint8_t slot;         /* open, out: which keys opened it, enum sealane_slot */
    uint8_t reserved[17]; /* zero */
};

/* Seal or open n packets; return the number with status 0, keepalives included. Each packet has its own
 * status, and only packets with status 0 have new off, len, counter, kind and slot.
 *
 * Sealing takes a payload of len bytes at buf + off (or at src) and makes a datagram: it needs
 * off >= sealane_headroom() and off + len + sealane_tailroom() <= cap, else ESPACE. A packet of kind
 * SEALANE_KEEPALIVE has len 0. Opening takes a datagram at buf + off (or at src) and leaves the payload,
 * which lies inside the datagram's own range of buf. Errors: EINVAL, EOVERLAP (src overlaps buf), ESPACE,
 * ELENGTH, ENOKEY, ELIMIT, EFORMAT of a header and an early EREPLAY leave the buffer as it was; EFORGED, a
 * late EREPLAY and EFORMAT of the inside zero the range where the payload would be. */
SEALANE_API size_t sealane_seal_packets(struct sealane_packet *p, size_t n);
SEALANE_API size_t sealane_open_packets(struct sealane_packet *p, size_t n);

/* Whose packet is it: the receiver id of a datagram (rx_id of the keys that open it), to find the channel by.
 * Reads nothing but the header and authenticates nothing. Errors: EINVAL, ELENGTH, EFORMAT. */
SEALANE_API SEALANE_MUST_CHECK int sealane_peek(uint32_t format, const uint8_t *datagram, size_t len,
                                                uint32_t *id);

/* Bytes that sealing needs before and behind the payload (padding included). 0 for an unknown format. */
SEALANE_API size_t sealane_headroom(uint32_t format, uint32_t flags);
SEALANE_API size_t sealane_tailroom(uint32_t format, uint32_t flags);

#ifdef __cplusplus
}
#endif
#endif
