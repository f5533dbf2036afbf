/* coalesce.c: see coalesce.h. The newest item of each flow is found through a small hash table without
 * chains: a flow that loses its bucket starts a new item, which costs speed and never order. */
#include "coalesce.h"

#include <string.h>

#include "checksum.h"
#include "ip.h"

/* A packet that is fit to be merged. */
struct segment {
    struct ip_view ip;
    uint8_t *packet;
    uint16_t len, header_len, payload;
    uint8_t offload;
};

void coalesce_reset(struct coalesce *c, unsigned offloads)
{
    c->offloads = offloads;
    c->n_items = 0;
    c->n_pieces = 0;
    memset(c->bucket, 0, sizeof c->bucket);
}

/* Which offload a packet would need; 0 for what cannot be in a flow. */
static uint8_t offload_of(const struct ip_view *ip)
{
    if (ip->protocol == IP_UDP)
        return COALESCE_UDP;
    if (ip->protocol == IP_TCP)
        return ip->version == 4 ? COALESCE_TCP4 : COALESCE_TCP6;
    return 0;
}

static bool checksums_right(const struct segment *s)
{
    const uint8_t *l4 = s->packet + s->ip.l4;
    size_t l4_len = (size_t)s->len - s->ip.l4;

    if (s->ip.version == 4 && checksum_fold(checksum_add(0, s->packet, IP4_HEADER)) != 0xffff)
        return false;
    if (s->offload == COALESCE_UDP && load_be16(l4 + UDP_CHECKSUM) == 0)
        return false; /* the sender took none, and the super-packet would get one */
    uint64_t sum = checksum_plus(ip_pseudo_sum(&s->ip, s->packet), checksum_word16((uint16_t)l4_len));
    return checksum_fold(checksum_add(sum, l4, l4_len)) == 0xffff;
}

/* Is it a segment with payload, of a kind that the device takes, and right? ip (no fragment, no options) and
 * packet are set. */
static bool segment_fits(struct segment *s, unsigned offloads, size_t len)
{
    size_t header = ip_l4_header(&s->ip, s->packet, len);

    s->offload = offload_of(&s->ip);
    if ((s->offload & offloads) == 0 || header == 0 || s->ip.l4 + header == len || len > IP_MAX_LEN)
        return false;
    if (s->offload != COALESCE_UDP &&
        (s->packet[s->ip.l4 + TCP_FLAGS] & ~TCP_PSH) != TCP_FLAG_ACK) /* SYN, FIN, RST, URG, ECE, CWR */
        return false;
    s->len = (uint16_t)len;
    s->header_len = (uint16_t)(s->ip.l4 + header);
    s->payload = (uint16_t)(len - s->header_len);
    return checksums_right(s);
}

/* Addresses, and both ports, which are the first four bytes of TCP and UDP alike. */
static bool same_flow(const uint8_t *a, const uint8_t *b, size_t l4)
{
    if (a[0] >> 4 == 4)
        return memcmp(a + IP4_ADDRESSES, b + IP4_ADDRESSES, 8) == 0 && memcmp(a + l4, b + l4, 4) == 0;
    return memcmp(a + IP6_ADDRESSES, b + IP6_ADDRESSES, 32) == 0 && memcmp(a + l4, b + l4, 4) == 0;
}

static uint32_t hash_flow(const uint8_t *packet, size_t l4)
{
    bool v4 = packet[0] >> 4 == 4;
    const uint8_t *address = packet + (v4 ? IP4_ADDRESSES : IP6_ADDRESSES);
    uint64_t hash = load_be32(packet + l4);

    for (size_t i = 0; i < (v4 ? 8 : 32); i += 4)
        hash = (hash ^ load_be32(address + i)) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(hash >> 32);
}

/* The bucket of a packet's flow: the one that has its newest item, or else an empty one. When there is none
 * the first is emptied: its flow is forgotten. */
static uint16_t *find_bucket(struct coalesce *c, const uint8_t *packet, size_t l4, uint8_t offload,
                             uint32_t hash)
{
    uint16_t *free = NULL;

    for (uint32_t way = 0; way < COALESCE_WAYS; way++) {
        uint16_t *bucket = &c->bucket[(hash + way) % COALESCE_BUCKETS];
        if (*bucket == 0) {
            free = free != NULL ? free : bucket;
            continue;
        }
        const struct coalesce_item *item = &c->item[*bucket - 1];
        if (item->hash == hash && item->offload == offload && item->l4 == l4 &&
            same_flow(c->piece[item->first].data, packet, l4))
            return bucket;
    }
    if (free == NULL) {
        free = &c->bucket[hash % COALESCE_BUCKETS];
        *free = 0;
    }
    return free;
}

/* Do the IP headers say the same? IPv4's id counts on, unless DF is set and it means nothing (RFC 6864
 * section 4.1). */
static bool same_ip(const struct coalesce_item *item, const uint8_t *first, const uint8_t *packet)
{
    if (first[0] >> 4 == 6)
        return memcmp(first, packet, IP6_PAYLOAD_LEN) == 0 &&
               memcmp(first + IP6_NEXT_HEADER, packet + IP6_NEXT_HEADER, 2) == 0;
    uint16_t id = (uint16_t)(load_be16(first + IP4_ID) + item->n_pieces);
    return memcmp(first, packet, IP4_TOTAL_LEN) == 0 &&
           memcmp(first + IP4_FRAGMENT, packet + IP4_FRAGMENT, 4) == 0 &&
           ((load_be16(packet + IP4_FRAGMENT) & IP4_DONT_FRAGMENT) != 0 || load_be16(packet + IP4_ID) == id);
}

/* Do the TCP headers say the same, but for sequence number, checksum and PSH, and does the number follow? */
static bool same_tcp(const struct coalesce_item *item, const uint8_t *first, const struct segment *s)
{
    const uint8_t *a = first + item->l4, *b = s->packet + s->ip.l4;

    return load_be32(b + TCP_SEQ) == item->next_seq && memcmp(a + TCP_ACK, b + TCP_ACK, 5) == 0 &&
           memcmp(a + TCP_WINDOW, b + TCP_WINDOW, 2) == 0 &&
           memcmp(a + TCP_URGENT, b + TCP_URGENT, (size_t)(item->header_len - item->l4 - TCP_URGENT)) == 0;
}

static bool mergeable(const struct coalesce *c, const struct coalesce_item *item, const struct segment *s)
{
    const uint8_t *first = c->piece[item->first].data;

    return item->open && s->header_len == item->header_len && s->payload <= item->payload &&
           item->len + s->payload <= IP_MAX_LEN && same_ip(item, first, s->packet) &&
           (item->offload == COALESCE_UDP || same_tcp(item, first, s));
}

static bool has_psh(const struct segment *s)
{
    return s->offload != COALESCE_UDP && (s->packet[s->ip.l4 + TCP_FLAGS] & TCP_PSH) != 0;
}

static void merge(struct coalesce *c, struct coalesce_item *item, const struct segment *s)
{
    uint32_t at = c->n_pieces++;

    c->piece[at] = (struct coalesce_piece){.data = s->packet + s->header_len, .len = s->payload};
    c->piece[item->last].next = at;
    item->last = at;
    item->n_pieces++;
    item->len += s->payload;
    item->next_seq += s->payload;
    item->open = s->payload == item->payload && item->n_pieces < COALESCE_MAX_PIECES && !has_psh(s);
    if (has_psh(s))
        c->piece[item->first].data[item->l4 + TCP_FLAGS] |= TCP_PSH;
}

/* A new item of one packet, closed. */
static struct coalesce_item *new_item(struct coalesce *c, uint8_t *packet, size_t len)
{
    uint32_t at = c->n_pieces++;
    struct coalesce_item *item = &c->item[c->n_items++];

    c->piece[at] = (struct coalesce_piece){.data = packet, .len = (uint32_t)len};
    *item = (struct coalesce_item){.first = at, .last = at, .n_pieces = 1, .len = (uint32_t)len};
    return item;
}

static void open_item(struct coalesce_item *item, const struct segment *s, uint32_t hash)
{
    item->hash = hash;
    item->l4 = s->ip.l4;
    item->header_len = s->header_len;
    item->payload = s->payload;
    item->offload = s->offload;
    item->open = !has_psh(s);
    if (s->offload != COALESCE_UDP)
        item->next_seq = load_be32(s->packet + s->ip.l4 + TCP_SEQ) + s->payload;
}

/* Nothing that has been added may grow any more: for a packet that may belong to any flow. */
static void close_all(struct coalesce *c)
{
    memset(c->bucket, 0, sizeof c->bucket);
}

int coalesce_add(struct coalesce *c, uint8_t *packet, size_t len)
{
    struct segment s = {.packet = packet};

    if (c->n_pieces == COALESCE_MAX_PACKETS)
        return -1;
    if (c->offloads == 0) {
        new_item(c, packet, len);
        return 0;
    }
    if (ip_view(&s.ip, packet, len) != 0 || s.ip.fragment || s.ip.extras || len - s.ip.l4 < 4) {
        close_all(c);
        new_item(c, packet, len);
        return 0;
    }
    uint8_t offload = offload_of(&s.ip);
    if (offload == 0) {
        new_item(c, packet, len);
        return 0;
    }
    uint32_t hash = hash_flow(packet, s.ip.l4);
    uint16_t *bucket = find_bucket(c, packet, s.ip.l4, offload, hash);
    if (!segment_fits(&s, c->offloads, len)) {
        *bucket = 0;
        new_item(c, packet, len);
        return 0;
    }
    if (*bucket != 0 && mergeable(c, &c->item[*bucket - 1], &s)) {
        merge(c, &c->item[*bucket - 1], &s);
        return 0;
    }
    open_item(new_item(c, packet, len), &s, hash);
    *bucket = (uint16_t)c->n_items;
    return 0;
}

/* The headers of the whole: lengths, the IPv4 checksum, and the pseudo-header's sum where the kernel or the
 * network card finishes the transport's checksum. */
static void finish_headers(const struct coalesce_item *item, uint8_t *packet, uint16_t csum_offset)
{
    struct ip_view ip = {.version = packet[0] >> 4,
                         .protocol = item->offload == COALESCE_UDP ? IP_UDP : IP_TCP,
                         .l4 = item->l4};
    uint8_t *l4 = packet + item->l4;
    uint16_t l4_len = (uint16_t)(item->len - item->l4);

    if (ip.version == 4) {
        store_be16(packet + IP4_TOTAL_LEN, (uint16_t)item->len);
        store_be16(packet + IP4_CHECKSUM, 0);
        checksum_store(packet + IP4_CHECKSUM, (uint16_t)~checksum_fold(checksum_add(0, packet, IP4_HEADER)));
    } else {
        store_be16(packet + IP6_PAYLOAD_LEN, l4_len);
    }
    if (item->offload == COALESCE_UDP)
        store_be16(l4 + UDP_LEN, l4_len);
    checksum_store(l4 + csum_offset,
                   checksum_fold(checksum_plus(ip_pseudo_sum(&ip, packet), checksum_word16(l4_len))));
}

static uint8_t gso_type(uint8_t offload)
{
    switch (offload) {
    case COALESCE_TCP4:
        return VNET_GSO_TCPV4;
    case COALESCE_TCP6:
        return VNET_GSO_TCPV6;
    default:
        return VNET_GSO_UDP_L4;
    }
}

size_t coalesce_finish(struct coalesce *c, size_t i, struct iovec iov[COALESCE_MAX_PIECES + 1])
{
    struct coalesce_item *item = &c->item[i];
    size_t n = 0;

    if (item->n_pieces > 1) {
        uint16_t csum_offset = item->offload == COALESCE_UDP ? UDP_CHECKSUM : TCP_CHECKSUM;
        finish_headers(item, c->piece[item->first].data, csum_offset);
        item->vnet = (struct vnet_hdr){.flags = VNET_NEEDS_CSUM,
                                       .gso_type = gso_type(item->offload),
                                       .hdr_len = item->header_len,
                                       .gso_size = item->payload,
                                       .csum_start = item->l4,
                                       .csum_offset = csum_offset};
    }
    iov[n++] = (struct iovec){.iov_base = &item->vnet, .iov_len = sizeof item->vnet};
    for (uint32_t at = item->first; n <= item->n_pieces; at = c->piece[at].next)
        iov[n++] = (struct iovec){.iov_base = c->piece[at].data, .iov_len = c->piece[at].len};
    return n;
}
