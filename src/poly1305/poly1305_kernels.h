/* poly1305_kernels.h: the contract of the Poly1305 kernels (RFC 8439 section 2.5) and the choice among them.
 * Called by the public poly1305.h and by the AEAD; implemented here in portable C and in the machines'
 * folders. */
#ifndef POLY1305_KERNELS_H
#define POLY1305_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* A message under way, in the scalar representation: h is the accumulator and r the clamped key in limbs of
 * the portable code (poly1305_portable.c says which), s the key's second half. */
struct poly1305_core {
    uint64_t h[3];
    uint64_t r[2];
    uint64_t s[2];
    uint32_t limbs[10]; /* h and r where there is no 128-bit product */
};

/* The scalar code; len is a multiple of 16 for _blocks, 1 .. 15 for _last. */
void poly1305_setup(struct poly1305_core *p, const uint8_t key[32]);
void poly1305_blocks(struct poly1305_core *p, const uint8_t *msg, size_t len);
void poly1305_padded(struct poly1305_core *p, const uint8_t *msg,
                     size_t len); /* blocks; a short last one zero-filled */
void poly1305_last(struct poly1305_core *p, const uint8_t *msg,
                   size_t len); /* short last block of a plain message */
void poly1305_finish(struct poly1305_core *p, uint8_t tag[16]);

/* The MAC of an AEAD message (RFC 8439 section 2.8): aad | pad16 | text | pad16 | le64(aad_len) | le64(len).
 * Any lengths, 0 included; nothing outside the spans is read. key: the one-time key's 32 bytes. */
#define POLY1305_AEAD_KERNEL(name)                                                                           \
    void name(uint8_t tag[16], const uint8_t key[32], const uint8_t *aad, size_t aad_len,                    \
              const uint8_t *text, size_t len)
typedef POLY1305_AEAD_KERNEL(poly1305_aead_kernel);

POLY1305_AEAD_KERNEL(poly1305_aead_portable);

#endif
