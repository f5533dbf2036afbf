/* boringssl.c: BoringSSL, loaded at run time. Its symbols have OpenSSL's names, so it is kept to itself
 * (RTLD_LOCAL), resolves its own calls within itself (RTLD_DEEPBIND), and no header of it is included: the
 * declarations below are of the few functions that are used. */
#define _GNU_SOURCE
#include "peers.h"

#include <dlfcn.h>
#include <stdlib.h>

struct evp_aead;
struct evp_aead_ctx;

static struct {
    const struct evp_aead *(*chacha20_poly1305)(void);
    struct evp_aead_ctx *(*ctx_new)(const struct evp_aead *aead, const uint8_t *key, size_t key_len,
                                    size_t tag_len);
    void (*ctx_free)(struct evp_aead_ctx *ctx);
    int (*seal)(const struct evp_aead_ctx *ctx, uint8_t *out, size_t *out_len, size_t max_out_len,
                const uint8_t *nonce, size_t nonce_len, const uint8_t *in, size_t in_len, const uint8_t *ad,
                size_t ad_len);
    int (*open)(const struct evp_aead_ctx *ctx, uint8_t *out, size_t *out_len, size_t max_out_len,
                const uint8_t *nonce, size_t nonce_len, const uint8_t *in, size_t in_len, const uint8_t *ad,
                size_t ad_len);
    void (*chacha_20)(uint8_t *out, const uint8_t *in, size_t in_len, const uint8_t key[32],
                      const uint8_t nonce[12], uint32_t counter);
    void (*poly1305_init)(void *state, const uint8_t key[32]);
    void (*poly1305_update)(void *state, const uint8_t *in, size_t in_len);
    void (*poly1305_finish)(void *state, uint8_t mac[16]);
} lib;

static const struct {
    void *slot;
    const char *name;
} symbols[] = {
    {&lib.chacha20_poly1305, "EVP_aead_chacha20_poly1305"},
    {&lib.ctx_new, "EVP_AEAD_CTX_new"},
    {&lib.ctx_free, "EVP_AEAD_CTX_free"},
    {&lib.seal, "EVP_AEAD_CTX_seal"},
    {&lib.open, "EVP_AEAD_CTX_open"},
    {&lib.chacha_20, "CRYPTO_chacha_20"},
    {&lib.poly1305_init, "CRYPTO_poly1305_init"},
    {&lib.poly1305_update, "CRYPTO_poly1305_update"},
    {&lib.poly1305_finish, "CRYPTO_poly1305_finish"},
};

static bool load(void)
{
    void *handle = dlopen(BENCH_BORINGSSL_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);

    for (size_t i = 0; handle != NULL && i < sizeof symbols / sizeof symbols[0]; i++) {
        void *address = dlsym(handle, symbols[i].name);

        memcpy(symbols[i].slot, &address, sizeof address);
        if (address == NULL)
            handle = NULL;
    }
    return handle != NULL;
}

static const char *version(void)
{
    return "as packaged for Android";
}

struct contexts {
    size_t n;
    struct evp_aead_ctx *of_key[];
};

static void release_aead(void *ctx)
{
    struct contexts *c = ctx;

    for (size_t i = 0; i < c->n; i++)
        lib.ctx_free(c->of_key[i]);
    free(c);
}

static void *prepare_aead(const void *self, const struct workload *w)
{
    struct contexts *c = calloc(1, sizeof *c + w->setup.n_keys * sizeof c->of_key[0]);
    bool good = c != NULL;

    (void)self;
    for (size_t i = 0; good && i < w->setup.n_keys; i++) {
        c->of_key[i] = lib.ctx_new(lib.chacha20_poly1305(), w->keys + 32 * i, 32, 16);
        good = c->of_key[i] != NULL;
        c->n = i + 1;
    }
    if (!good && c != NULL) {
        release_aead(c);
        c = NULL;
    }
    return c;
}

static bool run_chacha20(void *ctx, struct packet *p, size_t n)
{
    (void)ctx;
    for (size_t i = 0; i < n; i++, p++) {
        packet_next(p);
        lib.chacha_20(p->out, p->in, p->len, p->key, p->nonce, 1);
    }
    return true;
}

static bool run_poly1305(void *ctx, struct packet *p, size_t n)
{
    _Alignas(64) uint8_t state[512]; /* poly1305_state of openssl/poly1305.h */

    (void)ctx;
    for (size_t i = 0; i < n; i++, p++) {
        lib.poly1305_init(state, p->key);
        lib.poly1305_update(state, p->in, p->len);
        lib.poly1305_finish(state, p->tag);
    }
    return true;
}

static bool run_seal(void *ctx, struct packet *p, size_t n)
{
    struct contexts *c = ctx;
    int good = 1;

    for (size_t i = 0; i < n; i++, p++) {
        size_t len;

        packet_next(p);
        good &= lib.seal(c->of_key[p->key_index], p->out, &len, p->len + 16, p->nonce, 12, p->in, p->len,
                         p->aad, p->aad_len);
    }
    return good == 1;
}

static bool run_open(void *ctx, struct packet *p, size_t n)
{
    struct contexts *c = ctx;
    int good = 1;

    for (size_t i = 0; i < n; i++, p++) {
        size_t len;

        packet_next(p);
        good &= lib.open(c->of_key[p->key_index], p->out, &len, p->len + 16, p->nonce, 12, p->in, p->len + 16,
                         p->aad, p->aad_len);
    }
    return good == 1;
}

const struct peer peer_boringssl = {
    .name = "boringssl",
    .load = load,
    .version = version,
    .methods =
        {
            [DEED_CHACHA20] = {nothing_prepare, run_chacha20, nothing_release},
            [DEED_POLY1305] = {nothing_prepare, run_poly1305, nothing_release},
            [DEED_SEAL] = {prepare_aead, run_seal, release_aead},
            [DEED_OPEN] = {prepare_aead, run_open, release_aead},
        },
};
