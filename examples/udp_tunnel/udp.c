/* udp.c: opening the socket, and receiving. See udp.h; sending is in udp_send.c. */
#include "udp.h"

#include <errno.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "buffer.h"
#include "log.h"

/* The default of the system costs half of the throughput. */
#define BUFFER_BYTES (8 << 20)
/* Messages of one call when each may hold many datagrams. */
#define RECEIVE_GRO 16u

static void size_buffer(int fd, int force, int plain, const char *what, int quiet)
{
    int want = BUFFER_BYTES, have = 0;
    socklen_t len = sizeof(have);

    if (setsockopt(fd, SOL_SOCKET, force, &want, sizeof(want)) != 0)
        setsockopt(fd, SOL_SOCKET, plain, &want, sizeof(want));
    /* The kernel reports twice what it was asked for. */
    if (getsockopt(fd, SOL_SOCKET, plain, &have, &len) == 0 && have / 2 < want && !quiet)
        log_line("warning: the system caps the %s buffer at %d bytes of %d: expect losses at speed "
                 "(net.core.%cmem_max)",
                 what, have / 2, want, what[0] == 's' ? 'w' : 'r');
}

/* Outer packets may be fragmented: a path that takes less than the tunnel's MTU makes it slow, not dead. */
static void allow_fragments(const struct udp *u)
{
    int dont = IP_PMTUDISC_DONT, dont6 = IPV6_PMTUDISC_DONT;

    setsockopt(u->fd, IPPROTO_IP, IP_MTU_DISCOVER, &dont, sizeof(dont));
    if (u->family == AF_INET6)
        setsockopt(u->fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &dont6, sizeof(dont6));
}

/* Segmentation offloads, where the kernel knows them. */
static void probe_offloads(struct udp *u, int flags)
{
    int none = 0, on = 1;

    u->gso_most = SIZE_MAX;
    u->gso = (flags & UDP_NO_GSO) == 0 && setsockopt(u->fd, SOL_UDP, UDP_SEGMENT, &none, sizeof(none)) == 0;
    u->gro = (flags & UDP_NO_GRO) == 0 && setsockopt(u->fd, SOL_UDP, UDP_GRO, &on, sizeof(on)) == 0;
}

int udp_open(struct udp *u, const struct address *bind_to, int flags)
{
    char text[ADDRESS_TEXT_LEN];
    int only6 = 0, why;

    memset(u, 0, sizeof(*u));
    u->family = bind_to->u.any.sa_family;
    u->fd = socket(u->family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (u->fd < 0)
        return log_fail("cannot make a socket: %s", strerror(errno));
    if (u->family == AF_INET6)
        setsockopt(u->fd, IPPROTO_IPV6, IPV6_V6ONLY, &only6, sizeof(only6));
    if (bind(u->fd, &bind_to->u.any, bind_to->len) != 0) {
        why = errno;
        udp_close(u);
        return log_fail("cannot bind %s: %s", address_text(bind_to, text), strerror(why));
    }
    allow_fragments(u);
    probe_offloads(u, flags);
    size_buffer(u->fd, SO_RCVBUFFORCE, SO_RCVBUF, "receive", flags & UDP_QUIET);
    size_buffer(u->fd, SO_SNDBUFFORCE, SO_SNDBUF, "send", flags & UDP_QUIET);
    return 0;
}

int udp_local_address(const struct udp *u, struct address *a)
{
    a->len = sizeof(a->u);
    return getsockname(u->fd, &a->u.any, &a->len);
}

size_t udp_fits(const struct udp *u, size_t len)
{
    int have = 0;
    socklen_t have_len = sizeof(have);
    size_t each = 2 * len + 1024; /* the kernel's own share is at most that much */

    if (getsockopt(u->fd, SOL_SOCKET, SO_RCVBUF, &have, &have_len) != 0 || (size_t)have < each)
        return 1;
    return (size_t)have / each;
}

void udp_close(struct udp *u)
{
    if (u->fd >= 0)
        close(u->fd);
    u->fd = -1;
}

int udp_batch_init(struct udp_batch *b)
{
    memset(b, 0, sizeof(*b));
    b->memory = buffer_alloc((size_t)UDP_RECEIVE_MOST * UDP_BUFFER_STRIDE);
    return b->memory != NULL ? 0 : log_fail("out of memory");
}

void udp_batch_free(struct udp_batch *b)
{
    free(b->memory);
    b->memory = NULL;
}

/* What UDP_GRO says of a message: bytes of each datagram in it; 0: there is but one. */
static size_t segment_size(struct msghdr *m)
{
    int size = 0;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR(m, c)) {
        if (c->cmsg_level == SOL_UDP && c->cmsg_type == UDP_GRO)
            memcpy(&size, CMSG_DATA(c), sizeof(size));
    }
    return size > 0 ? (size_t)size : 0;
}

size_t udp_receive(const struct udp *u, struct udp_batch *b, struct stats *stats)
{
    struct mmsghdr calls[UDP_RECEIVE_MOST];
    struct iovec spans[UDP_RECEIVE_MOST];
    union {
        struct cmsghdr align;
        uint8_t bytes[CMSG_SPACE(sizeof(int))];
    } control[UDP_RECEIVE_MOST];
    size_t most = u->gro ? RECEIVE_GRO : UDP_RECEIVE_MOST, n = 0;
    int got;

    for (size_t i = 0; i < most; i++) {
        spans[i] = (struct iovec){b->memory + i * UDP_BUFFER_STRIDE, UDP_BUFFER_LEN};
        calls[i].msg_hdr = (struct msghdr){.msg_name = &b->messages[i].from.u,
                                           .msg_namelen = sizeof(b->messages[i].from.u),
                                           .msg_iov = &spans[i],
                                           .msg_iovlen = 1,
                                           .msg_control = u->gro ? &control[i] : NULL,
                                           .msg_controllen = u->gro ? sizeof(control[i]) : 0};
    }
    got = recvmmsg(u->fd, calls, (unsigned)most, MSG_DONTWAIT, NULL);
    if (got <= 0)
        return 0;
    stats->rx_calls++;
    stats->rx_messages += (unsigned)got;
    for (int i = 0; i < got; i++) {
        struct udp_message *m = &b->messages[n];

        if ((calls[i].msg_hdr.msg_flags & MSG_TRUNC) != 0) {
            stats->drop_truncated++;
            continue;
        }
        m->from = b->messages[i].from; /* n <= i: not overwritten yet */
        m->from.len = calls[i].msg_hdr.msg_namelen;
        m->data = spans[i].iov_base;
        m->len = calls[i].msg_len;
        m->segment = segment_size(&calls[i].msg_hdr);
        if (m->segment == 0)
            m->segment = m->len;
        n++;
    }
    return n;
}
