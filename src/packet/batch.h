/* batch.h: what sealing and opening bursts of packets have in common. Included by seal.c and open.c. */
#ifndef PACKET_BATCH_H
#define PACKET_BATCH_H

#include "aead_check.h"
#include "bytes.h"
#include "channel.h"

/* Packets that are worked on at once: bounds what lies on the stack, about 10 KB. */
enum { PACKET_BATCH = 64 };

/* The input is somewhere else than in buf. */
static inline bool packet_has_src(const struct sealane_packet *p)
{
    return p->src != NULL && p->len != 0 && p->src != p->buf + p->off;
}

/* What can be said of a packet before its keys are known: EINVAL, ESPACE (it does not lie in buf), EOVERLAP.
 */
static inline int packet_check(const struct sealane_packet *p)
{
    static const uint8_t zero[sizeof p->reserved];

    if (!channel_is_valid(p->channel) || memcmp(p->reserved, zero, sizeof zero) != 0 ||
        (p->buf == NULL && p->cap != 0))
        return SEALANE_EINVAL;
    if (p->off > p->cap || p->len > p->cap - p->off)
        return SEALANE_ESPACE;
    if (packet_has_src(p) && spans_overlap(p->src, p->len, p->buf, p->cap))
        return SEALANE_EOVERLAP;
    return SEALANE_OK;
}

/* Counts what a channel counts of refused packets, and hands the error through. */
static inline int packet_count_error(struct sealane_channel *ch, int error)
{
    switch (error) {
    case SEALANE_ENOKEY:
        channel_count(ch, COUNT_NO_KEY, 1);
        break;
    case SEALANE_ELIMIT:
        channel_count(ch, COUNT_LIMIT, 1);
        break;
    case SEALANE_EREPLAY:
        channel_count(ch, COUNT_REPLAYED, 1);
        break;
    case SEALANE_EFORMAT:
    case SEALANE_ELENGTH:
        channel_count(ch, COUNT_MALFORMED, 1);
        break;
    default:
        break;
    }
    return error;
}

#endif
