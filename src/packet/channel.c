/* channel.c: the life of a channel and of its keys: made, installed, aged, retired. Public calls of packet.h.
 */
#include "channel.h"

#include <stdlib.h>

#include "secret.h"

int sealane_channel_new(struct sealane_channel **ch)
{
    struct sealane_channel *c;

    if (ch == NULL)
        return SEALANE_EINVAL;
    *ch = NULL;
    c = calloc(1, sizeof *c); /* all-zero atomics: no keys, nothing counted */
    if (c == NULL)
        return SEALANE_ESPACE;
    if (pthread_mutex_init(&c->lock, NULL) != 0) {
        free(c);
        return SEALANE_ESPACE;
    }
    c->self = c;
    *ch = c;
    return SEALANE_OK;
}

void sealane_channel_free(struct sealane_channel *ch)
{
    if (!channel_is_valid(ch))
        return;
    ch->self = NULL;
    for (struct generation *g = ch->generations, *next; g != NULL; g = next) {
        next = g->next;
        generation_free(g);
    }
    pthread_mutex_destroy(&ch->lock);
    free(ch);
}

static bool keys_are_sound(const struct packet_format *f, const struct sealane_keys *keys)
{
    return keys->tx_id <= f->max_id && keys->rx_id <= f->max_id &&
           (keys->window == 0 || (keys->window >= WINDOW_MIN && keys->window <= WINDOW_MAX)) &&
           !secret_equal32(keys->tx_key, keys->rx_key);
}

static bool is_in_slot(const struct sealane_channel *ch, const struct generation *g)
{
    for (int slot = SEALANE_PREVIOUS; slot < CHANNEL_SLOTS; slot++)
        if (channel_slot(ch, slot) == g)
            return true;
    return false;
}

/* One that can be filled; calls in flight may keep more than the slots have. NULL: no memory. */
static struct generation *idle_generation(struct sealane_channel *ch)
{
    struct generation *g = ch->generations;

    while (g != NULL && (!generation_is_idle(g) || is_in_slot(ch, g)))
        g = g->next;
    if (g == NULL && (g = generation_new()) != NULL) {
        g->next = ch->generations;
        ch->generations = g;
    }
    return g;
}

/* Will the keys in this slot be there when new ones came? */
static bool outlives_install(int slot, int when)
{
    return slot == SEALANE_CURRENT || (slot == SEALANE_PREVIOUS && when == SEALANE_ON_FIRST_PACKET);
}

/* New keys that would be mistaken for others: by their id, by their format, or because they are the same.
 * (Live keys in a slot stay filled while the lock is held.) */
static bool clashes(const struct sealane_channel *ch, const struct generation *g, int when)
{
    for (int slot = SEALANE_PREVIOUS; slot < CHANNEL_SLOTS; slot++) {
        const struct generation *other = channel_slot(ch, slot);

        if (other == NULL)
            continue;
        if (other->format->format != g->format->format)
            return true;
        if (outlives_install(slot, when) && atomic_load_explicit(&other->rx_id, memory_order_relaxed) ==
                                                atomic_load_explicit(&g->rx_id, memory_order_relaxed))
            return true;
        if (!generation_is_retired(other) && generation_shares_key(other, g))
            return true;
    }
    return false;
}

static int install(struct sealane_channel *ch, const struct packet_format *format,
                   const struct sealane_keys *keys, int when)
{
    struct generation *g = idle_generation(ch), *next = channel_slot(ch, SEALANE_NEXT);

    if (g == NULL || !generation_fill(g, format, keys))
        return SEALANE_ESPACE;
    if (clashes(ch, g, when)) {
        generation_wipe(g);
        return SEALANE_EINVAL;
    }
    g->born_ms = ch->now_ms;
    ch->installed++;
    atomic_store_explicit(&ch->format, format, memory_order_release);
    generation_start(g);
    if (when == SEALANE_NOW)
        channel_make_current(ch, g);
    else
        atomic_store_explicit(&ch->slot[SEALANE_NEXT], g, memory_order_release);
    if (next != NULL)
        generation_retire(next);
    return SEALANE_OK;
}

int sealane_channel_install(struct sealane_channel *ch, const struct sealane_keys *keys, int when)
{
    const struct packet_format *format;
    int err;

    if (!channel_is_valid(ch) || keys == NULL || keys->size != sizeof *keys ||
        (when != SEALANE_NOW && when != SEALANE_ON_FIRST_PACKET))
        return SEALANE_EINVAL;
    format = packet_format_for(keys->format, keys->flags);
    if (format == NULL || !keys_are_sound(format, keys))
        return SEALANE_EINVAL;
    pthread_mutex_lock(&ch->lock);
    err = install(ch, format, keys, when);
    pthread_mutex_unlock(&ch->lock);
    return err;
}

static bool retire(struct sealane_channel *ch, int slot)
{
    struct generation *g = channel_slot(ch, slot);

    if (g == NULL)
        return false;
    atomic_store_explicit(&ch->slot[slot], NULL, memory_order_release);
    generation_retire(g);
    return true;
}

int sealane_channel_retire(struct sealane_channel *ch, int slot)
{
    int err = SEALANE_OK;

    if (!channel_is_valid(ch) || slot < SEALANE_PREVIOUS || slot > SEALANE_ALL)
        return SEALANE_EINVAL;
    pthread_mutex_lock(&ch->lock);
    if (slot != SEALANE_ALL)
        err = retire(ch, slot) ? SEALANE_OK : SEALANE_ENOKEY;
    else
        for (int s = SEALANE_PREVIOUS; s < CHANNEL_SLOTS; s++)
            retire(ch, s);
    pthread_mutex_unlock(&ch->lock);
    return err;
}

/* Keys that are too old are wiped; they stay in their slot, so that packets get ELIMIT and not ENOKEY. */
static void expire(struct sealane_channel *ch)
{
    for (int slot = SEALANE_PREVIOUS; slot < CHANNEL_SLOTS; slot++) {
        struct generation *g = channel_slot(ch, slot);

        if (g != NULL && g->format->reject_ms != 0 && ch->now_ms - g->born_ms >= g->format->reject_ms)
            generation_retire(g);
    }
}

int sealane_channel_tick(struct sealane_channel *ch, uint64_t now_ms)
{
    if (!channel_is_valid(ch))
        return SEALANE_EINVAL;
    pthread_mutex_lock(&ch->lock);
    if (!ch->clock_runs) {
        ch->clock_runs = true;
        ch->clock_start = now_ms;
    }
    if (now_ms >= ch->clock_start && now_ms - ch->clock_start > ch->now_ms) {
        ch->now_ms = now_ms - ch->clock_start;
        expire(ch);
    }
    pthread_mutex_unlock(&ch->lock);
    return SEALANE_OK;
}

int sealane_channel_epoch(struct sealane_channel *ch, uint16_t epoch, const uint8_t tx_key[32],
                          const uint8_t tx_iv[12], const uint8_t rx_key[32], const uint8_t rx_iv[12])
{
    (void)ch;
    (void)epoch;
    (void)tx_key;
    (void)tx_iv;
    (void)rx_key;
    (void)rx_iv;
    return SEALANE_EINVAL; /* no format of this version has epochs */
}
