/* bout.c: checks a contender's outputs and times its windows. */
#include "bout.h"

#include "clock.h"
#include "cold.h"

/* A window is as long as two readings of the clock's chain: short enough that few meet an interrupt. */
#define WINDOW_NS 8000.0

bool bout_start(struct bout *b, const struct contender *contender, struct workload *w)
{
    *b = (struct bout){.contender = contender, .w = w};
    if (contender->select != NULL)
        contender->select(contender->self);
    b->ctx = contender->method->prepare(contender->self, w);
    return b->ctx != NULL;
}

void bout_end(struct bout *b)
{
    if (b->ctx != NULL)
        b->contender->method->release(b->ctx);
    b->ctx = NULL;
}

static bool consumes_input(const struct workload *w)
{
    return w->setup.in_place && w->deed == DEED_OPEN;
}

static inline void call(struct bout *b)
{
    const struct setup *s = &b->w->setup;

    if (!b->contender->method->run(b->ctx, b->w->packets + b->at * s->burst, s->burst))
        b->failed = true;
    b->at = b->at + 1 == s->ring ? 0 : b->at + 1;
}

/* Ticks of n calls that follow each other. */
static double time_calls(struct bout *b, size_t n)
{
    uint64_t start = clock_ticks();

    for (size_t i = 0; i < n; i++)
        call(b);
    return (double)(clock_ticks() - start) - clock_cost();
}

/* Whole turns of the ring, so that mixed lengths keep their mix. */
static size_t calls_for(const struct bout *b, double ns_of_ring)
{
    size_t ring = b->w->setup.ring;

    if (consumes_input(b->w) || b->w->setup.cold)
        return ring;
    return ring * (ns_of_ring < WINDOW_NS ? (size_t)(WINDOW_NS / ns_of_ring) + 1 : 1);
}

long bout_check(struct bout *b)
{
    if (b->contender->select != NULL)
        b->contender->select(b->contender->self);
    workload_reset(b->w);
    b->at = 0;
    time_calls(b, b->w->setup.ring);
    if (b->contender->spoiled)
        workload_spoil(b->w);
    long difference = b->failed ? 0 : workload_first_difference(b->w);

    if (difference < 0) {
        workload_restore(b->w);
        b->calls = calls_for(b, time_calls(b, b->w->setup.ring) * clock_ns_per_tick());
    }
    return difference;
}

static double time_cold_calls(struct bout *b)
{
    double ticks = 0;

    for (size_t i = 0; i < b->calls; i++) {
        cold_evict();
        ticks += time_calls(b, 1);
    }
    return ticks;
}

static double time_warm_calls(struct bout *b)
{
    workload_restore(b->w);
    time_calls(b, consumes_input(b->w) ? b->calls : b->calls / 2 + 1);
    if (consumes_input(b->w))
        workload_restore(b->w);
    b->at = 0;
    return time_calls(b, b->calls);
}

struct window bout_window(struct bout *b)
{
    if (b->contender->select != NULL)
        b->contender->select(b->contender->self);
    if (b->w->setup.cold)
        workload_restore(b->w);
    double cycle = clock_cycle();
    double ticks = b->w->setup.cold ? time_cold_calls(b) : time_warm_calls(b);
    double cycle_after = clock_cycle();
    double packets = (double)(b->calls * b->w->setup.burst);

    if (cycle_after < cycle)
        cycle = cycle_after;
    return (struct window){.cycles = ticks / cycle / packets, .ns = ticks * clock_ns_per_tick() / packets};
}
