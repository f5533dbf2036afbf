/* aead_burst_macs.h: the MACs of a burst (RFC 8439 section 2.8), side by side. Called by aead_burst_plan.c.
 */
#ifndef AEAD_BURST_MACS_H
#define AEAD_BURST_MACS_H

#include "aead_burst_kernels.h"

/* One MAC's input. A span of length 0 is not looked at. */
struct burst_mac {
    const uint8_t *aad, *text;
    size_t aad_len; /* AEAD_MACS_AAD_MAX at most */
    size_t len;
};

/* Writes n tags, 1 <= n <= AEAD_MACS, under the one-time keys at the beginning of each row of keys. keys and
 * tags have room for n rounded up to the kernels' lanes; the tags from n on mean nothing. */
void burst_macs_run(const struct aead_burst_kernels *k, const struct burst_mac *in, const uint8_t (*keys)[64],
                    uint8_t (*tags)[16], unsigned n);

#endif
