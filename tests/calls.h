/* calls.h: the two pairs of calls of aead.h, so that a test of a rule runs over both nonce lengths. */
#ifndef TESTS_CALLS_H
#define TESTS_CALLS_H

#include <sealane/aead.h>

struct calls {
    int (*seal)(const struct sealane_key *key, const uint8_t *nonce, const void *aad, size_t aad_len,
                const void *plain, size_t len, void *cipher, uint8_t *tag);
    int (*open)(const struct sealane_key *key, const uint8_t *nonce, const void *aad, size_t aad_len,
                const void *cipher, size_t len, const uint8_t *tag, void *plain);
    size_t nonce_len;
};

#define N_CALLS 2

static const struct calls all_calls[N_CALLS] = {
    {sealane_seal, sealane_open, 12},
    {sealane_xseal, sealane_xopen, 24},
};

#endif
