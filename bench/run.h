/* run.h: one set of options, from lineup to rows. */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include <stdio.h>

#include "measure.h"
#include "options.h"

/* Measures all that o names, appends to results, prints rows to table (NULL: none) and progress to standard
 * error. False after a message. */
bool run_options(const struct options *o, struct results *results, FILE *table);

#endif
