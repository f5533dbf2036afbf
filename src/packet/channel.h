/* channel.h: the inside of struct sealane_channel, for this folder: three slots of key generations, read
 * without a lock by seal.c and open.c, changed under the channel's lock. */
#ifndef PACKET_CHANNEL_H
#define PACKET_CHANNEL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "generation.h"

enum { CHANNEL_SLOTS = SEALANE_NEXT + 1 }; /* indexed by enum sealane_slot, from SEALANE_PREVIOUS on */

/* What sealane_channel_stats reports of packets. */
enum channel_count {
    COUNT_SEALED_PACKETS,
    COUNT_SEALED_BYTES,
    COUNT_OPENED_PACKETS,
    COUNT_OPENED_BYTES,
    COUNT_FORGED,
    COUNT_REPLAYED,
    COUNT_MALFORMED,
    COUNT_NO_KEY,
    COUNT_LIMIT,
    CHANNEL_COUNTS
};

struct sealane_channel {
    const struct sealane_channel *self;           /* its own address: a copy's differs */
    _Atomic(const struct packet_format *) format; /* of the keys installed last; NULL: never any */
    _Atomic(struct generation *) slot[CHANNEL_SLOTS];
    _Atomic uint64_t count[CHANNEL_COUNTS];

    /* The lock guards the fields behind it, and every change of slot[]. */
    pthread_mutex_t lock;
    struct generation *generations; /* all that were ever made */
    bool clock_runs;
    uint64_t clock_start, now_ms; /* the first tick; the last, counted from the first */
    uint64_t installed;
};

static inline bool channel_is_valid(const struct sealane_channel *ch)
{
    return ch != NULL && ch->self == ch;
}

static inline struct generation *channel_slot(const struct sealane_channel *ch, int slot)
{
    return atomic_load_explicit(&ch->slot[slot], memory_order_acquire);
}

static inline void channel_count(struct sealane_channel *ch, enum channel_count what, uint64_t n)
{
    if (n != 0)
        atomic_fetch_add_explicit(&ch->count[what], n, memory_order_relaxed);
}

/* Without the lock: holds the keys to send on, or those with this rx_id and tells in which slot they were
 * found; the caller releases them. Errors: ENOKEY; ELIMIT (too old, or too many forged packets). */
int channel_hold_current(const struct sealane_channel *ch, struct generation **held);
int channel_hold_id(const struct sealane_channel *ch, uint32_t rx_id, struct generation **held, int *slot);

/* An authentic packet arrived under g. True: it was the first under keys waiting as next; they are current
 * now. */
bool channel_confirm(struct sealane_channel *ch, struct generation *g);

/* The lock is held: current becomes previous, g current, and no keys are next. Retires the old previous keys.
 */
void channel_make_current(struct sealane_channel *ch, struct generation *g);

#endif
