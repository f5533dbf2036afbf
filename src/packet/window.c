/* window.c: the replay window of RFC 6479. */
#include "window.h"

#include <stdlib.h>

bool window_make(struct window *w)
{
    w->words = NULL;
    w->mask = 0;
    return pthread_mutex_init(&w->lock, NULL) == 0;
}

void window_free(struct window *w)
{
    pthread_mutex_destroy(&w->lock);
    free(w->words);
}

bool window_reset(struct window *w, uint32_t behind)
{
    uint32_t n =
        2; /* a power of two, at least ceil(behind / 64) + 1: numbers span one word more than they fill */

    while (n < (behind + 63) / 64 + 1)
        n *= 2;
    if (w->mask != n - 1) {
        _Atomic uint64_t *words = malloc(n * sizeof *words);
        if (words == NULL)
            return false;
        free(w->words);
        w->words = words;
        w->mask = n - 1;
    }
    for (uint32_t i = 0; i < n; i++)
        atomic_init(&w->words[i], 0);
    atomic_init(&w->newest, 0);
    w->behind = behind;
    return true;
}

/* Clears the words behind the newest's, up to the number's own: all of them at most. */
static void move_to(struct window *w, uint64_t newest, uint64_t number)
{
    uint64_t n = (number >> 6) - (newest >> 6);

    if (n > w->mask)
        n = (uint64_t)w->mask + 1;
    for (uint64_t i = 0; i < n; i++)
        atomic_store_explicit(window_word(w, number - (i << 6)), 0,
                              memory_order_relaxed); /* number >= 64 * n > 64 * i */
    atomic_store_explicit(&w->newest, number, memory_order_release);
}

bool window_accept(struct window *w, uint64_t number)
{
    uint64_t newest = atomic_load_explicit(&w->newest, memory_order_relaxed), word;

    if (!window_is_fresh(w, number))
        return false;
    if (number > newest)
        move_to(w, newest, number);
    word =
        atomic_load_explicit(window_word(w, number), memory_order_relaxed); /* nobody else writes: the lock */
    atomic_store_explicit(window_word(w, number), word | window_bit(number), memory_order_relaxed);
    return true;
}
