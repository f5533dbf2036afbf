/* sodium.c: libsodium. It keeps no contexts: every call takes the raw key. */
#include "peers.h"

#include <sodium.h>

static bool load(void)
{
    return sodium_init() >= 0;
}

static const char *version(void)
{
    return sodium_version_string();
}

static bool run_chacha20(void *ctx, struct packet *p, size_t n)
{
    int failed = 0;

    (void)ctx;
    for (size_t i = 0; i < n; i++, p++) {
        packet_next(p);
        failed |= crypto_stream_chacha20_ietf_xor_ic(p->out, p->in, p->len, p->nonce, 1, p->key);
    }
    return failed == 0;
}

static bool run_poly1305(void *ctx, struct packet *p, size_t n)
{
    int failed = 0;

    (void)ctx;
    for (size_t i = 0; i < n; i++, p++)
        failed |= crypto_onetimeauth_poly1305(p->tag, p->in, p->len, p->key);
    return failed == 0;
}

static bool run_seal(void *ctx, struct packet *p, size_t n)
{
    int failed = 0;

    (void)ctx;
    for (size_t i = 0; i < n; i++, p++) {
        packet_next(p);
        failed |= crypto_aead_chacha20poly1305_ietf_encrypt_detached(
            p->out, p->tag, NULL, p->in, p->len, p->aad, p->aad_len, NULL, p->nonce, p->key);
    }
    return failed == 0;
}

static bool run_open(void *ctx, struct packet *p, size_t n)
{
    int failed = 0;

    (void)ctx;
    for (size_t i = 0; i < n; i++, p++) {
        packet_next(p);
        failed |= crypto_aead_chacha20poly1305_ietf_decrypt_detached(p->out, NULL, p->in, p->len, p->tag,
                                                                     p->aad, p->aad_len, p->nonce, p->key);
    }
    return failed == 0;
}

const struct peer peer_libsodium = {
    .name = "libsodium",
    .load = load,
    .version = version,
    .methods =
        {
            [DEED_CHACHA20] = {nothing_prepare, run_chacha20, nothing_release},
            [DEED_POLY1305] = {nothing_prepare, run_poly1305, nothing_release},
            [DEED_SEAL] = {nothing_prepare, run_seal, nothing_release},
            [DEED_OPEN] = {nothing_prepare, run_open, nothing_release},
        },
};
