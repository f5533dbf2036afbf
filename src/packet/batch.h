/* batch.h: what sealing and opening bursts of packets have in common. Included by seal.c and open.c. */
#ifndef PACKET_BATCH_H
#define PACKET_BATCH_H

#include "aead_burst.h"
#include "aead_check.h"
#include "bytes.h"
#include "channel.h"

/* What is to be compiled for each format. */
#define PACKET_INLINE static inline __attribute__((always_inline))

/* Packets that are worked on at once: bounds what lies on the stack, about 10 KB. */
enum { PACKET_BATCH = 64 };

/* A batch finds the runs of its channels in lists, each of some channels; the lists hold indices. */
enum { PACKET_LISTS = 64, PACKET_NO_RUN = 255 };

static inline unsigned packet_list(const struct sealane_channel *ch)
{
    return (unsigned)((uint64_t)(uintptr_t)ch * UINT64_C(0x9e3779b97f4a7c15) >> 58); /* the golden ratio */
}

/* The input is somewhere else than in buf. */
static inline bool packet_has_src(const struct sealane_packet *p)
{
    return p->src != NULL && p->len != 0 && p->src != p->buf + p->off;
}

static inline bool packet_reserved_is_zero(const struct sealane_packet *p)
{
    uint64_t words[2];

    _Static_assert(sizeof p->reserved == sizeof words + 1, "all of it is looked at");
    memcpy(words, p->reserved, sizeof words);
    return (words[0] | words[1] | p->reserved[16]) == 0;
}

/* What can be said of a packet before its keys are known: EINVAL, ESPACE (it does not lie in buf), EOVERLAP.
 */
static inline int packet_check(const struct sealane_packet *p)
{
    if (!channel_is_valid(p->channel) || !packet_reserved_is_zero(p) || (p->buf == NULL && p->cap != 0))
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
