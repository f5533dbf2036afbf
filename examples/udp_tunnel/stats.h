/* stats.h: what the tunnel counts, by cause. */
#ifndef TUNNEL_STATS_H
#define TUNNEL_STATS_H

#include <stdint.h>
#include <stdio.h>

#include "peer.h"

/* One list: field, and what it says to people. */
#define STATS_LIST(X)                                                                                        \
    X(tun_reads, "reads from TUN")                                                                           \
    X(tun_supers, "of them super-packets")                                                                   \
    X(tx_packets, "packets sealed")                                                                          \
    X(tx_bytes, "bytes in them")                                                                             \
    X(tx_messages, "messages sent, each with one or more datagrams")                                         \
    X(tx_calls, "calls to send them")                                                                        \
    X(tx_waits, "waits for room in the send buffer")                                                         \
    X(tx_nobufs, "waits for memory of the network device")                                                   \
    X(gso_refused, "segmented messages refused by the kernel and sent one by one")                           \
    X(drop_no_session, "dropped: no session yet")                                                            \
    X(drop_not_ip, "dropped: from TUN, malformed or longer than any packet")                                 \
    X(drop_seal, "dropped: sealing refused")                                                                 \
    X(drop_too_big, "dropped: longer than the path takes")                                                   \
    X(drop_send, "dropped: not sent, network unreachable or refused")                                        \
    X(rx_messages, "messages received, each with one or more datagrams")                                     \
    X(rx_calls, "calls to receive them")                                                                     \
    X(rx_datagrams, "data packets received")                                                                 \
    X(rx_packets, "packets opened")                                                                          \
    X(rx_bytes, "bytes in them")                                                                             \
    X(tun_writes, "writes to TUN")                                                                           \
    X(drop_truncated, "dropped: longer than a buffer")                                                       \
    X(drop_unknown, "dropped: no packet of ours")                                                            \
    X(drop_forged, "dropped: forged")                                                                        \
    X(drop_replayed, "dropped: replayed or too old")                                                         \
    X(drop_no_key, "dropped: for keys that we do not have")                                                  \
    X(drop_malformed, "dropped: authentic, and no IP packet")                                                \
    X(drop_limit, "dropped: keys used up")                                                                   \
    X(drop_tun_down, "dropped: TUN device is down")                                                          \
    X(drop_tun_full, "dropped: TUN device is full")                                                          \
    X(drop_tun, "dropped: refused by the TUN device")                                                        \
    X(tun_refused, "super-packets refused by the TUN device and written one by one")                         \
    X(tun_queue_full, "dropped by the TUN device: its queue was full, or it was down")

struct stats {
#define X(name, text) uint64_t name;
    STATS_LIST(X)
#undef X
};

/* Adds all counters of another one: each direction of the tunnel counts for itself. */
void stats_add(struct stats *s, const struct stats *more);

/* Adds the status of a packet that was not opened to the counter of its cause. */
void stats_open_failed(struct stats *s, int status);

/* As text, one line a counter; counters of causes that never occurred are left out. */
void stats_print(FILE *out, const struct stats *s, const struct peer *p);

/* As one JSON object with every counter; the file appears whole or not at all. 0, or -1 after a message. */
int stats_write_json(const char *path, const struct stats *s, const struct peer *p);

#endif
