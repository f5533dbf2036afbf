/* openssl.c: OpenSSL's EVP with one context for each key, kept, as its users keep them: a call sets the nonce
 * and goes. */
#include "peers.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>

/* Of a workload: ciphers or MACs, one for each key. */
struct contexts {
    size_t n;
    EVP_MAC *mac;
    union {
        EVP_CIPHER_CTX *cipher;
        EVP_MAC_CTX *mac;
    } of_key[];
};

static bool load(void)
{
    return true;
}

static const char *version(void)
{
    return OpenSSL_version(OPENSSL_VERSION_STRING);
}

static struct contexts *contexts_new(size_t n)
{
    struct contexts *c = calloc(1, sizeof *c + n * sizeof c->of_key[0]);

    if (c != NULL)
        c->n = n;
    return c;
}

static void release_ciphers(void *ctx)
{
    struct contexts *c = ctx;

    for (size_t i = 0; i < c->n; i++)
        EVP_CIPHER_CTX_free(c->of_key[i].cipher);
    free(c);
}

static void *prepare_ciphers(const struct workload *w, const EVP_CIPHER *type, int sealing)
{
    struct contexts *c = contexts_new(w->setup.n_keys);
    bool good = c != NULL;

    for (size_t i = 0; good && i < c->n; i++) {
        c->of_key[i].cipher = EVP_CIPHER_CTX_new();
        good = c->of_key[i].cipher != NULL &&
               EVP_CipherInit_ex(c->of_key[i].cipher, type, NULL, w->keys + 32 * i, NULL, sealing) == 1;
    }
    if (!good && c != NULL) {
        release_ciphers(c);
        c = NULL;
    }
    return c;
}

static void *prepare_chacha20(const void *self, const struct workload *w)
{
    (void)self;
    return prepare_ciphers(w, EVP_chacha20(), 1);
}

static void *prepare_seal(const void *self, const struct workload *w)
{
    (void)self;
    return prepare_ciphers(w, EVP_chacha20_poly1305(), 1);
}

static void *prepare_open(const void *self, const struct workload *w)
{
    (void)self;
    return prepare_ciphers(w, EVP_chacha20_poly1305(), 0);
}

static void release_macs(void *ctx)
{
    struct contexts *c = ctx;

    for (size_t i = 0; i < c->n; i++)
        EVP_MAC_CTX_free(c->of_key[i].mac);
    EVP_MAC_free(c->mac);
    free(c);
}

static void *prepare_poly1305(const void *self, const struct workload *w)
{
    struct contexts *c = contexts_new(w->setup.n_keys);
    bool good = c != NULL && (c->mac = EVP_MAC_fetch(NULL, "POLY1305", NULL)) != NULL;

    (void)self;
    for (size_t i = 0; good && i < c->n; i++) {
        c->of_key[i].mac = EVP_MAC_CTX_new(c->mac);
        good = c->of_key[i].mac != NULL;
    }
    if (!good && c != NULL) {
        release_macs(c);
        c = NULL;
    }
    return c;
}

static bool run_chacha20(void *ctx, struct packet *p, size_t n)
{
    struct contexts *c = ctx;
    int good = 1, len;

    for (size_t i = 0; i < n; i++, p++) {
        EVP_CIPHER_CTX *cipher = c->of_key[p->key_index].cipher;
        uint8_t iv[16];

        packet_next(p);
        store_le32(iv, 1);
        memcpy(iv + 4, p->nonce, 12);
        good &= EVP_EncryptInit_ex(cipher, NULL, NULL, NULL, iv);
        good &= EVP_EncryptUpdate(cipher, p->out, &len, p->in, (int)p->len);
    }
    return good == 1;
}

static bool run_poly1305(void *ctx, struct packet *p, size_t n)
{
    struct contexts *c = ctx;
    int good = 1;
    size_t len;

    for (size_t i = 0; i < n; i++, p++) {
        EVP_MAC_CTX *mac = c->of_key[p->key_index].mac;

        good &= EVP_MAC_init(mac, p->key, 32, NULL);
        good &= EVP_MAC_update(mac, p->in, p->len);
        good &= EVP_MAC_final(mac, p->tag, &len, 16);
    }
    return good == 1;
}

static inline bool run_aead(struct contexts *c, struct packet *p, size_t n, bool opening)
{
    int good = 1, len;

    for (size_t i = 0; i < n; i++, p++) {
        EVP_CIPHER_CTX *cipher = c->of_key[p->key_index].cipher;

        packet_next(p);
        good &= EVP_CipherInit_ex(cipher, NULL, NULL, NULL, p->nonce, -1);
        if (opening)
            good &= EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, 16, p->tag);
        if (p->aad_len != 0)
            good &= EVP_CipherUpdate(cipher, NULL, &len, p->aad, (int)p->aad_len);
        good &= EVP_CipherUpdate(cipher, p->out, &len, p->in, (int)p->len);
        good &= EVP_CipherFinal_ex(cipher, p->out + len, &len);
        if (!opening)
            good &= EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, 16, p->tag);
    }
    return good == 1;
}

static bool run_seal(void *ctx, struct packet *p, size_t n)
{
    return run_aead(ctx, p, n, false);
}

static bool run_open(void *ctx, struct packet *p, size_t n)
{
    return run_aead(ctx, p, n, true);
}

const struct peer peer_openssl = {
    .name = "openssl",
    .load = load,
    .version = version,
    .methods =
        {
            [DEED_CHACHA20] = {prepare_chacha20, run_chacha20, release_ciphers},
            [DEED_POLY1305] = {prepare_poly1305, run_poly1305, release_macs},
            [DEED_SEAL] = {prepare_seal, run_seal, release_ciphers},
            [DEED_OPEN] = {prepare_open, run_open, release_ciphers},
        },
};
