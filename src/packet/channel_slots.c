/* channel_slots.c: finding keys without a lock, and the change of keys that a packet brings about. Called by
 * seal.c and open.c.
 *
 * A slot is read, the generation in it is held, and then the slot is read again: the generation may have been
 * retired and filled anew between the first two steps. Slots are written before what they held is retired, so
 * a generation that cannot be held and is still in its slot has expired there (sealane_channel_tick). */
#include "channel.h"

int channel_hold_current(const struct sealane_channel *ch, struct generation **held)
{
    for (;;) {
        struct generation *g = channel_slot(ch, SEALANE_CURRENT);
        bool usable, moved;

        if (g == NULL)
            return SEALANE_ENOKEY;
        *held = g;
        usable = generation_hold(g);
        moved = channel_slot(ch, SEALANE_CURRENT) != g;
        if (usable && !moved && !generation_is_worn_out(g))
            return SEALANE_OK;
        if (usable)
            generation_release(g);
        if (!moved)
            return SEALANE_ELIMIT;
    }
}

static bool has_id(const struct generation *g, uint32_t rx_id)
{
    return atomic_load_explicit(&g->rx_id, memory_order_relaxed) == rx_id;
}

/* Keys move from next to current to previous, each slot written before the one they leave: looking in this
 * order misses none. */
static struct generation *find_id(const struct sealane_channel *ch, uint32_t rx_id, int *slot)
{
    for (*slot = SEALANE_NEXT; *slot >= SEALANE_PREVIOUS; --*slot) {
        struct generation *g = channel_slot(ch, *slot);

        if (g != NULL && has_id(g, rx_id))
            return g;
    }
    return NULL;
}

int channel_hold_id(const struct sealane_channel *ch, uint32_t rx_id, struct generation **held, int *slot)
{
    for (;;) {
        struct generation *g = find_id(ch, rx_id, slot);

        if (g == NULL)
            return SEALANE_ENOKEY;
        *held = g;
        if (!generation_hold(g)) {
            if (channel_slot(ch, *slot) == g)
                return SEALANE_ELIMIT;
            continue;
        }
        if (has_id(g, rx_id) && !generation_is_worn_out(g))
            return SEALANE_OK;
        generation_release(g);
        if (has_id(g, rx_id))
            return SEALANE_ELIMIT;
    }
}

static void set_slot(struct sealane_channel *ch, int slot, struct generation *g)
{
    atomic_store_explicit(&ch->slot[slot], g, memory_order_release);
}

void channel_make_current(struct sealane_channel *ch, struct generation *g)
{
    struct generation *current = channel_slot(ch, SEALANE_CURRENT);
    struct generation *previous = channel_slot(ch, SEALANE_PREVIOUS);

    if (current != NULL)
        set_slot(ch, SEALANE_PREVIOUS, current);
    set_slot(ch, SEALANE_CURRENT, g);
    set_slot(ch, SEALANE_NEXT, NULL);
    if (current != NULL && previous != NULL)
        generation_retire(previous);
}

bool channel_confirm(struct sealane_channel *ch, struct generation *g)
{
    bool waited;

    if (channel_slot(ch, SEALANE_NEXT) != g)
        return false;
    pthread_mutex_lock(&ch->lock);
    waited = channel_slot(ch, SEALANE_NEXT) == g && !generation_is_retired(g);
    if (waited)
        channel_make_current(ch, g);
    pthread_mutex_unlock(&ch->lock);
    return waited;
}
