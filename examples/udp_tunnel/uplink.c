/* uplink.c: see uplink.h. */
#include "uplink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "log.h"

/* Bursts in one turn, so that the other direction gets its own. */
#define TURN 4
#define PACKET_MOST 65535u
/* Bytes for a burst, with room for one packet of any length at the end. */
#define BURST_BYTES (512u << 10)
#define ALIGN 64u
#define ARENA_LEN (BURST_BYTES + PACKET_MOST + 2 * ALIGN)

int uplink_init(struct uplink *u)
{
    u->n = u->next = u->cut = 0;
    u->plan.n = 0;
    u->arena = malloc(ARENA_LEN);
    u->super = malloc(PACKET_MOST);
    return u->arena != NULL && u->super != NULL ? 0 : log_fail("out of memory");
}

void uplink_free(struct uplink *u)
{
    free(u->arena);
    free(u->super);
    u->arena = u->super = NULL;
}

/* Reads from TUN until there is a packet to cut: 1, or 0 when there is none. */
static int read_super(struct uplink *u)
{
    for (;;) {
        struct vnet_hdr vnet = {0};
        struct iovec spans[2] = {{&vnet, sizeof(vnet)}, {u->super, PACKET_MOST}};
        int first = u->tun->vnet ? 0 : 1;
        size_t head = first == 0 ? sizeof(vnet) : 0;
        ssize_t len = readv(u->tun->fd, spans + first, 2 - first);

        if (len < 0 && errno == EINTR)
            continue;
        if (len <= 0) {
            u->broken |= len == 0 || (errno != EAGAIN && errno != EIO);
            return 0;
        }
        u->stats->tun_reads++;
        u->stats->tun_supers += vnet.gso_type != VNET_GSO_NONE;
        u->cut = 0;
        if ((size_t)len >= head &&
            segment_plan(&u->plan, u->super, (size_t)len - head, &vnet, PACKET_MOST) == 0)
            return 1;
        u->plan.n = 0;
        u->stats->drop_not_ip++;
    }
}

/* Gathers packets, each with room around it for what sealing adds. */
static void fill(struct uplink *u)
{
    const size_t head = sealane_headroom(SEALANE_WIREGUARD, 0), tail = sealane_tailroom(SEALANE_WIREGUARD, 0);
    size_t at = 0;

    u->n = u->next = 0;
    while (u->n < UPLINK_PACKETS && at < BURST_BYTES && (u->cut < u->plan.n || read_super(u))) {
        size_t len = segment_len(&u->plan, u->cut), cap = head + len + tail;
        uint8_t *slot = u->arena + at;

        segment_cut(&u->plan, u->cut++, slot + head);
        u->packets[u->n++] = (struct sealane_packet){
            .channel = u->peer->channel, .buf = slot, .cap = cap, .off = head, .len = len};
        at += (cap + ALIGN - 1) / ALIGN * ALIGN;
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

enum udp_result uplink_run(struct uplink *u, uint64_t now_ms)
{
    for (int turn = 0; turn < TURN; turn++) {
        if (u->next < u->n) {
            enum udp_result r =
                udp_send(u->udp, u->packets, u->n, &u->next, &u->peer->address, u->stats, now_ms);

            if (r != UDP_DONE)
                return r;
        }
        fill(u);
        if (u->n == 0)
            break;
        if (!peer_can_send(u->peer, now_ms)) {
            u->stats->drop_no_session += u->n;
            u->n = 0;
            continue;
        }
        seal(u);
        peer_sent(u->peer, now_ms);
    }
    return u->next < u->n ? udp_send(u->udp, u->packets, u->n, &u->next, &u->peer->address, u->stats, now_ms)
                          : UDP_DONE;
}
