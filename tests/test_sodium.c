/* test_sodium.c: seal, open, the cipher and the authenticator against libsodium, both ways: all lengths, all
 * alignments, out of place and in place, the bytes around every span, and spans that end, or begin, at an
 * unmapped page. */
#include "hex.h"
#include "level.h"
#include "place.h"
#include "rng.h"

#include <sealane/sealane.h>
#include <sodium.h>

#include "calls.h"
#include "guard.h"

#define MAX_AAD 300

/* One message with what libsodium makes of it, and the places where ours is made. */
static struct {
    uint8_t key[32], nonce[24], aad[MAX_AAD], plain[PLACE_MAX], cipher[PLACE_MAX], tag[16];
    size_t aad_len, len;
    struct place at_in, at_out, at_aad, at_tag, at_nonce;
} m;

typedef int sodium_seal(unsigned char *, unsigned char *, unsigned long long *, const unsigned char *,
                        unsigned long long, const unsigned char *, unsigned long long, const unsigned char *,
                        const unsigned char *, const unsigned char *);
typedef int sodium_open(unsigned char *, unsigned char *, const unsigned char *, unsigned long long,
                        const unsigned char *, const unsigned char *, unsigned long long,
                        const unsigned char *, const unsigned char *);

/* libsodium's counterparts of all_calls. */
static const struct {
    sodium_seal *seal;
    sodium_open *open;
} theirs[N_CALLS] = {
    {crypto_aead_chacha20poly1305_ietf_encrypt_detached, crypto_aead_chacha20poly1305_ietf_decrypt_detached},
    {crypto_aead_xchacha20poly1305_ietf_encrypt_detached,
     crypto_aead_xchacha20poly1305_ietf_decrypt_detached},
};

static void make(struct rng *rng, int which, size_t len, size_t aad_len)
{
    m.len = len;
    m.aad_len = aad_len;
    rng_fill(rng, m.key, sizeof m.key);
    rng_fill(rng, m.nonce, sizeof m.nonce);
    rng_fill(rng, m.aad, aad_len);
    rng_fill(rng, m.plain, len);
    memset(m.cipher, 0, len);
    memset(m.tag, 0, sizeof m.tag);
    assert_int_equal(
        theirs[which].seal(m.cipher, m.tag, NULL, m.plain, len, m.aad, aad_len, NULL, m.nonce, m.key), 0);
}

static void check_places(void)
{
    place_check(&m.at_in);
    place_check(&m.at_out);
    place_check(&m.at_aad);
    place_check(&m.at_tag);
    place_check(&m.at_nonce);
}

/* Seals and opens the message, out of place and in place, every span at a random alignment. */
static void check_message(struct rng *rng, int which)
{
    const struct calls *calls = &all_calls[which];
    struct sealane_key key;
    const uint8_t *aad = place_put(&m.at_aad, rng, m.aad, m.aad_len);
    const uint8_t *nonce = place_put(&m.at_nonce, rng, m.nonce, calls->nonce_len);
    uint8_t *in = place_put(&m.at_in, rng, m.plain, m.len), *out = place_put(&m.at_out, rng, NULL, m.len);
    uint8_t *tag = place_put(&m.at_tag, rng, NULL, 16);

    assert_int_equal(sealane_key_init(&key, m.key), 0);
    assert_int_equal(calls->seal(&key, nonce, aad, m.aad_len, in, m.len, out, tag), 0);
    place_expect(&m.at_out, m.cipher);
    place_expect(&m.at_tag, m.tag);
    check_places();
    assert_int_equal(theirs[which].open(m.plain, NULL, out, m.len, tag, aad, m.aad_len, nonce, m.key), 0);

    in = place_put(&m.at_in, rng, m.plain, m.len);
    tag = place_put(&m.at_tag, rng, NULL, 16);
    assert_int_equal(calls->seal(&key, nonce, aad, m.aad_len, in, m.len, in, tag), 0);
    place_expect(&m.at_in, m.cipher);
    place_expect(&m.at_tag, m.tag);
    check_places();

    out = place_put(&m.at_out, rng, NULL, m.len);
    assert_int_equal(calls->open(&key, nonce, aad, m.aad_len, in, m.len, tag, out), 0);
    place_expect(&m.at_out, m.plain);
    check_places();
    assert_int_equal(calls->open(&key, nonce, aad, m.aad_len, in, m.len, tag, in), 0);
    place_expect(&m.at_in, m.plain);
    check_places();
    sealane_key_wipe(&key);
}

static void every_length(void **unused)
{
    struct rng rng = {1};

    (void)unused;
    for (size_t len = 0; len <= 4100; len++) {
        make(&rng, 0, len, rng_below(&rng, 4) == 0 ? rng_below(&rng, MAX_AAD + 1) : rng_below(&rng, 33));
        check_message(&rng, 0);
    }
}

static void random_lengths(void **unused)
{
    struct rng rng = {2};

    (void)unused;
    for (int i = 0; i < 400; i++) {
        make(&rng, 0, i == 0 ? PLACE_MAX : rng_below(&rng, PLACE_MAX + 1), rng_below(&rng, MAX_AAD + 1));
        check_message(&rng, 0);
    }
}

static void every_aad_length(void **unused)
{
    static const size_t lens[] = {0, 1, 15, 16, 17, 64, 192, 256, 447, 512, 1023, 1420, 2049};
    struct rng rng = {3};

    (void)unused;
    for (size_t aad_len = 0; aad_len <= MAX_AAD; aad_len++) {
        for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
            make(&rng, 0, lens[i], aad_len);
            check_message(&rng, 0);
        }
    }
}

static void extended_nonce(void **unused)
{
    struct rng rng = {4};

    (void)unused;
    for (size_t len = 0; len <= 2100; len++) {
        make(&rng, 1, len, rng_below(&rng, 33));
        check_message(&rng, 1);
    }
}

/* The cipher at counters up to the last block, the authenticator, and HChaCha20. */
static void parts(void **unused)
{
    struct rng rng = {5};

    (void)unused;
    for (size_t len = 0; len <= 4100; len++) {
        const uint32_t n_blocks = (uint32_t)((len + 63) / 64);
        uint32_t counter = rng_below(&rng, 2) ? 0 - n_blocks : (uint32_t)rng_next(&rng) >> 1;
        uint8_t *in, *out, *tag, want_sub[32], sub[32];

        if (n_blocks == 0)
            counter = 0;
        rng_fill(&rng, m.key, sizeof m.key);
        rng_fill(&rng, m.nonce, sizeof m.nonce);
        in = place_put(&m.at_in, &rng, NULL, len);
        out = place_put(&m.at_out, &rng, NULL, len);
        memset(m.cipher, 0, len);
        crypto_stream_chacha20_ietf_xor_ic(m.cipher, in, len, m.nonce, counter, m.key);
        assert_int_equal(sealane_chacha20_xor(out, in, len, m.key, m.nonce, counter), 0);
        place_expect(&m.at_out, m.cipher);
        place_check(&m.at_out);
        place_check(&m.at_in);

        tag = place_put(&m.at_tag, &rng, NULL, 16);
        memset(m.tag, 0, sizeof m.tag);
        crypto_onetimeauth_poly1305(m.tag, in, len, m.key);
        assert_int_equal(sealane_poly1305(tag, in, len, m.key), 0);
        place_expect(&m.at_tag, m.tag);
        place_check(&m.at_tag);
        place_check(&m.at_in);

        memset(want_sub, 0, sizeof want_sub);
        crypto_core_hchacha20(want_sub, m.nonce, m.key, NULL);
        sealane_hchacha20(sub, m.key, m.nonce);
        assert_memory_equal(sub, want_sub, 32);
    }
}

/* Every span against an unmapped page: that behind it, or that before it. */
static void check_edges(int which, const struct guard g[6], int at_end)
{
    const struct calls *calls = &all_calls[which];
    struct sealane_key key;
    uint8_t *raw = guard_edge(g[0], 32, at_end), *nonce = guard_edge(g[1], calls->nonce_len, at_end);
    uint8_t *aad = guard_edge(g[2], m.aad_len, at_end), *tag = guard_edge(g[3], 16, at_end);
    uint8_t *in = guard_edge(g[4], m.len, at_end), *out = guard_edge(g[5], m.len, at_end);

    memcpy(raw, m.key, 32);
    memcpy(nonce, m.nonce, calls->nonce_len);
    memcpy(aad, m.aad, m.aad_len);
    memcpy(in, m.plain, m.len);
    assert_int_equal(sealane_key_init(&key, raw), 0);
    assert_int_equal(calls->seal(&key, nonce, aad, m.aad_len, in, m.len, out, tag), 0);
    assert_memory_equal(out, m.cipher, m.len);
    assert_memory_equal(tag, m.tag, 16);
    assert_int_equal(calls->seal(&key, nonce, aad, m.aad_len, in, m.len, in, tag), 0);
    assert_memory_equal(in, m.cipher, m.len);
    assert_int_equal(calls->open(&key, nonce, aad, m.aad_len, in, m.len, tag, out), 0);
    assert_memory_equal(out, m.plain, m.len);
    assert_int_equal(calls->open(&key, nonce, aad, m.aad_len, in, m.len, tag, in), 0);
    assert_memory_equal(in, m.plain, m.len);
    tag[0] ^= 1;
    assert_int_equal(calls->open(&key, nonce, aad, m.aad_len, in, m.len, tag, out), SEALANE_EFORGED);
    sealane_key_wipe(&key);
}

static void edges(void **unused)
{
    struct rng rng = {6};
    struct guard g[6];

    (void)unused;
    for (int i = 0; i < 6; i++)
        g[i] = guard_new(i < 4 ? MAX_AAD : PLACE_MAX);
    for (size_t len = 0; len <= PLACE_MAX; len += len < 2200 ? 1 : 1 + rng_below(&rng, 200)) {
        const int which = len % 16 == 5;

        make(&rng, which, len, len % 3 == 0 ? rng_below(&rng, MAX_AAD + 1) : rng_below(&rng, 17));
        check_edges(which, g, 1);
        check_edges(which, g, 0);
    }
    for (int i = 0; i < 6; i++)
        guard_free(g[i]);
}

/* The authenticator alone reads no byte too many either. */
static void edges_of_poly1305(void **unused)
{
    struct rng rng = {7};
    struct guard msg = guard_new(PLACE_MAX), keys = guard_new(32), tags = guard_new(16);

    (void)unused;
    for (size_t len = 0; len <= PLACE_MAX; len += len < 1100 ? 1 : 1 + rng_below(&rng, 200)) {
        for (int at_end = 0; at_end < 2; at_end++) {
            uint8_t *in = guard_edge(msg, len, at_end), *key = guard_edge(keys, 32, at_end);
            uint8_t *tag = guard_edge(tags, 16, at_end);

            rng_fill(&rng, key, 32);
            rng_fill(&rng, in, len);
            memset(m.tag, 0, sizeof m.tag);
            crypto_onetimeauth_poly1305(m.tag, in, len, key);
            assert_int_equal(sealane_poly1305(tag, in, len, key), 0);
            assert_memory_equal(tag, m.tag, 16);
        }
    }
    guard_free(msg);
    guard_free(keys);
    guard_free(tags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length),
        cmocka_unit_test(random_lengths),
        cmocka_unit_test(every_aad_length),
        cmocka_unit_test(extended_nonce),
        cmocka_unit_test(parts),
        cmocka_unit_test(edges),
        cmocka_unit_test(edges_of_poly1305),
    };

    level_from_environment();
    if (sodium_init() < 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
