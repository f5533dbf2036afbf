/* poly1305_portable.c: the portable Poly1305, and the pieces of a message under way for the public interface.
 * Called through the ladder, by poly1305.c and by the AEAD. */
#include "poly1305_scalar.h"

void poly1305_setup(struct poly1305_core *p, const uint8_t key[32])
{
    scalar_setup(p, key);
}

void poly1305_last(struct poly1305_core *p, const uint8_t *msg, size_t len)
{
    scalar_last(p, msg, len);
}

void poly1305_finish(struct poly1305_core *p, uint8_t tag[16])
{
    scalar_finish(p, tag);
}

POLY1305_BLOCKS_KERNEL(poly1305_blocks_portable)
{
    scalar_blocks(p, msg, len);
}

POLY1305_PLAIN_KERNEL(poly1305_plain_portable)
{
    scalar_plain(tag, key, msg, len);
}

POLY1305_AEAD_KERNEL(poly1305_aead_portable)
{
    scalar_aead(tag, key, aad, aad_len, text, len);
}
