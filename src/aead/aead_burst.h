/* aead_burst.h: bursts of messages for src/packet, which makes its jobs itself. */
#ifndef AEAD_BURST_H
#define AEAD_BURST_H

#include <sealane/aead.h>

/* As sealane_seal_burst and sealane_open_burst, for jobs that would pass their checks: keys are made, spans
 * are there, no longer than AEAD_MAX_LEN and do not overlap. So all are sealed. Opening returns how many
 * are authentic. */
void aead_burst_seal_checked(struct sealane_job *jobs, size_t n);
size_t aead_burst_open_checked(struct sealane_job *jobs, size_t n);

#endif
