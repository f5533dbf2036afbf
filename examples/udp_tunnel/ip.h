/* ip.h: where the headers of an IPv4 (RFC 791) or IPv6 (RFC 8200) packet end, and the offsets in TCP
 * (RFC 9293) and UDP (RFC 768) that segment.c and coalesce.c work on. */
#ifndef UDP_TUNNEL_IP_H
#define UDP_TUNNEL_IP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    IP_MAX_LEN = 65535,

    IP4_HEADER = 20,
    IP4_TOS = 1,
    IP4_TOTAL_LEN = 2,
    IP4_ID = 4,
    IP4_FRAGMENT = 6,
    IP4_TTL = 8,
    IP4_PROTOCOL = 9,
    IP4_CHECKSUM = 10,
    IP4_ADDRESSES = 12,
    IP4_DONT_FRAGMENT = 0x4000,

    IP6_HEADER = 40,
    IP6_PAYLOAD_LEN = 4,
    IP6_NEXT_HEADER = 6,
    IP6_ADDRESSES = 8,

    IP_TCP = 6,
    IP_UDP = 17,

    UDP_HEADER = 8,
    UDP_LEN = 4,
    UDP_CHECKSUM = 6,

    TCP_HEADER = 20,
    TCP_SEQ = 4,
    TCP_ACK = 8,
    TCP_DATA_OFFSET = 12,
    TCP_FLAGS = 13,
    TCP_WINDOW = 14,
    TCP_CHECKSUM = 16,
    TCP_URGENT = 18,

    TCP_FIN = 0x01,
    TCP_SYN = 0x02,
    TCP_RST = 0x04,
    TCP_PSH = 0x08,
    TCP_FLAG_ACK = 0x10,
    TCP_URG = 0x20,
    TCP_CWR = 0x80
};

struct ip_view {
    uint8_t version;  /* 4 or 6 */
    uint8_t protocol; /* of the transport, behind IPv6's extension headers */
    bool fragment;    /* any fragment, the first included */
    bool extras;      /* IPv4 options or IPv6 extension headers */
    uint16_t l4;      /* where the transport header starts, at most the packet's length */
};

/* Looks through the IP headers of a packet of len bytes. 0, or -1 when they are cut short, are of another
 * version, or give another length than len. Nothing is said of the transport header: it may be cut short. */
int ip_view(struct ip_view *v, const uint8_t *packet, size_t len);

/* Bytes of the transport header of a view whose protocol is TCP or UDP: 0 when it is cut short or malformed,
 * or when the protocol is another one. */
size_t ip_l4_header(const struct ip_view *v, const uint8_t *packet, size_t len);

/* The sum of both addresses and the protocol: a pseudo-header (RFC 9293 section 3.1, RFC 8200 section 8.1)
 * without the length. */
uint64_t ip_pseudo_sum(const struct ip_view *v, const uint8_t *packet);

static inline uint16_t load_be16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t load_be32(const uint8_t *p)
{
    return (uint32_t)load_be16(p) << 16 | load_be16(p + 2);
}

static inline void store_be16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

static inline void store_be32(uint8_t *p, uint32_t v)
{
    store_be16(p, (uint16_t)(v >> 16));
    store_be16(p + 2, (uint16_t)v);
}

#endif
