/* downlink.c: see downlink.h. Nothing here trusts a datagram before it was opened. */
#include "downlink.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "log.h"

/* Bursts in one turn, so that the other direction gets its own. */
#define TURN 4

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
    return udp_batch_init(&d->batch);
}

void downlink_free(struct downlink *d)
{
    udp_batch_free(&d->batch);
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

static void write_item(struct downlink *d, size_t item)
{
    struct iovec spans[COALESCE_MAX_PIECES + 1];
    int n = (int)coalesce_finish(&d->coalesce, item, spans), first = d->tun->vnet ? 0 : 1;
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
        d->stats->drop_tun++;
    }
}

/* Opens the datagrams that were gathered and delivers what is inside. */
static void deliver(struct downlink *d, uint64_t now_ms)
{
    downlink_open(d->packets, d->n, d->one_by_one);
    coalesce_reset(&d->coalesce, d->tun != NULL ? d->tun->offloads : 0);
    for (size_t i = 0; i < d->n; i++) {
        const struct sealane_packet *p = &d->packets[i];
        const struct udp_message *m = p->user;

        if (p->status != SEALANE_OK) {
            stats_open_failed(d->stats, p->status);
            continue;
        }
        peer_heard(d->peer, now_ms, p, get32(p->buf + 4), &m->from);
        if (p->kind != SEALANE_DATA)
            continue;
        d->stats->rx_packets++;
        d->stats->rx_bytes += p->len;
        if (d->tun != NULL && coalesce_add(&d->coalesce, p->buf + p->off, p->len) != 0)
            d->stats->drop_tun_full++;
    }
    d->n = 0;
    for (size_t i = 0; d->tun != NULL && i < coalesce_items(&d->coalesce); i++)
        write_item(d, i);
}

/* Sorts one datagram: data is gathered, a handshake message dealt with at once, in the order of arrival. */
static void sort(struct downlink *d, uint64_t now_ms, struct udp_message *m, uint8_t *datagram, size_t len)
{
    uint32_t type = len >= DATA_LEAST ? get32(datagram) : 0;

    if (type == DATA_TYPE) {
        if (d->n == DOWNLINK_PACKETS)
            deliver(d, now_ms);
        d->packets[d->n++] = (struct sealane_packet){
            .channel = d->peer->channel, .buf = datagram, .cap = len, .len = len, .user = m};
        d->stats->rx_datagrams++;
    } else if (type == HANDSHAKE_HELLO || type == HANDSHAKE_ANSWER) {
        deliver(d, now_ms);
        peer_control(d->peer, now_ms, datagram, len, &m->from);
    } else {
        d->stats->drop_unknown++;
    }
}

void downlink_run(struct downlink *d, uint64_t now_ms)
{
    for (int turn = 0; turn < TURN; turn++) {
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
        if (n == 0)
            break;
        deliver(d, now_ms);
    }
}
