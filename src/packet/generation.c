/* generation.c: one generation of keys. */
#include "generation.h"

#include <stdlib.h>
#include <string.h>

#include <sealane/cpu.h>

#include "aead_key.h"
#include "secret.h"

struct generation *generation_new(void)
{
    struct generation *g = aligned_alloc(_Alignof(struct generation), sizeof *g);

    if (g == NULL)
        return NULL;
    memset(g, 0, sizeof *g);
    atomic_init(&g->holds, GENERATION_RETIRED | GENERATION_IDLE);
    if (!window_make(&g->window)) {
        free(g);
        return NULL;
    }
    return g;
}

static void wipe_keys(struct generation *g)
{
    sealane_key_wipe(&g->tx);
    sealane_key_wipe(&g->rx);
    secret_wipe(g->tx_iv, sizeof g->tx_iv);
    secret_wipe(g->rx_iv, sizeof g->rx_iv);
}

void generation_free(struct generation *g)
{
    wipe_keys(g);
    window_free(&g->window);
    free(g);
}

bool generation_fill(struct generation *g, const struct packet_format *format,
                     const struct sealane_keys *keys)
{
    uint32_t cpu = keys->cpu == 0 ? sealane_cpu_used() : keys->cpu & sealane_cpu_found();

    if (!window_reset(&g->window, keys->window == 0 ? WINDOW_DEFAULT : keys->window))
        return false;
    g->format = format;
    g->tx_id = keys->tx_id;
    g->mtu = keys->mtu;
    aead_key_init(&g->tx, keys->tx_key, cpu);
    aead_key_init(&g->rx, keys->rx_key, cpu);
    memcpy(g->tx_iv, keys->tx_iv, sizeof g->tx_iv);
    memcpy(g->rx_iv, keys->rx_iv, sizeof g->rx_iv);
    atomic_store_explicit(&g->rx_id, keys->rx_id, memory_order_relaxed);
    atomic_store_explicit(&g->tx_next, format->first_number, memory_order_relaxed);
    atomic_store_explicit(&g->failed, 0, memory_order_relaxed);
    atomic_store_explicit(&g->holds, GENERATION_RETIRED, memory_order_relaxed);
    return true;
}

void generation_start(struct generation *g)
{
    atomic_store_explicit(&g->holds, 0, memory_order_release);
}

void generation_wipe(struct generation *g)
{
    wipe_keys(g);
    atomic_store_explicit(&g->holds, GENERATION_RETIRED | GENERATION_IDLE, memory_order_release);
}

void generation_retire(struct generation *g)
{
    if (atomic_fetch_or_explicit(&g->holds, GENERATION_RETIRED, memory_order_acq_rel) == 0)
        generation_wipe(g);
}

bool generation_hold(struct generation *g)
{
    uint32_t holds = atomic_load_explicit(&g->holds, memory_order_acquire);

    do {
        if ((holds & GENERATION_RETIRED) != 0)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&g->holds, &holds, holds + 1, memory_order_acquire,
                                                    memory_order_acquire));
    return true;
}

void generation_release(struct generation *g)
{
    if (atomic_fetch_sub_explicit(&g->holds, 1, memory_order_acq_rel) == (GENERATION_RETIRED | 1))
        generation_wipe(g);
}

static int same_key(const struct sealane_key *a, const struct sealane_key *b)
{
    const struct aead_key *x = aead_key_of(a), *y = aead_key_of(b);

    return x != NULL && y != NULL && secret_equal32((const uint8_t *)x->words, (const uint8_t *)y->words);
}

bool generation_shares_key(const struct generation *a, const struct generation *b)
{
    return (same_key(&a->tx, &b->tx) | same_key(&a->tx, &b->rx) | same_key(&a->rx, &b->tx) |
            same_key(&a->rx, &b->rx)) != 0;
}

/* No fetch-and-add: at the limit it would count on, and in the end wrap. */
size_t generation_take_numbers(struct generation *g, size_t n, uint64_t *first)
{
    uint64_t next = atomic_load_explicit(&g->tx_next, memory_order_relaxed);
    uint64_t left, taken;

    do {
        left = g->format->limit_number - next; /* next <= limit_number */
        taken = n < left ? n : left;
    } while (taken != 0 && !atomic_compare_exchange_weak_explicit(
                               &g->tx_next, &next, next + taken, memory_order_relaxed, memory_order_relaxed));
    *first = next;
    return (size_t)taken;
}
