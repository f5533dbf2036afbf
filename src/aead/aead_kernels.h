/* aead_kernels.h: the contract of the AEAD kernels (RFC 8439 section 2.8) and the choice among them. Called
 * by the public calls of this folder; implemented here over any cipher and authenticator, and fused in the
 * machines' folders. */
#ifndef AEAD_KERNELS_H
#define AEAD_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "chacha_kernels.h"
#include "poly1305_kernels.h"

/* One message, checked: spans are legal, len and aad_len may be 0 (their pointers are then not looked at). */
struct aead_message {
    const uint32_t *key; /* eight words, little-endian loads of the 32 bytes */
    const uint8_t *nonce;
    const uint8_t *aad, *in;
    uint8_t *out;
    size_t aad_len, len;
};

struct aead_suite;

/* Writes the whole output and the tag over the ciphertext, which is out when sealing and in when opening. An
 * opening kernel compares nothing: its caller does, and zeroes out on failure. */
#define AEAD_KERNEL(name)                                                                                    \
    void name(const struct aead_suite *suite, const struct aead_message *m, uint8_t tag[16])
typedef AEAD_KERNEL(aead_kernel);

/* Zeroes the registers that kernels use, and the stack below its caller: `stack` bytes behind the first
 * `skip`, at least 128 and AEAD_STACK_MAX together. Called by the function that called the kernels, once, on
 * the way out of a seal, an open or a burst, so that kernels leave what they computed where it is. */
#define AEAD_CLEAN(name) void name(size_t skip, size_t stack)
typedef AEAD_CLEAN(aead_clean);
#define AEAD_STACK_MAX 20096

/* What the frames of a kernel hold: `skip` bytes without secrets, then up to `stack` with them (in builds
 * with optimization). */
struct aead_frames {
    unsigned skip, stack;
};

/* The kernels that serve lengths up to max_len (those above the rung before). */
struct aead_rung {
    size_t max_len;
    aead_kernel *seal, *open;
    struct aead_frames seal_frames, open_frames;
    const char *name;
};

/* All that a key of one feature level uses. */
struct aead_suite {
    const char *level;
    const struct chacha_ladder *chacha;
    const struct poly1305_ladder *poly1305;
    const struct aead_rung *rungs; /* ascending; the last has max_len SIZE_MAX */
    aead_clean *clean;
};

/* The suite for a set of SEALANE_CPU_ bits. Never NULL. */
const struct aead_suite *aead_suite_for(uint32_t cpu);
const struct aead_rung *aead_rung_for(const struct aead_suite *suite, size_t len);

/* Two passes over suite->chacha and suite->poly1305: any pair can be tested. */
AEAD_KERNEL(aead_seal_two_pass);
AEAD_KERNEL(aead_open_two_pass);

#if SEALANE_X86
AEAD_CLEAN(aead_clean_sse2);
AEAD_CLEAN(aead_clean_avx2);
AEAD_CLEAN(aead_clean_avx512vl);
AEAD_CLEAN(aead_clean_avx512);
#endif

#if SEALANE_X86 && SEALANE_ASM
/* Fused, scalar Poly1305: up to 3, 4 and 5 blocks; any length, beside sweeps of 4 and 8 blocks
 * (src/x86/aead_columns.inc). */
AEAD_KERNEL(aead_seal_rows4_avx2);
AEAD_KERNEL(aead_open_rows4_avx2);
AEAD_KERNEL(aead_seal_rows5_avx2);
AEAD_KERNEL(aead_open_rows5_avx2);
AEAD_KERNEL(aead_seal_rows6_avx2);
AEAD_KERNEL(aead_open_rows6_avx2);
AEAD_KERNEL(aead_seal_columns4_ssse3);
AEAD_KERNEL(aead_open_columns4_ssse3);
AEAD_KERNEL(aead_seal_columns8_avx2);
AEAD_KERNEL(aead_open_columns8_avx2);

/* Fused, with IFMA, in ymm; by the layout of the sweep, whose first block is the key's: up to 1, 3 and 7
 * blocks of text (src/x86/aead_short_avx512vl.c, src/x86/aead_columns8_avx512vl.c). */
AEAD_KERNEL(aead_seal_rows2_avx512vl);
AEAD_KERNEL(aead_open_rows2_avx512vl);
AEAD_KERNEL(aead_seal_rows4_avx512vl);
AEAD_KERNEL(aead_open_rows4_avx512vl);
AEAD_KERNEL(aead_seal_columns8_avx512vl);
AEAD_KERNEL(aead_open_columns8_avx512vl);

/* Fused, with IFMA, in zmm; by the layout of the first sweep (src/x86/aead_sweep.inc): up to 4, 8, 16 and
 * 24 blocks, and any number. */
AEAD_KERNEL(aead_seal_rows4_avx512);
AEAD_KERNEL(aead_open_rows4_avx512);
AEAD_KERNEL(aead_seal_rows8_avx512);
AEAD_KERNEL(aead_open_rows8_avx512);
AEAD_KERNEL(aead_seal_columns16_avx512);
AEAD_KERNEL(aead_open_columns16_avx512);
AEAD_KERNEL(aead_seal_columns24_avx512);
AEAD_KERNEL(aead_open_columns24_avx512);
AEAD_KERNEL(aead_seal_columns32_avx512);
AEAD_KERNEL(aead_open_columns32_avx512);
#endif

#endif
