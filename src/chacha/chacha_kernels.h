/* chacha_kernels.h: the contract of the ChaCha kernels (RFC 8439 sections 2.1 to 2.4) and the choice among
 * them. Called by the public chacha.h and by the AEAD; implemented here in portable C and in the machines'
 * folders. */
#ifndef CHACHA_KERNELS_H
#define CHACHA_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* dst = src XOR keystream. state is the sixteen input words, state[12] the number of the first block; the
 * counter wraps at 2^32, in every lane, and never carries into word 13. len is within the range that the
 * kernel's name and the ladder give it, never 0. dst equals src or is disjoint from it; nothing outside both
 * ranges is read or written. rounds is 8, 12 or 20. Time and addresses depend on len and rounds alone. */
#define CHACHA_KERNEL(name)                                                                                  \
    void name(uint8_t *dst, const uint8_t *src, size_t len, const uint32_t state[16], int rounds)
typedef CHACHA_KERNEL(chacha_kernel);

/* One rung: the kernel that serves lengths up to max_len (those above the rung before it). It is given
 * multiples of step (a power of two, 1: any length), and is not given an end of 1 .. spare bytes behind a
 * multiple of sweep (a power of two). What remains of a message goes to the rung of its own length. */
struct chacha_rung {
    size_t max_len;
    size_t step;
    size_t sweep, spare;
    chacha_kernel *run;
    const char *name;
};

/* The rungs of one feature level, ascending; the last has max_len SIZE_MAX. */
struct chacha_ladder {
    const char *level;
    const struct chacha_rung *rungs;
    size_t stack; /* what the frames of its kernels take at most, in builds with optimization; 0: they clean
                     up */
};

/* The ladder for a set of SEALANE_CPU_ bits. Never NULL. */
const struct chacha_ladder *chacha_ladder_for(uint32_t cpu);

/* The rung that begins a message of len bytes, len > 0, and in *n how many of them it takes. */
const struct chacha_rung *chacha_next_run(const struct chacha_ladder *ladder, size_t len, size_t *n);

/* dst = src XOR keystream through the ladder; len may be 0. The caller advances state[12]. */
void chacha_xor(const struct chacha_ladder *ladder, uint8_t *dst, const uint8_t *src, size_t len,
                const uint32_t state[16], int rounds);

/* Lays out the input words (RFC 8439 section 2.3); key is eight words, little-endian loads of the 32 bytes.
 */
void chacha_setup(uint32_t state[16], const uint32_t key[8], uint32_t counter, const uint8_t nonce[12]);

/* The eight words of a key. */
void chacha_load_key(uint32_t words[8], const uint8_t key[32]);

/* One block of keystream, as sixteen words; portable. */
void chacha_block(uint32_t out[16], const uint32_t state[16], int rounds);

/* The rounds alone, without the final addition (HChaCha); portable. */
void chacha_permute(uint32_t x[16], int rounds);

/* HChaCha20 (draft-irtf-cfrg-xchacha section 2.2) over key words. */
void chacha_hchacha20(uint32_t out[8], const uint32_t key[8], const uint8_t in[16]);

CHACHA_KERNEL(chacha_xor_portable);

/* Vectors of the compiler's own, with words in the order of the stream, where the baseline has some. */
#if defined(__GNUC__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ &&             \
    (!defined(__i386__) || defined(__SSE2__))
#define CHACHA_PORTABLE_BLOCKS 1
CHACHA_KERNEL(chacha_xor_1to4blocks_portable);
CHACHA_KERNEL(chacha_xor_4blocks_portable);
#endif

extern const struct chacha_ladder chacha_ladder_portable;
#if SEALANE_X86
extern const struct chacha_ladder chacha_ladder_ssse3;
extern const struct chacha_ladder chacha_ladder_avx2;
extern const struct chacha_ladder chacha_ladder_avx512vl;
extern const struct chacha_ladder chacha_ladder_avx512;
#endif

#endif
