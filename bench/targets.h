/* targets.h: files of ratios to reach, and whether they are. */
#ifndef BENCH_TARGETS_H
#define BENCH_TARGETS_H

#include <stdio.h>

#include "measure.h"
#include "options.h"

struct verdict {
    size_t passed, missed, skipped;
};

/* A target file has lines of three kinds; # begins a comment:
 *
 *   setup OPTION...        what the rows below are measured with, over the options of the command line
 *   SIZE PEER[+PEER..] R   the fastest of the peers needs at least R times our cycles; SIZE may be imix
 *   FROM-TO teeth R        each length of the range takes at least R times the cycles of the one before it;
 * for setups with --steps
 *
 * Rows under a setup that this CPU cannot do are skipped with the reason. False after a message when the file
 * is wrong or a measurement failed. */
bool targets_check(const struct options *base, struct results *results, FILE *out, struct verdict *verdict);

#endif
