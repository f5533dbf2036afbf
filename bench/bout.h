/* bout.h: one contender at one workload, window by window. */
#ifndef BENCH_BOUT_H
#define BENCH_BOUT_H

#include "contender.h"

/* What a window measured, for one packet. */
struct window {
    double cycles, ns;
};

struct bout {
    const struct contender *contender;
    struct workload *w;
    void *ctx;
    size_t calls; /* in a window */
    size_t at;    /* whose turn it is in the ring */
    bool failed;  /* a call did; no window counts any more */
};

/* False when the contender cannot do this. */
bool bout_start(struct bout *b, const struct contender *contender, struct workload *w);
void bout_end(struct bout *b);

/* Does the deed once to every packet and compares the outputs. -1 when all are right, else the first packet
 * that is not. Then finds how many calls make a window. */
long bout_check(struct bout *b);

/* Warms up, then times a window. */
struct window bout_window(struct bout *b);

#endif
