/* aead_key.h: what struct sealane_key holds. Used in this folder and by src/packet, which makes keys for
 * given feature bits. */
#ifndef AEAD_KEY_H
#define AEAD_KEY_H

#include <sealane/aead.h>

struct aead_burst_ladder;
struct aead_suite;

#define AEAD_KEY_MADE UINT64_C(0x5ea1a9ecaeadc003)

struct __attribute__((may_alias)) aead_key {
    uint64_t made; /* AEAD_KEY_MADE, or the key was never made or is wiped */
    const struct aead_suite *suite;
    const struct aead_burst_ladder *burst;
    uint32_t words[8]; /* the key, little-endian loads */
};

_Static_assert(sizeof(struct aead_key) <= sizeof(struct sealane_key), "the key fits its public shape");

/* As sealane_key_init, with the kernels that cpu (SEALANE_CPU_ bits) allows. Pointers are not NULL. */
void aead_key_init(struct sealane_key *key, const uint8_t raw[32], uint32_t cpu);

/* The key's inside, or NULL when it was never made or is wiped. */
static inline const struct aead_key *aead_key_of(const struct sealane_key *key)
{
    const struct aead_key *k = (const struct aead_key *)key;

    return k != NULL && k->made == AEAD_KEY_MADE ? k : NULL;
}

#endif
