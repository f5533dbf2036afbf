/* workload.h: the packets that a measurement works on. Made once for each length; used by every contender in
 * turn.
 *
 * A packet lies as it lies in a daemon: header (the AAD), payload, room for the tag, and the next packet
 * behind it or in the next slot. */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

/* What is done to a packet. */
enum deed { DEED_CHACHA20, DEED_POLY1305, DEED_SEAL, DEED_OPEN, DEED_COUNT };

/* What the user asks for: a deed, one packet a call or many. */
enum what { WHAT_CHACHA20, WHAT_POLY1305, WHAT_SEAL, WHAT_OPEN, WHAT_BURST, WHAT_OPEN_BURST, WHAT_COUNT };

const char *what_name(enum what what);
enum deed what_deed(enum what what);
bool what_is_burst(enum what what);

/* All that a workload depends on. Plain data: a process that serves masked peers gets it through a pipe. */
struct setup {
    enum what what;
    size_t len;     /* of each payload; with imix not looked at */
    size_t burst;   /* packets a call */
    size_t ring;    /* calls' worth of packets that take turns */
    size_t slot;    /* bytes from packet to packet; 0: dense */
    size_t aad_len; /* of each packet */
    size_t n_keys;  /* packets take them in turn */
    bool imix;      /* lengths 64, 576 and 1420 as 7 to 4 to 1 */
    bool in_place;  /* out is in */
    bool cold;      /* evict code, predictors and data before each call */
};

struct packet {
    const uint8_t *key; /* the raw 32 bytes */
    const uint8_t *aad, *in;
    uint8_t *out,
        *tag; /* the tag always follows the ciphertext: out + len when sealing, in + len when opening */
    size_t aad_len, len;
    size_t key_index;
    uint64_t number, step; /* of the nonce; step is 0 when opening, where the number belongs to the packet */
    uint8_t nonce[12];
};

struct workload {
    struct setup setup;
    enum deed deed;
    size_t n_packets;
    struct packet *packets;
    uint8_t *keys; /* n_keys times 32 bytes */
    double mean_len;
    size_t buf_len;
    uint8_t *in_buf, *out_buf; /* the same buffer when in place */
    uint8_t *pristine;         /* what in_buf holds before the deed */
    uint8_t *expected;         /* what out_buf holds after it, by the portable code */
};

/* The next nonce of a packet: what a daemon does before each call. */
static inline void packet_next(struct packet *p)
{
    p->number += p->step;
    store_le64(p->nonce + 4, p->number);
}

/* NULL when there is no memory or the setup cannot be (a slot smaller than its packet). */
struct workload *workload_new(const struct setup *setup);
void workload_free(struct workload *w);

/* Numbers and input as they were at the beginning, output cleared: before an output is checked. */
void workload_reset(struct workload *w);

/* The input as it was: opening in place consumes it. */
void workload_restore(struct workload *w);

/* Changes one bit of the last packet's output. */
void workload_spoil(struct workload *w);

/* -1 when every output is as expected, else the index of the first packet that differs. */
long workload_first_difference(const struct workload *w);

#endif
