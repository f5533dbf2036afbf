/* udp_send.c: sending bursts. Nothing is lost because the kernel takes only a part: what was not taken stays
 * with the caller, who goes on where it ended. */
#include <errno.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>

#include "udp.h"

/* Handed to the kernel in one call. */
#define MESSAGES 32u
#define SPANS 512u
/* In one message: what the oldest kernel with UDP_SEGMENT takes. */
#define SEGMENTS 64u
/* A path that refused a segment size is asked again after this. */
#define RETRY_MS 60000

union control {
    struct cmsghdr align;
    uint8_t bytes[CMSG_SPACE(sizeof(uint16_t))];
};

struct send_burst {
    size_t n, n_spans;    /* messages, and datagrams in them */
    size_t end[MESSAGES]; /* behind the last packet of each */
    struct mmsghdr calls[MESSAGES];
    union control control[MESSAGES];
    struct iovec spans[SPANS];
};

/* Has a message whose segments are of len bytes room for one of more bytes? They are equal; only the last may
 * be shorter. */
static int joins(const struct msghdr *m, size_t total, size_t more)
{
    size_t first = m->msg_iov[0].iov_len, last = m->msg_iov[m->msg_iovlen - 1].iov_len;

    return more <= first && last == first && m->msg_iovlen < SEGMENTS && total + more <= UDP_MAX_LEN;
}

static void set_segment(struct msghdr *m, union control *control)
{
    uint16_t size = (uint16_t)m->msg_iov[0].iov_len;
    struct cmsghdr *c = &control->align;

    memset(control, 0, sizeof(*control));
    c->cmsg_level = SOL_UDP;
    c->cmsg_type = UDP_SEGMENT;
    c->cmsg_len = CMSG_LEN(sizeof(size));
    memcpy(CMSG_DATA(c), &size, sizeof(size));
    m->msg_control = control;
    m->msg_controllen = sizeof(*control);
}

/* Makes messages of p[from .. n), with segments no longer than gso_most in a message of their own. */
static void fill(struct send_burst *b, const struct sealane_packet *p, size_t from, size_t n, size_t gso_most,
                 const struct address *to)
{
    size_t total = 0;

    b->n = b->n_spans = 0;
    for (size_t i = from; i < n && b->n_spans < SPANS; i++) {
        struct iovec span = {p[i].buf + p[i].off, p[i].len};
        struct msghdr *m = b->n != 0 ? &b->calls[b->n - 1].msg_hdr : NULL;

        if (p[i].status != SEALANE_OK)
            continue;
        if (m == NULL || m->msg_iov[0].iov_len > gso_most || !joins(m, total, span.iov_len)) {
            if (b->n == MESSAGES)
                break;
            m = &b->calls[b->n++].msg_hdr;
            *m = (struct msghdr){.msg_name = (void *)(uintptr_t)&to->u,
                                 .msg_namelen = to->len,
                                 .msg_iov = &b->spans[b->n_spans]};
            total = 0;
        }
        b->spans[b->n_spans++] = span;
        if (++m->msg_iovlen == 2)
            set_segment(m, &b->control[b->n - 1]);
        total += span.iov_len;
        b->end[b->n - 1] = i + 1;
    }
}

/* A segmented message was refused: its datagrams go one by one, and others like it, for a while. EIO: the
 * device cannot do it at all; EMSGSIZE and EINVAL: segments of this size do not fit the path. */
static void refuse(struct udp *u, const struct msghdr *m, int why, struct stats *stats, uint64_t now_ms)
{
    stats->gso_refused++;
    u->gso_most = why == EMSGSIZE || why == EINVAL ? m->msg_iov[0].iov_len - 1 : 0;
    u->gso_retry_ms = now_ms + RETRY_MS;
    log_limited(&u->log, now_ms, "UDP segmentation refused for %zu bytes (%s): sending one by one",
                m->msg_iov[0].iov_len, strerror(why));
}

enum udp_result udp_send(struct udp *u, const struct sealane_packet *p, size_t n, size_t *next,
                         const struct address *to, struct stats *stats, uint64_t now_ms)
{
    struct send_burst b;

    if (now_ms >= u->gso_retry_ms)
        u->gso_most = SIZE_MAX;
    for (;;) {
        int sent, why;

        fill(&b, p, *next, n, u->gso ? u->gso_most : 0, to);
        if (b.n == 0) {
            *next = n;
            return UDP_DONE;
        }
        sent = sendmmsg(u->fd, b.calls, (unsigned)b.n, MSG_DONTWAIT);
        why = errno;
        stats->tx_calls++;
        if (sent > 0) {
            stats->tx_messages += (unsigned)sent;
            *next = b.end[sent - 1];
        } else if (why == EAGAIN) {
            stats->tx_waits++;
            return UDP_WAIT;
        } else if (why == ENOBUFS || why == ENOMEM) {
            stats->tx_nobufs++;
            return UDP_PAUSE;
        } else if (b.calls[0].msg_hdr.msg_iovlen > 1 &&
                   (why == EIO || why == EINVAL || why == EMSGSIZE || why == EOPNOTSUPP)) {
            refuse(u, &b.calls[0].msg_hdr, why, stats, now_ms);
        } else if (why != EINTR) {
            *(why == EMSGSIZE ? &stats->drop_too_big : &stats->drop_send) += 1;
            *next = b.end[0];
        }
    }
}

void udp_send_one(const struct udp *u, const uint8_t *datagram, size_t len, const struct address *to)
{
    ssize_t sent = sendto(u->fd, datagram, len, MSG_DONTWAIT, &to->u.any, to->len);

    (void)sent; /* as good as lost on the way: the timers of peer.c send another */
}
