/* peer.h: the other end of the tunnel: its address, its channel, and when to send hellos and keepalives.
 *
 * Sends through a function that it is given and gets the time as an argument, so that two peers can be tested
 * against each other without sockets. Called by tunnel.c and demo.c for control messages and the clock, by
 * uplink.c and downlink.c for data.
 *
 * Threads: two may share a peer. All calls but peer_init and peer_free are then made, and all fields but
 * channel then read, between peer_lock and peer_unlock, with the time that peer_lock returned. */
#ifndef TUNNEL_PEER_H
#define TUNNEL_PEER_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include <sealane/packet.h>

#include "address.h"
#include "handshake.h"
#include "log.h"

/* What the peer asks of its owner. */
struct peer_io {
    void *user;
    void (*send)(void *user, const uint8_t *datagram, size_t len, const struct address *to);
    void (*ready)(void *user); /* for the first time, packets can flow both ways */
};

struct peer_config {
    struct address remote; /* len 0: learned from authentic packets */
    uint32_t cpu;          /* for struct sealane_keys */
    uint32_t mtu;          /* of the tunnel */
    uint64_t rekey_ms;     /* age at which keys are replaced; 0: what the library says, 120 s */
};

/* Causes are counted apart: see stats.c. */
struct peer_stats {
    uint64_t hellos_sent, answers_sent, keepalives_sent, keepalives_heard;
    uint64_t sessions;  /* begun, by either side */
    uint64_t roamed;    /* changes of address */
    uint64_t throttled; /* hellos dropped unread: too many */
    uint64_t results[HANDSHAKE_RESULTS];
};

/* A budget that grows by rate a second up to burst: what strangers may make us do. */
struct budget {
    uint64_t at_ms, left;
};

struct peer {
    pthread_mutex_t lock;
    uint64_t newest_ms; /* the latest time that peer_lock was told */
    struct handshake handshake;
    struct sealane_channel *channel;
    struct peer_config config;
    struct peer_io io;
    struct address address; /* where data goes; len 0: not known yet */
    struct peer_stats stats;
    struct budget hellos, answers;
    struct log_limit log;

    uint64_t last_sent, last_heard; /* any authentic packet */
    uint64_t last_tried;            /* there was something to send */
    uint64_t unanswered_since;      /* the first packet since last_heard that wants an answer; 0: none */
    uint64_t reply_at;              /* when a keepalive is owed to the peer; 0: none */
    uint64_t hello_at;              /* the earliest time for the next hello */
    uint64_t installed_at;          /* of the keys that are current */
    uint64_t roam_counter;          /* packets below it are too old to say where the peer is */
    uint32_t current_id;            /* our index of the current keys */
    int initiator;                  /* of the current session */
    int unconfirmed;                /* current keys that no packet of the peer's came on yet */
    int wanted;                     /* a handshake is wanted */
    int was_ready;
};

/* Makes the channel and derives keys; the caller wipes psk. 0, or -1 after a message. */
int peer_init(struct peer *p, const uint8_t psk[32], const struct peer_config *config,
              const struct peer_io *io);
void peer_free(struct peer *p);

/* Takes the peer for a thread, once for each burst. Returns the time for the calls up to peer_unlock: now_ms,
 * or a later one that the other thread was ahead with, so that time never runs backwards in here. */
uint64_t peer_lock(struct peer *p, uint64_t now_ms);
void peer_unlock(struct peer *p);

/* The clock: call it a few times a second. Sends hellos and keepalives that are due. */
void peer_tick(struct peer *p, uint64_t now_ms);

/* A hello or an answer came in. */
void peer_control(struct peer *p, uint64_t now_ms, const uint8_t *in, size_t len, const struct address *from);

/* Packets are sealed and sent now. */
void peer_sent(struct peer *p, uint64_t now_ms);

/* A packet was authentic: opened is what sealane_open_packets made of it, id the receiver index that it came
 * with. The only thing that moves the peer's address. */
void peer_heard(struct peer *p, uint64_t now_ms, const struct sealane_packet *opened, uint32_t id,
                const struct address *from);

/* Are there keys to seal under, and an address to send to? If not, a handshake is now wanted. */
int peer_can_send(struct peer *p, uint64_t now_ms);

/* The tunnel's MTU changed: the next keys will know. */
void peer_set_mtu(struct peer *p, uint32_t mtu);

#endif
