/* poly1305.h: the one-time authenticator Poly1305, RFC 8439 section 2.5.
 *
 * A key authenticates one message. Packets want aead.h, which derives a fresh key for each. */
#ifndef SEALANE_POLY1305_H
#define SEALANE_POLY1305_H

#include <stddef.h>
#include <stdint.h>

#include <sealane/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A message under way. One thread at a time. */
struct sealane_poly1305_state {
    uint64_t opaque[64];
};

/* The tag of msg under key. (NULL, 0) is legal. tag may overlap msg and key (it is written last).
 * Errors: EINVAL (NULL). */
SEALANE_API SEALANE_MUST_CHECK int sealane_poly1305(uint8_t tag[16], const void *msg, size_t len,
                                                    const uint8_t key[32]);

/* The same in pieces of any lengths. final wipes the state: a second final, and an update after it, are
 * refused with EINVAL, as are a state that was never set up and NULL with a length. */
SEALANE_API SEALANE_MUST_CHECK int sealane_poly1305_init(struct sealane_poly1305_state *s,
                                                         const uint8_t key[32]);
SEALANE_API SEALANE_MUST_CHECK int sealane_poly1305_update(struct sealane_poly1305_state *s, const void *msg,
                                                           size_t len);
SEALANE_API SEALANE_MUST_CHECK int sealane_poly1305_final(struct sealane_poly1305_state *s, uint8_t tag[16]);

#ifdef __cplusplus
}
#endif
#endif
