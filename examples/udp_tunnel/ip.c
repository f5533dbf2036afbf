/* ip.c: see ip.h. Every length is checked before the bytes that it speaks of are read. */
#include "ip.h"

#include "checksum.h"

enum { EXT_HOP_BY_HOP = 0, EXT_ROUTING = 43, EXT_FRAGMENT = 44, EXT_DESTINATION = 60 };

static int view_ip4(struct ip_view *v, const uint8_t *packet, size_t len)
{
    size_t header = (size_t)(packet[0] & 15) * 4;

    if (len < IP4_HEADER || header < IP4_HEADER || header > len || load_be16(packet + IP4_TOTAL_LEN) != len)
        return -1;
    *v = (struct ip_view){.version = 4,
                          .protocol = packet[IP4_PROTOCOL],
                          .fragment = (load_be16(packet + IP4_FRAGMENT) & 0x3fff) != 0,
                          .extras = header != IP4_HEADER,
                          .l4 = (uint16_t)header};
    return 0;
}

static int view_ip6(struct ip_view *v, const uint8_t *packet, size_t len)
{
    if (len < IP6_HEADER || load_be16(packet + IP6_PAYLOAD_LEN) != len - IP6_HEADER)
        return -1;
    uint8_t next = packet[IP6_NEXT_HEADER];
    size_t at = IP6_HEADER; /* at most len */
    bool fragment = false;
    while (next == EXT_HOP_BY_HOP || next == EXT_ROUTING || next == EXT_FRAGMENT || next == EXT_DESTINATION) {
        if (len - at < 8)
            return -1;
        size_t ext = next == EXT_FRAGMENT ? 8 : (size_t)packet[at + 1] * 8 + 8;
        if (ext > len - at)
            return -1;
        fragment = fragment || next == EXT_FRAGMENT;
        next = packet[at];
        at += ext;
        if (fragment)
            break; /* what follows in a later fragment is no header */
    }
    if (at > UINT16_MAX)
        return -1;
    *v = (struct ip_view){
        .version = 6, .protocol = next, .fragment = fragment, .extras = at != IP6_HEADER, .l4 = (uint16_t)at};
    return 0;
}

int ip_view(struct ip_view *v, const uint8_t *packet, size_t len)
{
    if (len == 0)
        return -1;
    if (packet[0] >> 4 == 4)
        return view_ip4(v, packet, len);
    if (packet[0] >> 4 == 6)
        return view_ip6(v, packet, len);
    return -1;
}

size_t ip_l4_header(const struct ip_view *v, const uint8_t *packet, size_t len)
{
    const uint8_t *l4 = packet + v->l4;
    size_t rest = len - v->l4;

    if (v->protocol == IP_UDP)
        return rest >= UDP_HEADER && load_be16(l4 + UDP_LEN) == rest ? UDP_HEADER : 0;
    if (v->protocol != IP_TCP || rest < TCP_HEADER)
        return 0;
    size_t header = (size_t)(l4[TCP_DATA_OFFSET] >> 4) * 4;
    return header >= TCP_HEADER && header <= rest ? header : 0;
}

uint64_t ip_pseudo_sum(const struct ip_view *v, const uint8_t *packet)
{
    uint64_t sum = checksum_word16(v->protocol);

    return v->version == 4 ? checksum_add(sum, packet + IP4_ADDRESSES, 8)
                           : checksum_add(sum, packet + IP6_ADDRESSES, 32);
}
