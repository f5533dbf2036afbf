/* uplink.h: the way out: packets read from TUN, super-packets cut, sealed as one burst, sent to the peer.
 * Called by tunnel.c when TUN is readable, and when the socket has room again. */
#ifndef TUNNEL_UPLINK_H
#define TUNNEL_UPLINK_H

#include <sealane/packet.h>

#include "peer.h"
#include "reader.h"
#include "stats.h"
#include "tun.h"
#include "udp.h"

/* Packets of one burst. */
#define UPLINK_PACKETS 128u

struct uplink {
    struct tun *tun;
    struct udp *udp;
    struct peer *peer;
    struct stats *stats;
    int one_by_one; /* --no-burst */

    struct reader reader;
    struct sealane_packet packets[UPLINK_PACKETS + READER_SEGMENTS];
    size_t n, next;    /* packets, and the first that is not sent yet */
    struct address to; /* where they go */
    uint8_t *arena;    /* where they lie */
};

/* Sets up buffers; the pointers above are the caller's to set. 0, or -1 after a message. */
int uplink_init(struct uplink *u);
void uplink_free(struct uplink *u);

/* Sends what is left of the last burst, then reads and sends one more: no second one, because the other
 * direction's acknowledgements, which the next burst waits for, have to be read in between. With UDP_WAIT and
 * UDP_PAUSE something is left, and TUN is not to be read until it went out. */
enum udp_result uplink_run(struct uplink *u, uint64_t now_ms);

/* Seals p[0..n), in one burst or one by one. */
void uplink_seal(struct sealane_packet *p, size_t n, int one_by_one);

#endif
