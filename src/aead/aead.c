/* aead.c: one message: ChaCha20-Poly1305 (RFC 8439 section 2.8) and XChaCha20-Poly1305
 * (draft-irtf-cfrg-xchacha section 2.3) for the public aead.h. */
#include <sealane/aead.h>

#include "aead_check.h"
#include "aead_kernels.h"
#include "aead_key.h"
#include "aead_one.h"
#include "secret.h"

/* Checked messages. words is the key: the long-term one, or the subkey of XChaCha20. */
static void seal_checked(const struct aead_suite *suite, const struct aead_message *m, uint8_t tag[16])
{
    const struct aead_rung *rung = aead_rung_for(suite, m->len);

    rung->seal(suite, m, tag);
    suite->clean(rung->seal_frames.skip, rung->seal_frames.stack);
}

static int open_checked(const struct aead_suite *suite, const struct aead_message *m, const uint8_t tag[16])
{
    const struct aead_rung *rung = aead_rung_for(suite, m->len);
    const int err = aead_one_open(suite, rung, m, tag);

    suite->clean(rung->open_frames.skip, rung->open_frames.stack);
    return err;
}

int sealane_seal(const struct sealane_key *key, const uint8_t nonce[12], const void *aad, size_t aad_len,
                 const void *plain, size_t len, void *cipher, uint8_t tag[16])
{
    const struct aead_key *k = aead_key_of(key);
    int err;

    if (k == NULL || nonce == NULL)
        return SEALANE_EINVAL;
    err = aead_check_spans(aad, aad_len, plain, len, cipher, tag);
    if (err == SEALANE_OK)
        seal_checked(k->suite, &(struct aead_message){k->words, nonce, aad, plain, cipher, aad_len, len},
                     tag);
    return err;
}

int sealane_open(const struct sealane_key *key, const uint8_t nonce[12], const void *aad, size_t aad_len,
                 const void *cipher, size_t len, const uint8_t tag[16], void *plain)
{
    const struct aead_key *k = aead_key_of(key);
    int err;

    if (k == NULL || nonce == NULL)
        return SEALANE_EINVAL;
    err = aead_check_spans(aad, aad_len, cipher, len, plain, tag);
    if (err == SEALANE_OK)
        err = open_checked(k->suite,
                           &(struct aead_message){k->words, nonce, aad, cipher, plain, aad_len, len}, tag);
    return err;
}

#define EXTEND_STACK 512 /* what the frames below take at most */

/* XChaCha20: the first 16 nonce bytes make the subkey, the last 8 follow four zero bytes. */
static void extend(const struct aead_key *k, const uint8_t nonce[24], uint32_t sub_key[8],
                   uint8_t sub_nonce[12])
{
    chacha_hchacha20(sub_key, k->words, nonce);
    memset(sub_nonce, 0, 4);
    memcpy(sub_nonce + 4, nonce + 16, 8);
    k->suite->clean(0, EXTEND_STACK);
}

int sealane_xseal(const struct sealane_key *key, const uint8_t nonce[24], const void *aad, size_t aad_len,
                  const void *plain, size_t len, void *cipher, uint8_t tag[16])
{
    const struct aead_key *k = aead_key_of(key);
    uint32_t sub_key[8];
    uint8_t sub_nonce[12];
    int err;

    if (k == NULL || nonce == NULL)
        return SEALANE_EINVAL;
    err = aead_check_spans(aad, aad_len, plain, len, cipher, tag);
    if (err != SEALANE_OK)
        return err;
    extend(k, nonce, sub_key, sub_nonce);
    seal_checked(k->suite, &(struct aead_message){sub_key, sub_nonce, aad, plain, cipher, aad_len, len}, tag);
    secret_wipe(sub_key, sizeof sub_key);
    return SEALANE_OK;
}

int sealane_xopen(const struct sealane_key *key, const uint8_t nonce[24], const void *aad, size_t aad_len,
                  const void *cipher, size_t len, const uint8_t tag[16], void *plain)
{
    const struct aead_key *k = aead_key_of(key);
    uint32_t sub_key[8];
    uint8_t sub_nonce[12];
    int err;

    if (k == NULL || nonce == NULL)
        return SEALANE_EINVAL;
    err = aead_check_spans(aad, aad_len, cipher, len, plain, tag);
    if (err != SEALANE_OK)
        return err;
    extend(k, nonce, sub_key, sub_nonce);
    err = open_checked(k->suite, &(struct aead_message){sub_key, sub_nonce, aad, cipher, plain, aad_len, len},
                       tag);
    secret_wipe(sub_key, sizeof sub_key);
    return err;
}
