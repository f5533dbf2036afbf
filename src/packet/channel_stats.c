/* channel_stats.c: what a channel tells about itself. Public calls of packet.h; they take the channel's lock,
 * so that keys stay in their slots meanwhile. */
#include <string.h>

#include "channel.h"

static void lock(const struct sealane_channel *ch)
{
    pthread_mutex_lock((pthread_mutex_t *)(uintptr_t)&ch->lock);
}

static void unlock(const struct sealane_channel *ch)
{
    pthread_mutex_unlock((pthread_mutex_t *)(uintptr_t)&ch->lock);
}

static int due(const struct generation *g, uint64_t now_ms)
{
    const struct packet_format *f;
    uint64_t next, failed;

    if (g == NULL || generation_is_retired(g) || generation_is_worn_out(g))
        return SEALANE_EXPIRED;
    f = g->format;
    next = atomic_load_explicit(&g->tx_next, memory_order_relaxed);
    failed = atomic_load_explicit(&g->failed, memory_order_relaxed);
    if (next >= f->limit_number)
        return SEALANE_EXPIRED;
    if (next >= f->rekey_number || failed > GENERATION_FAILED_REKEY ||
        (f->rekey_ms != 0 && now_ms - g->born_ms >= f->rekey_ms))
        return SEALANE_REKEY;
    return 0;
}

int sealane_channel_due(const struct sealane_channel *ch)
{
    int answer;

    if (!channel_is_valid(ch))
        return SEALANE_EINVAL;
    lock(ch);
    answer = due(channel_slot(ch, SEALANE_CURRENT), ch->now_ms);
    unlock(ch);
    return answer;
}

static uint64_t count(const struct sealane_channel *ch, enum channel_count what)
{
    return atomic_load_explicit(&ch->count[what], memory_order_relaxed);
}

static uint32_t live_generations(const struct sealane_channel *ch)
{
    uint32_t live = 0;

    for (int slot = SEALANE_PREVIOUS; slot < CHANNEL_SLOTS; slot++) {
        const struct generation *g = channel_slot(ch, slot);

        if (g != NULL && !generation_is_retired(g))
            live |= 1u << (slot - SEALANE_PREVIOUS);
    }
    return live;
}

static void describe_keys(const struct sealane_channel *ch, const struct generation *g,
                          struct sealane_stats *stats)
{
    stats->tx_counter = atomic_load_explicit(&g->tx_next, memory_order_relaxed);
    stats->rx_newest = atomic_load_explicit(&g->window.newest, memory_order_relaxed);
    stats->key_age_ms = ch->now_ms - g->born_ms;
    stats->key_forged = atomic_load_explicit(&g->failed, memory_order_relaxed);
}

int sealane_channel_stats(const struct sealane_channel *ch, struct sealane_stats *out)
{
    struct sealane_stats stats = {0};
    const struct generation *current;

    if (!channel_is_valid(ch) || out == NULL || out->size < sizeof(uint64_t))
        return SEALANE_EINVAL;
    stats.size = out->size < sizeof stats ? out->size : (uint32_t)sizeof stats;
    stats.sealed_packets = count(ch, COUNT_SEALED_PACKETS);
    stats.sealed_bytes = count(ch, COUNT_SEALED_BYTES);
    stats.opened_packets = count(ch, COUNT_OPENED_PACKETS);
    stats.opened_bytes = count(ch, COUNT_OPENED_BYTES);
    stats.forged = count(ch, COUNT_FORGED);
    stats.replayed = count(ch, COUNT_REPLAYED);
    stats.malformed = count(ch, COUNT_MALFORMED);
    stats.no_key = count(ch, COUNT_NO_KEY);
    stats.limit = count(ch, COUNT_LIMIT);
    lock(ch);
    stats.generations = live_generations(ch);
    stats.keys_installed = ch->installed;
    current = channel_slot(ch, SEALANE_CURRENT);
    if (current != NULL)
        describe_keys(ch, current, &stats);
    unlock(ch);
    memcpy(out, &stats, stats.size);
    return SEALANE_OK;
}
