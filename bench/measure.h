/* measure.h: all contenders at one workload, checked, then measured in rounds. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "contender.h"

struct plan {
    size_t rounds;
    double patience; /* seconds to wait for quiet neighbours, for each length */
};

struct spread {
    double q1, median, q3;
};

/* One contender at one workload. */
struct result {
    struct setup setup;
    double mean_len;
    char name[48];
    bool ours;
    struct spread cycles; /* core cycles a packet */
    double ns;            /* median, a packet */
    double ratio; /* its cycles over those of the first of ours, round by round, the median; 0 without ours */
    size_t rounds, noisy; /* noisy: rounds beside a busy neighbour that patience did not outlast */
};

struct results {
    struct result *list;
    size_t n;
};

/* Measures, appends to results. Contenders take turns, window by window, in rounds. Messages about a wrong
 * output, a failing call or a contender that cannot do this go to standard error; the first two make it
 * false.
 */
bool measure(struct results *results, const struct setup *setup, const struct contender *contenders, size_t n,
             const struct plan *plan);

/* One contender of this process at n setups in turn; the ratio of a result is to the result before it, so
 * that a step between neighbouring lengths is told from a change of the machine. */
bool measure_steps(struct results *results, const struct setup *setups, size_t n,
                   const struct contender *contender, const struct plan *plan);

#endif
