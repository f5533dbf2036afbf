/* uplink.c: see uplink.h. */
#include "uplink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "buffer.h"
#include "log.h"

/* Bytes for a burst, to which a last super-packet may be added. */
#define BURST_BYTES (512u << 10)
#define ARENA_LEN (BURST_BYTES + READER_SPAN)

int uplink_init(struct uplink *u)
{
    u->n = u->next = 0;
    u->reader.tun = u->tun;
    u->reader.stats = u->stats;
    u->reader.head = sealane_headroom(SEALANE_WIREGUARD, 0);
    u->reader.tail = sealane_tailroom(SEALANE_WIREGUARD, 0);
    u->arena = buffer_alloc(ARENA_LEN);
    return u->arena != NULL ? reader_init(&u->reader) : log_fail("out of memory");
}

void uplink_free(struct uplink *u)
{
    free(u->arena);
    u->arena = NULL;
    reader_free(&u->reader);
}

/* Is there room in the burst, or a super-packet that has to be taken whole? */
static int has_room(const struct uplink *u, size_t at)
{
    const struct reader *r = &u->reader;

    return (u->n < UPLINK_PACKETS && at < BURST_BYTES) || (reader_more(r) && r->scattered);
}

/* Gathers packets, each with room around it for what sealing adds. */
static void fill(struct uplink *u)
{
    struct reader *r = &u->reader;
    size_t at = 0;

    u->n = u->next = 0;
    while (has_room(u, at) && (reader_more(r) || reader_read(r, u->arena + at))) {
        uint8_t *slot = u->arena + at;
        size_t len = reader_next(r, slot);

        u->packets[u->n++] = (struct sealane_packet){.channel = u->peer->channel,
                                                     .buf = slot,
                                                     .cap = r->head + len + r->tail,
                                                     .off = r->head,
                                                     .len = len};
        at += reader_step(r, len);
    }
}

void uplink_seal(struct sealane_packet *p, size_t n, int one_by_one)
{
    if (!one_by_one) {
        sealane_seal_packets(p, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        sealane_seal_packets(&p[i], 1);
}

static void seal(struct uplink *u)
{
    for (size_t i = 0; i < u->n; i++)
        u->stats->tx_bytes += u->packets[i].len;
    uplink_seal(u->packets, u->n, u->one_by_one);
    for (size_t i = 0; i < u->n; i++) {
        if (u->packets[i].status != SEALANE_OK)
            u->stats->drop_seal++;
        else
            u->stats->tx_packets++;
    }
}

/* May the burst go, and where to? Once for each, since the peer is shared with the way in. */
static int may_send(struct uplink *u, uint64_t now_ms)
{
    uint64_t now = peer_lock(u->peer, now_ms);
    int may = peer_can_send(u->peer, now);

    u->to = u->peer->address;
    if (may)
        peer_sent(u->peer, now);
    peer_unlock(u->peer);
    return may;
}

static enum udp_result send_rest(struct uplink *u, uint64_t now_ms)
{
    return u->next < u->n ? udp_send(u->udp, u->packets, u->n, &u->next, &u->to, u->stats, now_ms) : UDP_DONE;
}

enum udp_result uplink_run(struct uplink *u, uint64_t now_ms)
{
    enum udp_result r = send_rest(u, now_ms);

    if (r != UDP_DONE)
        return r;
    fill(u);
    if (u->n == 0)
        return UDP_DONE;
    if (!may_send(u, now_ms)) {
        u->stats->drop_no_session += u->n;
        u->n = 0;
        return UDP_DONE;
    }
    seal(u);
    return send_rest(u, now_ms);
}
