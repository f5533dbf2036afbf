/* clock.h: time in core cycles.
 *
 * The time stamp counter ticks at its own rate, the core at another that changes with load and neighbours. A
 * chain of dependent additions takes one core cycle each; timed beside every window it tells the ratio. */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <x86intrin.h>

static inline uint64_t clock_ticks(void)
{
    _mm_lfence();
    uint64_t t = __rdtsc();
    _mm_lfence();
    return t;
}
#else
#include <time.h>

static inline uint64_t clock_ticks(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}
#endif

/* a += b, of which no compiler makes anything else. A register is added, not a constant: some cores add
 * constants while renaming, several in a cycle. */
#if defined(__x86_64__)
#define ADD(a, b) __asm__ volatile("add %1, %0" : "+r"(a) : "r"(b))
#else
#define ADD(a, b) __asm__ volatile("" : "=r"(a) : "0"((a) + (b)))
#endif

/* Pins the thread to a CPU; -1: the last one that it may use. Returns the CPU, or -1. */
int clock_pin(int cpu);

/* Measures the counter's rate and cost; takes 20 ms. */
void clock_start(void);
double clock_ns_per_tick(void);
double clock_cost(void); /* ticks between two readings with nothing between them */

/* Ticks of one core cycle, now. */
double clock_cycle(void);

#endif
