/* poly1305_ladder.c: which Poly1305 kernel serves which length, level by level. Called when a key or a state
 * is made. */
#include "poly1305_kernels.h"

#include <sealane/cpu.h>

static const struct poly1305_rung portable_rungs[] = {
    {SIZE_MAX, poly1305_plain_portable, poly1305_aead_portable, poly1305_blocks_portable,
     "poly1305_portable"},
};

const struct poly1305_ladder poly1305_ladder_portable = {"portable", portable_rungs};

const struct poly1305_ladder *poly1305_ladder_for(uint32_t cpu)
{
    (void)cpu;
    return &poly1305_ladder_portable;
}

const struct poly1305_rung *poly1305_rung_for(const struct poly1305_ladder *ladder, size_t len)
{
    const struct poly1305_rung *rung = ladder->rungs;

    while (len > rung->max_len)
        rung++;
    return rung;
}

void poly1305_aead(const struct poly1305_ladder *ladder, uint8_t tag[16], const uint8_t key[32],
                   const uint8_t *aad, size_t aad_len, const uint8_t *text, size_t len)
{
    poly1305_rung_for(ladder, aad_len + len)->aead(tag, key, aad, aad_len, text, len);
}
