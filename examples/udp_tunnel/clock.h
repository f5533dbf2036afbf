/* clock.h: the tunnel's two clocks. */
#ifndef TUNNEL_CLOCK_H
#define TUNNEL_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Milliseconds that never run backwards and go on while the machine sleeps: keys age in a suspended laptop.
 */
static inline uint64_t clock_ms(void)
{
    struct timespec t;

    if (clock_gettime(CLOCK_BOOTTIME, &t) != 0)
        clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Nanoseconds of the wall clock: the timestamp of hellos, which has to grow over restarts. */
static inline uint64_t clock_wall_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

#endif
