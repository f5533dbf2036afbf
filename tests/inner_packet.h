/* inner_packet.h: IPv4 and IPv6 packets of TCP and UDP, built byte by byte from a description, with checksums
 * summed as RFC 1071 words it: what the tunnel's segment.c and coalesce.c are compared with. */
#ifndef TESTS_INNER_PACKET_H
#define TESTS_INNER_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "vnet.h"

struct inner {
    int version; /* 4 or 6 */
    bool udp;
    bool df;      /* IPv4 */
    uint8_t host; /* last byte of the source address */
    uint8_t tos, ttl;
    uint32_t flow_label; /* IPv6, 20 bits */
    uint16_t id;         /* IPv4 */
    uint16_t sport, dport;
    uint32_t seq, ack; /* TCP */
    uint8_t flags;
    uint16_t window;
    uint8_t options_len; /* TCP, a multiple of 4, at most 40 */
    uint8_t option;      /* what the options are filled with */
};

enum {
    INNER_FIN = 1,
    INNER_SYN = 2,
    INNER_RST = 4,
    INNER_PSH = 8,
    INNER_ACK = 16,
    INNER_URG = 32,
    INNER_CWR = 128
};

/* A small generator of numbers (xorshift64*), so that a failure is found again. */
static inline uint32_t inner_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)(*state * UINT64_C(2685821657736338717) >> 32);
}

static inline void inner_random_bytes(uint64_t *state, uint8_t *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = (uint8_t)inner_random(state);
}

/* RFC 1071: 16-bit words, the last one filled up with a zero byte, carries brought round. Not inverted. */
static inline uint32_t inner_sum(uint32_t sum, const uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        sum += i % 2 == 0 ? (uint32_t)p[i] << 8 : p[i];
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
}

static inline uint8_t *inner_put(uint8_t *p, uint32_t value, int n_bytes)
{
    while (n_bytes-- > 0)
        *p++ = (uint8_t)(value >> 8 * n_bytes);
    return p;
}

static inline size_t inner_ip_len(const struct inner *t)
{
    return t->version == 4 ? 20 : 40;
}

static inline size_t inner_header_len(const struct inner *t)
{
    return inner_ip_len(t) + (t->udp ? 8u : 20u + t->options_len);
}

static inline void inner_put_ip(uint8_t *p, const struct inner *t, size_t len)
{
    uint8_t protocol = t->udp ? 17 : 6;

    memset(p, 0, inner_ip_len(t));
    if (t->version == 4) {
        p[0] = 0x45;
        p[1] = t->tos;
        inner_put(p + 2, (uint32_t)len, 2);
        inner_put(p + 4, t->id, 2);
        p[6] = t->df ? 0x40 : 0;
        p[8] = t->ttl;
        p[9] = protocol;
        memcpy(p + 12, (const uint8_t[]){10, 1, 2, t->host, 10, 3, 4, 5}, 8);
        inner_put(p + 10, ~inner_sum(0, p, 20), 2);
        return;
    }
    inner_put(p, 6u << 28 | (uint32_t)t->tos << 20 | t->flow_label, 4);
    inner_put(p + 4, (uint32_t)len - 40, 2);
    p[6] = protocol;
    p[7] = t->ttl;
    memcpy(p + 8, (const uint8_t[]){0xfd, 1, [7] = 9, [15] = t->host}, 16);
    memcpy(p + 24, (const uint8_t[]){0xfd, 2, [3] = 0xff, [15] = 7}, 16);
}

/* The pseudo-header's sum of a finished IP header. */
static inline uint32_t inner_pseudo(const uint8_t *packet, const struct inner *t, size_t l4_len)
{
    uint32_t sum = t->udp ? 17 : 6;

    sum = t->version == 4 ? inner_sum(sum, packet + 12, 8) : inner_sum(sum, packet + 8, 32);
    uint8_t len[4];
    inner_put(len, (uint32_t)l4_len, 4);
    return inner_sum(sum, len, 4);
}

static inline size_t inner_csum_offset(const struct inner *t)
{
    return t->udp ? 6 : 16;
}

static inline size_t inner_build_unsummed(uint8_t *out, const struct inner *t, const uint8_t *payload,
                                          size_t payload_len)
{
    size_t ip_len = inner_ip_len(t), header = inner_header_len(t), len = header + payload_len;
    uint8_t *l4 = out + ip_len;

    inner_put_ip(out, t, len);
    memset(l4, 0, header - ip_len);
    inner_put(l4, t->sport, 2);
    inner_put(l4 + 2, t->dport, 2);
    if (t->udp) {
        inner_put(l4 + 4, (uint32_t)(len - ip_len), 2);
    } else {
        inner_put(l4 + 4, t->seq, 4);
        inner_put(l4 + 8, t->ack, 4);
        l4[12] = (uint8_t)((20 + t->options_len) / 4 << 4);
        l4[13] = t->flags;
        inner_put(l4 + 14, t->window, 2);
        memset(l4 + 20, t->option, t->options_len);
    }
    memcpy(out + header, payload, payload_len);
    return len;
}

/* A packet as it goes over a wire. Returns its length. */
static inline size_t inner_build(uint8_t *out, const struct inner *t, const uint8_t *payload,
                                 size_t payload_len)
{
    size_t len = inner_build_unsummed(out, t, payload, payload_len);
    uint8_t *l4 = out + inner_ip_len(t);
    size_t l4_len = len - inner_ip_len(t);
    uint32_t field = ~inner_sum(inner_pseudo(out, t, l4_len), l4, l4_len) & 0xffff;

    inner_put(l4 + inner_csum_offset(t), field != 0 ? field : 0xffff, 2);
    return len;
}

/* A super-packet as the kernel hands it out: its checksum field holds the pseudo-header's sum. */
static inline size_t inner_build_super(uint8_t *out, struct vnet_hdr *vnet, const struct inner *t,
                                       const uint8_t *payload, size_t payload_len, size_t gso_size)
{
    size_t len = inner_build_unsummed(out, t, payload, payload_len);
    size_t ip_len = inner_ip_len(t);

    inner_put(out + ip_len + inner_csum_offset(t), inner_pseudo(out, t, len - ip_len), 2);
    *vnet = (struct vnet_hdr){.flags = VNET_NEEDS_CSUM,
                              .gso_type = t->udp            ? VNET_GSO_UDP_L4
                                          : t->version == 4 ? VNET_GSO_TCPV4
                                                            : VNET_GSO_TCPV6,
                              .hdr_len = (uint16_t)inner_header_len(t),
                              .gso_size = (uint16_t)gso_size,
                              .csum_start = (uint16_t)ip_len,
                              .csum_offset = (uint16_t)inner_csum_offset(t)};
    return len;
}

/* Description i of n segments of a super-packet t: what is to stand in the headers. */
static inline struct inner inner_segment(const struct inner *t, size_t i, size_t n, size_t gso_size)
{
    struct inner s = *t;

    s.id = (uint16_t)(t->id + i);
    s.seq = (uint32_t)(t->seq + i * gso_size);
    if (i + 1 < n)
        s.flags &= (uint8_t) ~(INNER_FIN | INNER_PSH);
    if (i > 0)
        s.flags &= (uint8_t)~INNER_CWR;
    return s;
}

/* A random flow: anything that may legally stand in its headers. */
static inline struct inner inner_random_flow(uint64_t *state)
{
    return (struct inner){.version = inner_random(state) % 2 ? 4 : 6,
                          .udp = inner_random(state) % 3 == 0,
                          .df = inner_random(state) % 2 != 0,
                          .host = (uint8_t)inner_random(state),
                          .tos = (uint8_t)inner_random(state),
                          .ttl = (uint8_t)(inner_random(state) % 255 + 1),
                          .flow_label = inner_random(state) & 0xfffff,
                          .id = (uint16_t)inner_random(state),
                          .sport = (uint16_t)inner_random(state),
                          .dport = (uint16_t)inner_random(state),
                          .seq = inner_random(state),
                          .ack = inner_random(state),
                          .flags = INNER_ACK,
                          .window = (uint16_t)inner_random(state),
                          .options_len = (uint8_t)(inner_random(state) % 11 * 4),
                          .option = (uint8_t)inner_random(state)};
}

#endif
