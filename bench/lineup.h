/* lineup.h: who takes part. */
#ifndef BENCH_LINEUP_H
#define BENCH_LINEUP_H

#include "options.h"

#define MAX_CONTENDERS 64

struct lineup {
    size_t n;
    struct contender contenders[MAX_CONTENDERS];
};

/* Those that the options ask for, ours first; false when one is unknown or cannot be here: message says why.
 */
bool lineup_make(struct lineup *l, const struct options *o, enum what what, char message[256]);

void lineup_list_peers(void);

#endif
