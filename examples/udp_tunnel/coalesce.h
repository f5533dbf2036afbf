/* coalesce.h: merges the packets of one receive burst, flow by flow, into super-packets for a TUN device with
 * offloads. Called by the tunnel between opening and writing to TUN: add every packet of the burst, write the
 * items in order, reset. Packets are not copied: an item is a list of spans for writev.
 *
 * What merges: segments of one TCP or UDP flow, in sequence, whose headers say the same except for lengths,
 * sequence number, IPv4 id, checksum and PSH, and whose checksums are right. Everything else passes through
 * as it is. A segment with PSH, and one shorter than the first, closes its super-packet; so does any packet
 * of the flow that does not merge, so that the order within a flow stays as received. */
#ifndef UDP_TUNNEL_COALESCE_H
#define UDP_TUNNEL_COALESCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "vnet.h"

enum {
    COALESCE_MAX_PACKETS = 1024, /* between two resets */
    COALESCE_MAX_PIECES = 128,   /* packets in one super-packet */
    COALESCE_BUCKETS = 512,      /* hash table of flows, a power of two */
    COALESCE_WAYS = 4            /* buckets that a flow may lie in */
};

/* What the TUN device takes. */
enum coalesce_offload { COALESCE_TCP4 = 1, COALESCE_TCP6 = 2, COALESCE_UDP = 4 };

struct coalesce_piece {
    uint8_t *data;
    uint32_t len;
    uint32_t next; /* index of the next piece of the same item */
};

struct coalesce_item {
    struct vnet_hdr vnet; /* zero for a packet that passes through */
    uint32_t first, last; /* pieces */
    uint32_t n_pieces;
    uint32_t len;        /* IP packet: all pieces */
    uint32_t hash;       /* of the flow; only of items that are in a bucket */
    uint32_t next_seq;   /* TCP */
    uint16_t l4;         /* of the first packet: where the transport header starts, */
    uint16_t header_len; /* where the payload does, */
    uint16_t payload;    /* and its bytes */
    uint8_t offload;     /* enum coalesce_offload */
    bool open;           /* may grow */
};

/* The caller's, about 100 KB, to be treated as opaque. */
struct coalesce {
    unsigned offloads; /* enum coalesce_offload, or-ed */
    uint32_t n_items, n_pieces;
    uint16_t bucket[COALESCE_BUCKETS]; /* newest item of a flow + 1; 0: none */
    struct coalesce_item item[COALESCE_MAX_PACKETS];
    struct coalesce_piece piece[COALESCE_MAX_PACKETS];
};

/* Empties c; offloads 0 lets every packet pass through. */
void coalesce_reset(struct coalesce *c, unsigned offloads);

/* Adds packet[0..len), which stays where it is, writable, until its item is written. 0, or -1 when
 * COALESCE_MAX_PACKETS have been added: write, reset, add again. */
int coalesce_add(struct coalesce *c, uint8_t *packet, size_t len);

/* Items so far. */
static inline size_t coalesce_items(const struct coalesce *c)
{
    return c->n_items;
}

/* Finishes item i: writes the headers of a super-packet into its first packet. Fills iov with the vnet header
 * and the pieces, and returns how many spans there are, at least 2; a device without vnet headers gets iov[1]
 * (and offloads 0). Once for each item, after the last packet was added. */
size_t coalesce_finish(struct coalesce *c, size_t i, struct iovec iov[COALESCE_MAX_PIECES + 1]);

#endif
