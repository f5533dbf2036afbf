/* aead_burst_plan.h: one group of a burst over the burst kernels. Called by aead_burst.c. */
#ifndef AEAD_BURST_PLAN_H
#define AEAD_BURST_PLAN_H

#include <sealane/aead.h>

#include "aead_burst_kernels.h"

#define AEAD_GROUP_MAX 32 /* packets; a multiple of AEAD_MACS */

/* Seals n checked jobs, 1 .. AEAD_GROUP_MAX of them; their status is SEALANE_OK and stays. Keys, lengths and
 * AAD lengths may differ; the closer the lengths of the jobs that stand side by side, the fewer lanes idle.
 * Uses less than 24 KiB of stack and wipes it. Returns 0. */
unsigned aead_group_seal(const struct aead_burst_kernels *k, struct sealane_job *const *jobs, unsigned n);

/* Opens them: a forged one's status becomes SEALANE_EFORGED. A forged packet's out is zeroed and never
 * holds anything else, unless it is in as well. Returns how many there are. */
unsigned aead_group_open(const struct aead_burst_kernels *k, struct sealane_job *const *jobs, unsigned n);

#endif
