/* aead_burst_alike.h: jobs of one shape or of mixed ones, a packet in every lane. Called by aead_burst.c. */
#ifndef AEAD_BURST_ALIKE_H
#define AEAD_BURST_ALIKE_H

#include <sealane/aead.h>

#include "aead_burst_kernels.h"

/* Where a run works: on the stack of the caller, once for all its runs. */
struct aead_alike_run {
    struct aead_alike packets;
    uint8_t tags[AEAD_ALIKE_MAX][16];
};

/* Seals n checked jobs with the len and the aad_len of the first, 1 <= n <= AEAD_ALIKE_MAX, whatever their
 * keys; their status is SEALANE_OK and stays. Returns 0. The kernels' frames are left
 * as they are: the caller cleans. */
unsigned aead_alike_seal(const struct aead_burst_kernels *k, struct aead_alike_run *r,
                         struct sealane_job *const *jobs, unsigned n);

/* Opens them: a forged one's status becomes SEALANE_EFORGED and its out is zeroed. Returns how many there
 * are. */
unsigned aead_alike_open(const struct aead_burst_kernels *k, struct aead_alike_run *r,
                         struct sealane_job *const *jobs, unsigned n);

/* The same of jobs of any shapes, the longest first, n <= k->mixed_max. */
unsigned aead_mixed_seal(const struct aead_burst_kernels *k, struct aead_alike_run *r,
                         struct sealane_job *const *jobs, unsigned n);
unsigned aead_mixed_open(const struct aead_burst_kernels *k, struct aead_alike_run *r,
                         struct sealane_job *const *jobs, unsigned n);

#endif
