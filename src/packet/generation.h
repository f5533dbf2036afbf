/* generation.h: one generation of keys: both directions' keys, their packet numbers, replay window and
 * failures. Made and retired by channel.c under the channel's lock, used by seal.c and open.c while they hold
 * it.
 *
 * Lifetime. The memory of a generation stays as long as its channel, so a thread may look at its atomics at
 * any time. Its keys live from generation_fill to generation_retire, and on until the last call that holds it
 * has left, which wipes them; then it is idle and can be filled again. Once retired it cannot be held any
 * more. */
#ifndef PACKET_GENERATION_H
#define PACKET_GENERATION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <sealane/aead.h>

#include "format.h"
#include "window.h"

/* Failed openings under one key (RFC 9001 section 6.6 sets 2^36; half of it asks for new keys). */
#define GENERATION_FAILED_REKEY (UINT64_C(1) << 35)
#define GENERATION_FAILED_LIMIT (UINT64_C(1) << 36)

/* The hold word: calls in flight in the low bits, and two marks. */
#define GENERATION_RETIRED UINT32_C(0x80000000) /* no new holds */
#define GENERATION_IDLE UINT32_C(0x40000000)    /* wiped */

struct generation {
    _Alignas(64) _Atomic uint32_t holds;
    _Atomic uint32_t rx_id;
    struct generation *next; /* of the channel's list; fixed */

    /* Fixed while the keys live; read by holders. */
    const struct packet_format *format;
    uint64_t born_ms; /* on the channel's clock; read under the channel's lock */
    uint32_t tx_id, mtu;
    uint8_t tx_iv[12], rx_iv[12];
    struct sealane_key tx, rx;

    _Alignas(64) _Atomic uint64_t tx_next; /* the next packet number to send */
    _Alignas(64) _Atomic uint64_t failed;  /* forged packets */
    struct window window;
};

/* An idle generation, or NULL: no memory. */
struct generation *generation_new(void);

/* Wipes and frees; nobody holds it. */
void generation_free(struct generation *g);

/* Gives an idle generation its keys, which were checked. False: no memory, and it is still idle. It can be
 * held after generation_start; generation_wipe makes it idle again instead (nobody holds it, and nobody can).
 */
bool generation_fill(struct generation *g, const struct packet_format *format,
                     const struct sealane_keys *keys);
void generation_start(struct generation *g);
void generation_wipe(struct generation *g);

/* No new holds from now on; wiped now, or by the last call in flight. May be called again. */
void generation_retire(struct generation *g);

/* True: the keys stay until generation_release. False: retired. */
bool generation_hold(struct generation *g);
void generation_release(struct generation *g);

/* Do the two share a key, in whatever direction? Both are filled, and stay so meanwhile. Constant time. */
bool generation_shares_key(const struct generation *a, const struct generation *b);

/* Takes up to n consecutive packet numbers, fewer where the format's limit comes first. Returns how many; the
 * first is in *first. */
size_t generation_take_numbers(struct generation *g, size_t n, uint64_t *first);

static inline bool generation_is_retired(const struct generation *g)
{
    return (atomic_load_explicit(&g->holds, memory_order_acquire) & GENERATION_RETIRED) != 0;
}

static inline bool generation_is_idle(const struct generation *g)
{
    return (atomic_load_explicit(&g->holds, memory_order_acquire) & GENERATION_IDLE) != 0;
}

/* Too many forged packets: nothing is sealed or opened any more. Calls in flight end as they began. */
static inline bool generation_is_worn_out(const struct generation *g)
{
    return atomic_load_explicit(&g->failed, memory_order_relaxed) > GENERATION_FAILED_LIMIT;
}

#endif
