/* gcrypt.c: libgcrypt with one handle for each key, kept. */
#include "peers.h"

#include <gcrypt.h>
#include <stdlib.h>

struct handles {
    size_t n;
    union {
        gcry_cipher_hd_t cipher;
        gcry_mac_hd_t mac;
    } of_key[];
};

static bool load(void)
{
    if (gcry_check_version(GCRYPT_VERSION) == NULL)
        return false;
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    return true;
}

static const char *version(void)
{
    return gcry_check_version(NULL);
}

static struct handles *handles_new(size_t n)
{
    struct handles *h = calloc(1, sizeof *h + n * sizeof h->of_key[0]);

    if (h != NULL)
        h->n = n;
    return h;
}

static void release_ciphers(void *ctx)
{
    struct handles *h = ctx;

    for (size_t i = 0; i < h->n; i++)
        gcry_cipher_close(h->of_key[i].cipher);
    free(h);
}

static void *prepare_ciphers(const struct workload *w, int mode)
{
    struct handles *h = handles_new(w->setup.n_keys);
    bool good = h != NULL;

    for (size_t i = 0; good && i < h->n; i++)
        good = gcry_cipher_open(&h->of_key[i].cipher, GCRY_CIPHER_CHACHA20, mode, 0) == 0 &&
               gcry_cipher_setkey(h->of_key[i].cipher, w->keys + 32 * i, 32) == 0;
    if (!good && h != NULL) {
        release_ciphers(h);
        h = NULL;
    }
    return h;
}

static void *prepare_chacha20(const void *self, const struct workload *w)
{
    (void)self;
    return prepare_ciphers(w, GCRY_CIPHER_MODE_STREAM);
}

static void *prepare_aead(const void *self, const struct workload *w)
{
    (void)self;
    return prepare_ciphers(w, GCRY_CIPHER_MODE_POLY1305);
}

static void release_macs(void *ctx)
{
    struct handles *h = ctx;

    for (size_t i = 0; i < h->n; i++)
        gcry_mac_close(h->of_key[i].mac);
    free(h);
}

static void *prepare_poly1305(const void *self, const struct workload *w)
{
    struct handles *h = handles_new(w->setup.n_keys);
    bool good = h != NULL;

    (void)self;
    for (size_t i = 0; good && i < h->n; i++)
        good = gcry_mac_open(&h->of_key[i].mac, GCRY_MAC_POLY1305, 0, NULL) == 0;
    if (!good && h != NULL) {
        release_macs(h);
        h = NULL;
    }
    return h;
}

static bool run_chacha20(void *ctx, struct packet *p, size_t n)
{
    struct handles *h = ctx;
    gcry_error_t failed = 0;

    for (size_t i = 0; i < n; i++, p++) {
        gcry_cipher_hd_t cipher = h->of_key[p->key_index].cipher;
        uint8_t iv[16];

        packet_next(p);
        store_le32(iv, 1);
        memcpy(iv + 4, p->nonce, 12);
        failed |= gcry_cipher_setiv(cipher, iv, sizeof iv);
        failed |= gcry_cipher_encrypt(cipher, p->out, p->len, p->in, p->len);
    }
    return failed == 0;
}

static bool run_poly1305(void *ctx, struct packet *p, size_t n)
{
    struct handles *h = ctx;
    gcry_error_t failed = 0;

    for (size_t i = 0; i < n; i++, p++) {
        gcry_mac_hd_t mac = h->of_key[p->key_index].mac;
        size_t len = 16;

        failed |= gcry_mac_setkey(mac, p->key, 32);
        failed |= gcry_mac_write(mac, p->in, p->len);
        failed |= gcry_mac_read(mac, p->tag, &len);
    }
    return failed == 0;
}

static inline bool run_aead(struct handles *h, struct packet *p, size_t n, bool opening)
{
    gcry_error_t failed = 0;

    for (size_t i = 0; i < n; i++, p++) {
        gcry_cipher_hd_t cipher = h->of_key[p->key_index].cipher;

        packet_next(p);
        failed |= gcry_cipher_setiv(cipher, p->nonce, 12);
        failed |= gcry_cipher_authenticate(cipher, p->aad, p->aad_len);
        if (opening) {
            failed |= gcry_cipher_decrypt(cipher, p->out, p->len, p->in, p->len);
            failed |= gcry_cipher_checktag(cipher, p->tag, 16);
        } else {
            failed |= gcry_cipher_encrypt(cipher, p->out, p->len, p->in, p->len);
            failed |= gcry_cipher_gettag(cipher, p->tag, 16);
        }
    }
    return failed == 0;
}

static bool run_seal(void *ctx, struct packet *p, size_t n)
{
    return run_aead(ctx, p, n, false);
}

static bool run_open(void *ctx, struct packet *p, size_t n)
{
    return run_aead(ctx, p, n, true);
}

const struct peer peer_libgcrypt = {
    .name = "libgcrypt",
    .load = load,
    .version = version,
    .methods =
        {
            [DEED_CHACHA20] = {prepare_chacha20, run_chacha20, release_ciphers},
            [DEED_POLY1305] = {prepare_poly1305, run_poly1305, release_macs},
            [DEED_SEAL] = {prepare_aead, run_seal, release_ciphers},
            [DEED_OPEN] = {prepare_aead, run_open, release_ciphers},
        },
};
