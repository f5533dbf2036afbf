/* clock.c: the rates of the tick counter and of the core. */
#define _GNU_SOURCE
#include "clock.h"

#include <sched.h>
#include <time.h>

static double ns_per_tick = 1.0, cost;

int clock_pin(int cpu)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return -1;
    for (int i = 0; cpu < 0 && i < CPU_SETSIZE; i++) {
        int candidate = CPU_SETSIZE - 1 - i;

        if (CPU_ISSET((size_t)candidate, &set))
            cpu = candidate;
    }
    if (cpu < 0 || cpu >= CPU_SETSIZE)
        return -1;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0 ? cpu : -1;
}

static double wall_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void clock_start(void)
{
    double wall = wall_ns(), gone;
    uint64_t ticks = clock_ticks();

    do
        gone = wall_ns() - wall;
    while (gone < 20e6);
    ns_per_tick = gone / (double)(clock_ticks() - ticks);

    cost = 1e9;
    for (int i = 0; i < 1000; i++) {
        uint64_t start = clock_ticks();
        double t = (double)(clock_ticks() - start);

        if (t < cost)
            cost = t;
    }
}

double clock_ns_per_tick(void)
{
    return ns_per_tick;
}

double clock_cost(void)
{
    return cost;
}

double clock_cycle(void)
{
    uint64_t a = 0, b = 1;
    uint64_t start = clock_ticks();

    for (int i = 0; i < 250; i++) {
#pragma GCC unroll 40
        for (int k = 0; k < 40; k++)
            ADD(a, b);
    }
    return ((double)(clock_ticks() - start) - cost) / (250 * 40);
}
