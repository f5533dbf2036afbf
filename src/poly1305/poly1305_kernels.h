/* poly1305_kernels.h: the contract of the Poly1305 kernels (RFC 8439 section 2.5) and the choice among them.
 * Called by the public poly1305.h and by the AEAD; implemented here in portable C and in the machines'
 * folders.
 *
 * No kernel reads outside its spans. key is the one-time key's 32 bytes. Time and addresses depend on lengths
 * alone. */
#ifndef POLY1305_KERNELS_H
#define POLY1305_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* A message under way whose length is not known: h is the accumulator, r the clamped first half of the key, s
 * the second. */
struct poly1305_core {
    uint64_t h[3]; /* h[0] + h[1] 2^64 + h[2] 2^128, h[2] <= 4 */
    uint64_t r[2];
    uint64_t s[2];
    uint32_t limbs[10]; /* h and r in place of the above where there is no 128-bit product */
};

/* The tag of a plain message; len may be 0. */
#define POLY1305_PLAIN_KERNEL(name)                                                                          \
    void name(uint8_t tag[16], const uint8_t key[32], const uint8_t *msg, size_t len)
typedef POLY1305_PLAIN_KERNEL(poly1305_plain_kernel);

/* The tag of an AEAD message (RFC 8439 section 2.8): aad | pad16 | text | pad16 | le64(aad_len) | le64(len).
 * Any lengths, 0 included; a pointer with length 0 is not looked at. */
#define POLY1305_AEAD_KERNEL(name)                                                                           \
    void name(uint8_t tag[16], const uint8_t key[32], const uint8_t *aad, size_t aad_len,                    \
              const uint8_t *text, size_t len)
typedef POLY1305_AEAD_KERNEL(poly1305_aead_kernel);

/* Absorbs whole blocks in the middle of a message; len is a multiple of 16, not 0. */
#define POLY1305_BLOCKS_KERNEL(name) void name(struct poly1305_core *p, const uint8_t *msg, size_t len)
typedef POLY1305_BLOCKS_KERNEL(poly1305_blocks_kernel);

/* The kernels that serve messages (or updates) of up to max_len bytes, AAD included, and of more than the
 * rung before has. */
struct poly1305_rung {
    size_t max_len;
    poly1305_plain_kernel *plain;
    poly1305_aead_kernel *aead;
    poly1305_blocks_kernel *blocks;
    const char *name;
};

/* The rungs of one feature level, ascending; the last has max_len SIZE_MAX. */
struct poly1305_ladder {
    const char *level;
    const struct poly1305_rung *rungs;
};

/* The ladder for a set of SEALANE_CPU_ bits. Never NULL. */
const struct poly1305_ladder *poly1305_ladder_for(uint32_t cpu);

/* The rung that serves len. */
const struct poly1305_rung *poly1305_rung_for(const struct poly1305_ladder *ladder, size_t len);

/* The AEAD tag through the ladder. */
void poly1305_aead(const struct poly1305_ladder *ladder, uint8_t tag[16], const uint8_t key[32],
                   const uint8_t *aad, size_t aad_len, const uint8_t *text, size_t len);

/* The pieces of a message under way, portable. */
void poly1305_setup(struct poly1305_core *p, const uint8_t key[32]);
void poly1305_last(struct poly1305_core *p, const uint8_t *msg, size_t len); /* short last block, 1 .. 15 */
void poly1305_finish(struct poly1305_core *p, uint8_t tag[16]);

POLY1305_PLAIN_KERNEL(poly1305_plain_portable);
POLY1305_AEAD_KERNEL(poly1305_aead_portable);
POLY1305_BLOCKS_KERNEL(poly1305_blocks_portable);

extern const struct poly1305_ladder poly1305_ladder_portable;

#if SEALANE_X86
extern const struct poly1305_ladder poly1305_ladder_bmi2;
extern const struct poly1305_ladder poly1305_ladder_avx2;
extern const struct poly1305_ladder poly1305_ladder_avx2_bmi2;
extern const struct poly1305_ladder poly1305_ladder_avx512vl;
extern const struct poly1305_ladder poly1305_ladder_avx512;

/* Scalar, with mulx. */
POLY1305_PLAIN_KERNEL(poly1305_plain_bmi2);
POLY1305_AEAD_KERNEL(poly1305_aead_bmi2);
POLY1305_BLOCKS_KERNEL(poly1305_blocks_bmi2);

/* Four lanes of 26-bit limbs. */
POLY1305_PLAIN_KERNEL(poly1305_plain_avx2);
POLY1305_AEAD_KERNEL(poly1305_aead_avx2);
POLY1305_BLOCKS_KERNEL(poly1305_blocks_avx2);

/* IFMA and BMI2: four lanes of 44-bit limbs in ymm, eight in zmm. */
POLY1305_PLAIN_KERNEL(poly1305_plain_avx512vl);
POLY1305_AEAD_KERNEL(poly1305_aead_avx512vl);
POLY1305_BLOCKS_KERNEL(poly1305_blocks_avx512vl);

POLY1305_PLAIN_KERNEL(poly1305_plain_avx512);
POLY1305_AEAD_KERNEL(poly1305_aead_avx512);
POLY1305_BLOCKS_KERNEL(poly1305_blocks_avx512);
#endif

#endif
