/* cold.h: what a daemon's packet path meets after everything else that ran since the last packet: code out of
 * the nearer caches, branch predictors that learned other code, data in L3. */
#ifndef BENCH_COLD_H
#define BENCH_COLD_H

#include <stdbool.h>

/* False where this machine has no way to do it, or no memory. */
bool cold_start(void);
void cold_evict(void);

#endif
