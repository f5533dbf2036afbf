/* aead_burst_macs.h: the MACs of a burst (RFC 8439 section 2.8), side by side. Called by aead_burst_plan.c.
 */
#ifndef AEAD_BURST_MACS_H
#define AEAD_BURST_MACS_H

#include "aead_burst_kernels.h"

/* The inputs of up to AEAD_MACS MACs: RFC 8439's aad, text and their lengths. A span of length 0 is not
 * looked at. */
struct burst_macs {
    const uint8_t *aad[AEAD_MACS], *text[AEAD_MACS];
    _Alignas(64) uint64_t aad_len[AEAD_MACS], len[AEAD_MACS];
};

/* Writes n tags, 1 <= n <= AEAD_MACS, under the one-time keys at the beginning of each row of keys. keys and
 * tags have room for n rounded up to the kernels' lanes; lanes from n on are used up. Wipes what it knows,
 * the keys excepted. */
void burst_macs_run(struct burst_macs *m, const struct aead_burst_kernels *k, const uint8_t (*keys)[64],
                    uint8_t (*tags)[16], unsigned n);

#endif
