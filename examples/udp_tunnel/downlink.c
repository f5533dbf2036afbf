/* downlink.c: see downlink.h. Nothing here trusts a datagram before it was opened. */
#include "downlink.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "log.h"
#include "segment.h"

#define PACKET_MOST 65535u
#define DATA_TYPE 4u
#define DATA_LEAST 32u

static uint32_t get32(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, 4);
    return le32toh(v);
}

int downlink_init(struct downlink *d)
{
    d->n = 0;
    d->super = malloc(2 * PACKET_MOST);
    if (d->super == NULL)
        return log_fail("out of memory");
    return udp_batch_init(&d->batch);
}

void downlink_free(struct downlink *d)
{
    udp_batch_free(&d->batch);
    free(d->super);
    d->super = NULL;
}

void downlink_open(struct sealane_packet *p, size_t n, int one_by_one)
{
    if (!one_by_one) {
        sealane_open_packets(p, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        sealane_open_packets(&p[i], 1);
}

/* Writes one packet, plain or super: 0, or -1 when the device refused its kind. */
static int write_spans(struct downlink *d, const struct iovec *spans, int n)
{
    int first = d->tun->vnet ? 0 : 1;
    ssize_t done;

    do
        done = writev(d->tun->fd, spans + first, n - first);
    while (done < 0 && errno == EINTR);
    if (done >= 0) {
        d->stats->tun_writes++;
    } else if (errno == EIO) {
        d->stats->drop_tun_down++;
    } else if (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM) {
        d->stats->drop_tun_full++;
    } else {
        return -1;
    }
    return 0;
}

/* The device takes no super-packets after all: cuts this one again, and lets no more be made. */
static void write_cut(struct downlink *d, const struct iovec *spans, int n, uint64_t now_ms)
{
    struct vnet_hdr vnet, none = {0};
    struct iovec one[2] = {{&none, sizeof(none)}, {d->super + PACKET_MOST, 0}};
    struct segment_plan plan;
    size_t len = 0;

    log_limited(&d->log, now_ms, "%s refuses super-packets: writing one by one", d->tun->name);
    d->tun->offloads = 0;
    d->stats->tun_refused++;
    memcpy(&vnet, spans[0].iov_base, sizeof(vnet));
    for (int i = 1; i < n; i++) {
        memcpy(d->super + len, spans[i].iov_base, spans[i].iov_len);
        len += spans[i].iov_len; /* at most PACKET_MOST: coalesce.h */
    }
    if (segment_plan(&plan, d->super, len, &vnet, PACKET_MOST) != 0)
        return;
    for (size_t i = 0; i < plan.n; i++) {
        one[1].iov_len = segment_len(&plan, i);
        segment_cut(&plan, i, one[1].iov_base);
        if (write_spans(d, one, 2) != 0)
            d->stats->drop_tun++;
    }
}

static void write_item(struct downlink *d, size_t item, uint64_t now_ms)
{
    struct iovec spans[COALESCE_MAX_PIECES + 1];
    int n = (int)coalesce_finish(&d->coalesce, item, spans);

    if (write_spans(d, spans, n) == 0)
        return;
    if (n > 2)
        write_cut(d, spans, n, now_ms);
    else
        d->stats->drop_tun++;
}

/* Tells the peer of all packets that are authentic. */
static void tell_peer(struct downlink *d, uint64_t now_ms)
{
    uint64_t now = peer_lock(d->peer, now_ms);

    for (size_t i = 0; i < d->n; i++) {
        const struct sealane_packet *p = &d->packets[i];
        const struct udp_message *m = p->user;

        if (p->status == SEALANE_OK)
            peer_heard(d->peer, now, p, d->ids[i], &m->from);
    }
    peer_unlock(d->peer);
}

/* Opens the datagrams that were gathered and delivers what is inside. */
static void deliver(struct downlink *d, uint64_t now_ms)
{
    if (d->n == 0)
        return;
    downlink_open(d->packets, d->n, d->one_by_one);
    tell_peer(d, now_ms);
    coalesce_reset(&d->coalesce, d->tun != NULL ? d->tun->offloads : 0);
    for (size_t i = 0; i < d->n; i++) {
        const struct sealane_packet *p = &d->packets[i];

        if (p->status != SEALANE_OK) {
            stats_open_failed(d->stats, p->status);
            continue;
        }
        if (p->kind != SEALANE_DATA)
            continue;
        d->stats->rx_packets++;
        d->stats->rx_bytes += p->len;
        if (d->tun != NULL && coalesce_add(&d->coalesce, p->buf + p->off, p->len) != 0)
            d->stats->drop_tun_full++;
    }
    d->n = 0;
    for (size_t i = 0; d->tun != NULL && i < coalesce_items(&d->coalesce); i++)
        write_item(d, i, now_ms);
}

/* Sorts one datagram: data is gathered, a handshake message dealt with at once, in the order of arrival. */
static void sort(struct downlink *d, uint64_t now_ms, struct udp_message *m, uint8_t *datagram, size_t len)
{
    uint32_t type = len >= DATA_LEAST ? get32(datagram) : 0;

    if (type == DATA_TYPE) {
        if (d->n == DOWNLINK_PACKETS)
            deliver(d, now_ms);
        d->ids[d->n] = get32(datagram + 4);
        d->packets[d->n++] = (struct sealane_packet){
            .channel = d->peer->channel, .buf = datagram, .cap = len, .len = len, .user = m};
        d->stats->rx_datagrams++;
    } else if (type == HANDSHAKE_HELLO || type == HANDSHAKE_ANSWER) {
        deliver(d, now_ms);
        peer_control(d->peer, peer_lock(d->peer, now_ms), datagram, len, &m->from);
        peer_unlock(d->peer);
    } else {
        d->stats->drop_unknown++;
    }
}

void downlink_run(struct downlink *d, uint64_t now_ms)
{
    size_t n = udp_receive(d->udp, &d->batch, d->stats);

    for (size_t i = 0; i < n; i++) {
        struct udp_message *m = &d->batch.messages[i];

        for (size_t at = 0; at < m->len || at == 0; at += m->segment) {
            size_t left = m->len - at;

            sort(d, now_ms, m, m->data + at, left < m->segment ? left : m->segment);
            if (m->segment == 0)
                break;
        }
    }
    deliver(d, now_ms);
}
