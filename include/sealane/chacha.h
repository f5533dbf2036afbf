/* chacha.h: the ChaCha stream cipher with 8, 12 or 20 rounds, RFC 8439 sections 2.1 to 2.4.
 *
 * A stream cipher alone does not authenticate: packets want aead.h. */
#ifndef SEALANE_CHACHA_H
#define SEALANE_CHACHA_H

#include <stddef.h>
#include <stdint.h>

#include <sealane/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rounds, key, nonce and next block. One thread at a time; may be copied; holds the key: wipe it after use.
 */
struct sealane_chacha {
    uint64_t opaque[12];
};

/* Sets up a stream. rounds: 8, 12 or 20. counter: the number of the first block (RFC 8439 data starts at 1).
 * Errors: EINVAL (rounds, NULL). The kernels are those of sealane_cpu_used() at this moment. */
SEALANE_API SEALANE_MUST_CHECK int sealane_chacha_init(struct sealane_chacha *s, int rounds,
                                                       const uint8_t key[32], const uint8_t nonce[12],
                                                       uint32_t counter);

/* dst = src XOR keystream, len bytes; dst equals src or is disjoint from it; (NULL, 0) is legal. A call
 * begins with a fresh block: after a length that is no multiple of 64 the rest of that block's keystream is
 * dropped. Errors, all before a byte is written: EINVAL (a state that was never set up or was wiped, NULL
 * with a length), EOVERLAP, ELIMIT (the call would go past block 2^32 - 1). */
SEALANE_API SEALANE_MUST_CHECK int sealane_chacha_crypt(struct sealane_chacha *s, void *dst, const void *src,
                                                        size_t len);

/* Forgets key and position; the state is refused with EINVAL from here on. NULL is ignored. */
SEALANE_API void sealane_chacha_wipe(struct sealane_chacha *s);

/* One call of ChaCha20 (RFC 8439 section 2.4) with a state of its own. Rules and errors as above. */
SEALANE_API SEALANE_MUST_CHECK int sealane_chacha20_xor(void *dst, const void *src, size_t len,
                                                        const uint8_t key[32], const uint8_t nonce[12],
                                                        uint32_t counter);

/* HChaCha20 (draft-irtf-cfrg-xchacha section 2.2): a 32-byte subkey from a key and 16 bytes. out may alias
 * neither key nor in. No pointer may be NULL. */
SEALANE_API void sealane_hchacha20(uint8_t out[32], const uint8_t key[32], const uint8_t in[16]);

#ifdef __cplusplus
}
#endif
#endif
