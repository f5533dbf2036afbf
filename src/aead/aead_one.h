/* aead_one.h: one checked message over the kernels of its rung, before the clean-up. Used by the single calls
 * and by bursts, which clean up once. */
#ifndef AEAD_ONE_H
#define AEAD_ONE_H

#include <sealane/aead.h>

#include "aead_kernels.h"
#include "bytes.h"
#include "secret.h"

/* 0 or SEALANE_EFORGED, and then the whole out is zeroed. What the kernel left on the stack and in registers
 * is the caller's to wipe. */
static inline int aead_one_open(const struct aead_suite *suite, const struct aead_rung *rung,
                                const struct aead_message *m, const uint8_t tag[16])
{
    uint8_t computed[16];
    int authentic;

    rung->open(suite, m, computed);
    authentic = secret_equal16(computed, tag);
    if (!authentic)
        zero_bytes(m->out, m->len);
    secret_wipe(computed, sizeof computed);
    return authentic ? SEALANE_OK : SEALANE_EFORGED;
}

#endif
