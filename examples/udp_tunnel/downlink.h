/* downlink.h: the way in: datagrams received in bursts, opened as one burst, merged by flow, written to TUN.
 * Called by tunnel.c when the socket is readable. */
#ifndef TUNNEL_DOWNLINK_H
#define TUNNEL_DOWNLINK_H

#include <sealane/packet.h>

#include "coalesce.h"
#include "peer.h"
#include "stats.h"
#include "tun.h"
#include "udp.h"

/* Datagrams of one burst. */
#define DOWNLINK_PACKETS 1024u
_Static_assert(DOWNLINK_PACKETS <= COALESCE_MAX_PACKETS, "a burst is merged as a whole");

struct downlink {
    struct tun *tun; /* NULL: what arrives is only counted (the demonstration) */
    struct udp *udp;
    struct peer *peer;
    struct stats *stats;
    int one_by_one; /* --no-burst */

    struct udp_batch batch;
    struct sealane_packet packets[DOWNLINK_PACKETS];
    uint32_t ids[DOWNLINK_PACKETS]; /* receiver indices: opening may overwrite headers */
    size_t n;
    struct coalesce coalesce;
    uint8_t *super; /* a super-packet that TUN refused, and one packet cut from it */
    struct log_limit log;
};

/* Sets up buffers; the pointers above are the caller's to set. 0, or -1 after a message. */
int downlink_init(struct downlink *d);
void downlink_free(struct downlink *d);

/* Receives and delivers one burst: no second one before the answers to it are sent. */
void downlink_run(struct downlink *d, uint64_t now_ms);

/* Opens p[0..n), in one burst or one by one. */
void downlink_open(struct sealane_packet *p, size_t n, int one_by_one);

#endif
