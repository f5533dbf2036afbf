/* packet.h: the data channel of one peer, both directions: headers, packet numbers, nonces, replay windows,
 * key changes, and bursts of packets, in the formats of real VPNs. docs/packet.md tells how a daemon uses it.
 *
 * Threads: any number of threads may seal, open, tick and ask on one channel at once, while another installs
 * or retires keys. Only sealane_channel_free needs the channel to itself. After fork only one of the two
 * processes may seal on a channel: both would use the same packet numbers.
 *
 * A channel is a heap object that cannot be copied: every call refuses a copy, a NULL or a zeroed channel
 * with EINVAL. */
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
    uint32_t size;      /* sizeof(struct sealane_keys) */
    uint32_t format;    /* enum sealane_format; the same for all keys that are alive on a channel */
    uint32_t flags;     /* those that belong to the format; others are refused */
    uint32_t cpu;       /* SEALANE_CPU_ bits of these keys' kernels, as far as the machine has them; 0: what
                           sealane_cpu_used() says now; SEALANE_CPU_NONE: portable code */
    uint8_t tx_key[32]; /* equal keys are refused: a key belongs to one direction */
    uint8_t rx_key[32];
    uint8_t tx_iv[12]; /* OpenVPN: 8 bytes used; ESP: 4, the salt; WireGuard: none */
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
 * (replacing keys that waited) until the first authentic packet on them makes them current. Numbers and
 * failures are counted anew; the keys are as old as the last tick.
 * Errors: ESPACE (no memory); EINVAL: size, format, flags, window or when is out of its range; an id is
 * beyond the format's range; rx_id is that of keys that stay; another format than that of keys that are
 * alive; tx_key equals rx_key, or either is a key that is alive on the channel in either direction. The
 * channel is then as before. */
SEALANE_API SEALANE_MUST_CHECK int sealane_channel_install(struct sealane_channel *ch,
                                                           const struct sealane_keys *keys, int when);

/* Retires a generation (enum sealane_slot): no call that begins later seals or opens under it, and it is
 * wiped when the last call in flight has left. Errors: EINVAL (slot), ENOKEY (no such generation; never with
 * SEALANE_ALL). */
SEALANE_API SEALANE_MUST_CHECK int sealane_channel_retire(struct sealane_channel *ch, int slot);

/* Tells the channel the time: the caller's monotonic clock in milliseconds, from any start. Ages keys:
 * WireGuard asks for new ones 120 s after they were installed; after 180 s they are wiped, and their packets
 * get ELIMIT. OpenVPN's keys do not age. A clock that runs backwards is ignored. */
SEALANE_API SEALANE_MUST_CHECK int sealane_channel_tick(struct sealane_channel *ch, uint64_t now_ms);

/* What the current keys need: 0, or the most urgent of enum sealane_due; or EINVAL. New keys are due from
 * packet number 2^60 (WireGuard) or 0xff000000 (OpenVPN) on, past 2^35 forged packets, and by age. Keys are
 * used up at number 2^64 - 2^13 - 1 or 2^32, past 2^36 forged packets, and by age. */
SEALANE_API SEALANE_MUST_CHECK int sealane_channel_due(const struct sealane_channel *ch);

/* OpenVPN epoch format: the caller, who has a SHA-256, pushes K_i and IV_i of the next epoch ahead. EINVAL in
 * this version. */
SEALANE_API SEALANE_MUST_CHECK int sealane_channel_epoch(struct sealane_channel *ch, uint16_t epoch,
                                                         const uint8_t tx_key[32], const uint8_t tx_iv[12],
                                                         const uint8_t rx_key[32], const uint8_t rx_iv[12]);

/* Totals over the channel's life, and the state of its current keys (0 without them). Set size before the
 * call: what a smaller size has no room for is left out; size is then the number of bytes that were filled
 * in. */
struct sealane_stats {
    uint32_t size;           /* sizeof(struct sealane_stats) */
    uint32_t generations;    /* keys alive now: bit 0 previous, bit 1 current, bit 2 next */
    uint64_t sealed_packets; /* keepalives included */
    uint64_t sealed_bytes;   /* payload bytes */
    uint64_t opened_packets; /* authentic, fresh and well-formed, keepalives included */
    uint64_t opened_bytes;   /* payload bytes */
    uint64_t forged;         /* EFORGED */
    uint64_t replayed;       /* EREPLAY */
    uint64_t malformed;      /* EFORMAT and ELENGTH on opening */
    uint64_t no_key;         /* ENOKEY, both directions */
    uint64_t limit;          /* ELIMIT, both directions */
    uint64_t tx_counter;     /* next packet number of the current key */
    uint64_t rx_newest;  /* newest packet number accepted on the current key; 0 as well before the first */
    uint64_t key_age_ms; /* age of the current key at the last tick */
    uint64_t keys_installed; /* generations over the channel's life */
    uint64_t key_forged;     /* forged packets under the current key */
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
    const uint8_t *src;  /* where the input lies when not at buf + off (read only); NULL: in place */
    size_t off, len;     /* in: payload (seal) or datagram (open); out: the other one, at buf + off */
    uint64_t counter;    /* out: its packet number */
    void *user;          /* the caller's, untouched */
    int32_t status;      /* out: 0 or a negative enum sealane_error */
    uint8_t kind;        /* seal: in, open: out: enum sealane_kind */
    uint8_t next_header; /* ESP: seal in, open out */
    uint8_t slot;        /* open, out: enum sealane_slot, which keys opened it; SEALANE_NEXT: this very packet
                            made the waiting keys current, later ones of the burst say SEALANE_CURRENT */
    uint8_t reserved[17]; /* zero; anything else is EINVAL, so that later versions can give it a meaning */
};

/* Seal or open n packets; return the number with status 0, keepalives included. Each packet has its own
 * status: one that is refused costs its neighbours nothing. Only packets with status 0 have new off, len,
 * counter, kind and slot. Packets of one burst may not write where others read or write. n = 0 is legal.
 *
 * buf holds off + len bytes at least, with src too: the output lies where it would lie in place, and is the
 * same. src equals buf + off, or does not touch buf.
 *
 * Sealing takes a payload of len bytes and makes a datagram: off >= sealane_headroom() and off + len +
 * sealane_tailroom() <= cap. The packet numbers of a channel follow the order of the burst. A packet of kind
 * SEALANE_KEEPALIVE has len 0; OpenVPN's needs room for its 16 bytes at buf + off. WireGuard cannot tell an
 * empty payload from a keepalive.
 *
 * Opening takes a datagram and leaves the payload inside its range of buf. Bytes of that range outside the
 * payload, where header, padding and tag were, are unspecified after success. While the call runs the range
 * may hold bytes that are not verified yet.
 *
 * The calls use less than 40 KiB of stack and leave no secret there.
 *
 * Errors. These leave the buffer as it was:
 *   EINVAL    channel, reserved, buf NULL with cap > 0; sealing: kind
 *   ESPACE    the input does not lie within cap; sealing: too little headroom or tailroom
 *   EOVERLAP  src touches buf and is not buf + off
 *   ELENGTH   opening: shorter than the format's smallest datagram; both: longer than the cipher allows
 *   EFORMAT   opening: the header is not of the channel's format
 *   ENOKEY    no current keys to send on; no keys with the datagram's id
 *   ELIMIT    the keys are used up, by number, failed openings or age; a received number at or past the limit
 *   EREPLAY   the number was seen, or is too old
 * These zero the range where the plaintext would be (the datagram without header and tag), and nothing else:
 *   EFORGED   not authentic
 *   EREPLAY   authentic, and a copy was accepted meanwhile, maybe from the same burst
 *   EFORMAT   authentic and counted as seen, and its inside is wrong (WireGuard: no IP packet of that length)
 */
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
