/* chacha_portable.c: ChaCha as RFC 8439 sections 2.1 to 2.4 and draft-irtf-cfrg-xchacha section 2.2 write it.
 * The reference that every kernel is compared with, and the code of machines without kernels. */
#include "chacha_kernels.h"

#include "bytes.h"
#include "chacha_round.h"
#include "secret.h"

static const uint32_t sigma[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}; /* "expand 32-byte k" */

void chacha_load_key(uint32_t words[8], const uint8_t key[32])
{
    load_le32_words(words, key, 8);
}

void chacha_setup(uint32_t state[16], const uint32_t key[8], uint32_t counter, const uint8_t nonce[12])
{
    memcpy(state, sigma, 16);
    memcpy(state + 4, key, 32);
    state[12] = counter;
    for (int i = 0; i < 3; i++)
        state[13 + i] = load_le32(nonce + 4 * i);
}

void chacha_permute(uint32_t x[16], int rounds)
{
    for (int i = 0; i < rounds; i += 2) {
        chacha_quarter_round(&x[0], &x[4], &x[8], &x[12]);
        chacha_quarter_round(&x[1], &x[5], &x[9], &x[13]);
        chacha_quarter_round(&x[2], &x[6], &x[10], &x[14]);
        chacha_quarter_round(&x[3], &x[7], &x[11], &x[15]);
        chacha_quarter_round(&x[0], &x[5], &x[10], &x[15]);
        chacha_quarter_round(&x[1], &x[6], &x[11], &x[12]);
        chacha_quarter_round(&x[2], &x[7], &x[8], &x[13]);
        chacha_quarter_round(&x[3], &x[4], &x[9], &x[14]);
    }
}

void chacha_block(uint32_t out[16], const uint32_t state[16], int rounds)
{
    memcpy(out, state, 64);
    chacha_permute(out, rounds);
    for (int i = 0; i < 16; i++)
        out[i] += state[i];
}

void chacha_hchacha20(uint32_t out[8], const uint32_t key[8], const uint8_t in[16])
{
    uint32_t x[16];

    memcpy(x, sigma, 16);
    memcpy(x + 4, key, 32);
    for (int i = 0; i < 4; i++)
        x[12 + i] = load_le32(in + 4 * i);
    chacha_permute(x, 20);
    memcpy(out, x, 16);
    memcpy(out + 4, x + 12, 16);
    secret_wipe(x, sizeof x);
}

CHACHA_KERNEL(chacha_xor_portable)
{
    uint32_t input[16], x[16];
    uint8_t last[64];

    memcpy(input, state, sizeof input);
    for (; len >= 64; len -= 64, src += 64, dst += 64) {
        chacha_block(x, input, rounds);
        input[12]++;
        for (int i = 0; i < 16; i++)
            store_le32(dst + 4 * i, load_le32(src + 4 * i) ^ x[i]);
    }
    if (len != 0) {
        chacha_block(x, input, rounds);
        for (int i = 0; i < 16; i++)
            store_le32(last + 4 * i, x[i]);
        for (size_t i = 0; i < len; i++)
            dst[i] = src[i] ^ last[i];
        secret_wipe(last, sizeof last);
    }
    secret_wipe(x, sizeof x);
    secret_wipe(input, sizeof input);
}
