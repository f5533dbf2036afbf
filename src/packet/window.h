/* window.h: the replay window (RFC 6479): which packet numbers were seen. Called by open.c.
 *
 * A ring of 64-bit words, one bit per number. Moving on clears whole words and shifts nothing. The ring holds
 * at least the numbers newest - behind .. newest; a word is reused only when all its numbers are older than
 * that. */
#ifndef PACKET_WINDOW_H
#define PACKET_WINDOW_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { WINDOW_MIN = 64, WINDOW_MAX = 65535, WINDOW_DEFAULT = 8128 };

struct window {
    pthread_mutex_t lock;    /* of all writes */
    _Atomic uint64_t newest; /* greatest number accepted; 0 as well before the first */
    _Atomic uint64_t *words; /* mask + 1 of them */
    uint32_t mask;           /* a power of two, less one; 0: no words */
    uint32_t behind;
};

/* A window without words. False: the system has no more locks. */
bool window_make(struct window *w);
void window_free(struct window *w);

/* Nothing seen yet; numbers up to behind (WINDOW_MIN .. WINDOW_MAX) below the newest will be accepted. False:
 * no memory, the window is as before. No other call may be under way. */
bool window_reset(struct window *w, uint32_t behind);

static inline _Atomic uint64_t *window_word(const struct window *w, uint64_t number)
{
    return &w->words[number >> 6 & w->mask];
}

static inline uint64_t window_bit(uint64_t number)
{
    return UINT64_C(1) << (number & 63);
}

/* Is the number new? Without the lock: a hint that saves work. "No" is final: it was seen, or is too old.
 * "Yes" may have changed meanwhile.
 *
 * Readers without the lock: newest is published after the words it opens were cleared (acquire and release),
 * so no bit of a number one ring earlier is taken for this one's. A word that is cleared and reused meanwhile
 * belongs to a number that is too old by then, and "no" is right for that too. */
static inline bool window_is_fresh(const struct window *w, uint64_t number)
{
    uint64_t newest = atomic_load_explicit(&w->newest, memory_order_acquire);

    if (number > newest)
        return true;
    if (newest - number > w->behind)
        return false;
    return (atomic_load_explicit(window_word(w, number), memory_order_relaxed) & window_bit(number)) == 0;
}

/* The decision: true once for each number, and then the window has moved. The caller holds the lock. */
bool window_accept(struct window *w, uint64_t number);

#endif
