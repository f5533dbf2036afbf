/* reader.c: see reader.h. */
#include "reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "log.h"

int reader_init(struct reader *r)
{
    r->broken = 0;
    r->header_len = r->gso_size = r->plan.n = r->cut = 0;
    r->plain = 0;
    r->super = malloc(READER_MOST);
    return r->super != NULL ? 0 : log_fail("out of memory");
}

void reader_free(struct reader *r)
{
    free(r->super);
    r->super = NULL;
}

size_t reader_step(const struct reader *r, size_t len)
{
    return (r->head + len + r->tail + READER_ALIGN - 1) / READER_ALIGN * READER_ALIGN;
}

/* The spans for a packet: the first piece is as long as a whole packet is expected to be, the others are
 * payload. Together they hold any packet. Returns how many there are. */
static int spans_at(const struct reader *r, uint8_t *arena, struct iovec *spans)
{
    size_t first = r->gso_size != 0 ? r->header_len + r->gso_size : READER_MOST, left = READER_MOST - first;
    uint8_t *slot = arena + r->head;
    int n = 0;

    spans[n++] = (struct iovec){slot, first};
    while (left > 0) {
        size_t len = left < r->gso_size ? left : r->gso_size;

        slot += reader_step(r, first);
        spans[n++] = (struct iovec){slot + r->header_len, len};
        left -= len;
    }
    return n;
}

/* Copies a scattered packet together. */
static void gather(struct reader *r, const struct iovec *spans, size_t len)
{
    for (size_t at = 0; at < len; spans++) {
        size_t piece = spans->iov_len < len - at ? spans->iov_len : len - at;

        memcpy(r->super + at, spans->iov_base, piece);
        at += piece;
    }
}

/* Is what was read as it was expected, so that it can stay where it is? */
static int plan_in_place(struct reader *r, const struct iovec *spans, size_t len, const struct vnet_hdr *vnet)
{
    const uint8_t *packet = spans[0].iov_base;

    if (vnet->gso_type == VNET_GSO_NONE && len > spans[0].iov_len)
        return 0;
    if (segment_plan(&r->plan, packet, len, vnet, READER_MOST) != 0)
        return 0;
    if (r->plan.gso_size == 0)
        return 1;
    if (r->plan.gso_size != r->gso_size || r->plan.header_len != r->header_len)
        return 0;
    memcpy(r->header, packet, r->header_len); /* the first packet's will be overwritten */
    r->plan.packet = r->header;
    return 1;
}

/* Expects more of the same. A few plain packets between super-packets change nothing: what an application
 * writes at once is seldom a multiple of a super-packet, and its rest comes by itself. */
static void learn(struct reader *r)
{
    if (r->plan.gso_size == 0 && r->scattered && r->plain < READER_PLAIN_MOST) {
        r->plain++;
        return;
    }
    r->plain = 0;
    int fits = r->plan.gso_size >= READER_GSO_LEAST && r->plan.header_len <= READER_HEADER_MOST;

    r->gso_size = fits ? r->plan.gso_size : 0;
    r->header_len = fits ? r->plan.header_len : 0;
}

int reader_read(struct reader *r, uint8_t *arena)
{
    for (;;) {
        struct vnet_hdr vnet = {0};
        struct iovec spans[READER_SEGMENTS + 1] = {{&vnet, sizeof(vnet)}};
        int n = spans_at(r, arena, spans + 1), first = r->tun->vnet ? 0 : 1;
        ssize_t got = readv(r->tun->fd, spans + first, n + 1 - first);
        size_t len = (size_t)got - (first == 0 ? sizeof(vnet) : 0);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            r->broken |= got == 0 || (errno != EAGAIN && errno != EIO);
            return 0;
        }
        r->stats->tun_reads++;
        r->stats->tun_supers += vnet.gso_type != VNET_GSO_NONE;
        r->cut = 0;
        r->scattered = len <= READER_MOST && plan_in_place(r, spans + 1, len, &vnet);
        if (!r->scattered && len <= READER_MOST) {
            gather(r, spans + 1, len);
            if (segment_plan(&r->plan, r->super, len, &vnet, READER_MOST) != 0)
                len = SIZE_MAX;
        }
        if (len <= READER_MOST) {
            learn(r);
            return 1;
        }
        r->plan.n = 0;
        r->stats->drop_not_ip++;
    }
}

size_t reader_next(struct reader *r, uint8_t *slot)
{
    size_t i = r->cut++;

    (r->scattered ? segment_head : segment_cut)(&r->plan, i, slot + r->head);
    return segment_len(&r->plan, i);
}
