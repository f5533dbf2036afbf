/* reader.h: reads packets and super-packets from TUN so that what is to be sealed lies in slots with room
 * around it.
 *
 * Super-packets of a flow look alike. So the next one is expected to be like the last one, and the kernel is
 * asked to scatter its payload right into the slots: only headers are written then, and nothing is copied.
 * Another one than expected is gathered and cut again. Called by uplink.c. */
#ifndef TUNNEL_READER_H
#define TUNNEL_READER_H

#include "segment.h"
#include "stats.h"
#include "tun.h"

/* Of a packet, a super-packet included. */
#define READER_MOST 65535u
/* Packets of one scattered super-packet, and the longest headers and shortest payload of one. */
#define READER_SEGMENTS 130u
#define READER_HEADER_MOST 128u
#define READER_GSO_LEAST 512u
/* Plain packets in a row, after which no super-packet is expected any more. */
#define READER_PLAIN_MOST 8u
/* Slots are aligned to this, and need so much memory from the first one on for one super-packet: what is in
 * front and behind a packet counted as 128 bytes. */
#define READER_ALIGN 64u
#define READER_SPAN (READER_MOST + READER_SEGMENTS * (READER_HEADER_MOST + 128u + READER_ALIGN))

struct reader {
    struct tun *tun;
    struct stats *stats;
    size_t head, tail; /* room that each packet needs in front and behind */
    int broken;        /* the device is gone */

    size_t header_len, gso_size; /* what is expected; gso_size 0: a plain packet */
    unsigned plain;              /* plain packets since the last super-packet */
    struct segment_plan plan;    /* of what is being cut */
    size_t cut;                  /* packets of it that are out */
    int scattered;               /* their payloads lie in slots already, from where they were read to */
    uint8_t header[READER_HEADER_MOST];
    uint8_t *super; /* else they are cut from here */
};

/* tun, stats, head and tail are the caller's to set; head + tail at most 128. 0, or -1 after a message. */
int reader_init(struct reader *r);
void reader_free(struct reader *r);

/* Is something left of the last packet that was read? It is, until reader_next gave all of it. */
static inline int reader_more(const struct reader *r)
{
    return r->cut < r->plan.n;
}

/* Reads one packet, perhaps into the slots at arena (READER_SPAN bytes): 1, or 0 when there is none. */
int reader_read(struct reader *r, uint8_t *arena);

/* The next packet: it is made at slot + head, and its length is returned. Slots follow each other at the
 * distance reader_step, the first at arena; while scattered is set, all of them have to be taken without a
 * pause. */
size_t reader_next(struct reader *r, uint8_t *slot);

/* From a slot with a packet of len bytes to the next one. */
size_t reader_step(const struct reader *r, size_t len);

#endif
