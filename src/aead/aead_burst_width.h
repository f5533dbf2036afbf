/* aead_burst_width.h: how many packets of one shape run together. Called by aead_burst.c. */
#ifndef AEAD_BURST_WIDTH_H
#define AEAD_BURST_WIDTH_H

#include <sealane/aead.h>

#include "aead_burst_kernels.h"

/* How many of n checked jobs of one shape, whose rung this is, run together next: in lanes of the width that
 * costs the least for all of them, where the last lanes may be idle or what is left for them alone; 0 when
 * all are cheaper alone. */
unsigned aead_burst_width(const struct aead_burst_rung *rung, struct sealane_job *const *jobs, unsigned n);

#endif
