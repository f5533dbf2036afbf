/* udp.h: the UDP socket, sent to and received from in bursts: many messages in a system call, and with the
 * kernel's segmentation offloads (UDP_SEGMENT, UDP_GRO) many datagrams in a message. Linux. */
#ifndef TUNNEL_UDP_H
#define TUNNEL_UDP_H

#include <stddef.h>
#include <stdint.h>

#include <sealane/packet.h>

#include "address.h"
#include "log.h"
#include "stats.h"

/* The longest payload of a UDP datagram over IPv4. */
#define UDP_MAX_LEN 65507u

/* Received in one call, and what a buffer holds. The stride is no power of two, so that the buffers do not
 * share cache sets. */
#define UDP_RECEIVE_MOST 64u
#define UDP_BUFFER_LEN 65536u
#define UDP_BUFFER_STRIDE (UDP_BUFFER_LEN + 192u)

enum udp_flags { UDP_QUIET = 1, UDP_NO_GSO = 2, UDP_NO_GRO = 4 };

struct udp {
    int fd;
    int family;            /* AF_INET6 takes IPv4 peers too when it is bound to [::] */
    int gso, gro;          /* the kernel has them, and nobody turned them off */
    size_t gso_most;       /* longest segment that the path takes */
    uint64_t gso_retry_ms; /* when to find out again */
    struct log_limit log;
};

/* Opens and binds; flags: enum udp_flags. 0, or -1 after a message. */
int udp_open(struct udp *u, const struct address *bind_to, int flags);

/* Where it is bound. 0, or -1. */
int udp_local_address(const struct udp *u, struct address *a);

/* How many datagrams of len bytes the receive buffer holds, at least 1. */
size_t udp_fits(const struct udp *u, size_t len);

void udp_close(struct udp *u);

/* One message from the socket. */
struct udp_message {
    struct address from;
    uint8_t *data;
    size_t len;
    size_t segment; /* bytes of each datagram in it but the last */
};

/* Buffers for a burst of messages. */
struct udp_batch {
    uint8_t *memory;
    struct udp_message messages[UDP_RECEIVE_MOST];
};
int udp_batch_init(struct udp_batch *b); /* 0, or -1 after a message */
void udp_batch_free(struct udp_batch *b);

/* Receives what is there, up to a burst: the number of messages, 0 when there is none. */
size_t udp_receive(const struct udp *u, struct udp_batch *b, struct stats *stats);

enum udp_result {
    UDP_DONE,
    UDP_WAIT,  /* no room: go on when the socket is writable */
    UDP_PAUSE, /* no memory in the device: go on a moment later */
};

/* Sends the datagrams of p[*next .. n) that have status 0, moves *next behind those that were sent or dropped
 * for a reason that is counted, and says how it ended. */
enum udp_result udp_send(struct udp *u, const struct sealane_packet *p, size_t n, size_t *next,
                         const struct address *to, struct stats *stats, uint64_t now_ms);

/* Sends one datagram now or never: for hellos and keepalives. */
void udp_send_one(const struct udp *u, const uint8_t *datagram, size_t len, const struct address *to);

#endif
