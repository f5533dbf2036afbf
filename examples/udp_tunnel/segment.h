/* segment.h: cuts what a TUN device with offloads hands out into packets as they go over the wire: a
 * super-packet of TCP (RFC 9293) or UDP into segments with headers and checksums of their own, and a plain
 * packet with an unfinished checksum into itself with the checksum finished. Called by the tunnel between
 * reading from TUN and sealing: first the plan, which checks everything, then a cut for each packet, straight
 * into the slot from which it is sealed. */
#ifndef UDP_TUNNEL_SEGMENT_H
#define UDP_TUNNEL_SEGMENT_H

#include <stddef.h>
#include <stdint.h>

#include "vnet.h"

/* What segment_plan found out. The caller reads n, each_len and last_len. */
struct segment_plan {
    size_t n;        /* packets that come out: 1 for a plain one */
    size_t each_len; /* bytes of every packet but the last */
    size_t last_len; /* of the last, at most each_len */

    const uint8_t *packet; /* the caller's; unchanged between the plan and the last cut */
    size_t l4, header_len; /* where the transport header starts, and where the payload does */
    size_t gso_size;       /* payload of every packet but the last */
    size_t csum_at;        /* where the checksum to finish lies; 0: none */
    uint64_t ip_sum;       /* IPv4 header without total length, id and checksum */
    uint64_t l4_sum;       /* pseudo-header and transport header without what differs between segments */
};

/* Plans for packet[0..len) with its vnet header. mtu bounds the bytes of every packet that comes out. Returns
 * 0, or -1 when the two do not fit together or a header is malformed: the packet is to be dropped. */
int segment_plan(struct segment_plan *plan, const uint8_t *packet, size_t len, const struct vnet_hdr *vnet,
                 size_t mtu);

/* Bytes of packet i < n. */
static inline size_t segment_len(const struct segment_plan *plan, size_t i)
{
    return i + 1 < plan->n ? plan->each_len : plan->last_len;
}

/* The same for a payload that lies at out + header_len already (of a plain packet: all of it at out): writes
 * the headers and the checksum. Of the planned packet it reads the headers only. */
void segment_head(const struct segment_plan *plan, size_t i, uint8_t *out);

/* Writes packet i < n, segment_len bytes, to out, which does not overlap the planned packet. In any order. */
void segment_cut(const struct segment_plan *plan, size_t i, uint8_t *out);

#endif
