/* aead_two_pass.c: RFC 8439 section 2.8 over any cipher and authenticator: one pass of ChaCha20, one of
 * Poly1305. */
#include "aead_kernels.h"

#include "bytes.h"
#include "secret.h"

/* Block 0 of the stream: its first half is the one-time key of Poly1305 (RFC 8439 section 2.6). */
static void begin(const struct aead_message *m, uint32_t state[16], uint8_t poly_key[32])
{
    uint32_t block[16];

    chacha_setup(state, m->key, 0, m->nonce);
    chacha_block(block, state, 20);
    for (int i = 0; i < 8; i++)
        store_le32(poly_key + 4 * i, block[i]);
    state[12] = 1;
    secret_wipe(block, sizeof block);
}

AEAD_KERNEL(aead_seal_two_pass)
{
    uint32_t state[16];
    uint8_t poly_key[32];

    begin(m, state, poly_key);
    chacha_xor(suite->chacha, m->out, m->in, m->len, state, 20);
    poly1305_aead(suite->poly1305, tag, poly_key, m->aad, m->aad_len, m->out, m->len);
    secret_wipe(state, sizeof state);
    secret_wipe(poly_key, sizeof poly_key);
}

AEAD_KERNEL(aead_open_two_pass)
{
    uint32_t state[16];
    uint8_t poly_key[32];

    begin(m, state, poly_key);
    poly1305_aead(suite->poly1305, tag, poly_key, m->aad, m->aad_len, m->in, m->len);
    chacha_xor(suite->chacha, m->out, m->in, m->len, state, 20);
    secret_wipe(state, sizeof state);
    secret_wipe(poly_key, sizeof poly_key);
}
