/* poly1305_bmi2.c: the scalar Poly1305 built with mulx. Called through the ladder (poly1305_ladder.c) for
 * short messages. */
#include "poly1305_kernels.h"

#if SEALANE_ASM
#define SCALAR_BLOCKS poly1305_mulx_blocks
#endif
#include "poly1305_scalar.h"

POLY1305_BLOCKS_KERNEL(poly1305_blocks_bmi2)
{
    scalar_blocks(p, msg, len);
}

POLY1305_PLAIN_KERNEL(poly1305_plain_bmi2)
{
    scalar_plain(tag, key, msg, len);
}

POLY1305_AEAD_KERNEL(poly1305_aead_bmi2)
{
    scalar_aead(tag, key, aad, aad_len, text, len);
}
