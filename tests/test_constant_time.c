/* test_constant_time.c: secrets marked as undefined, for valgrind's memcheck: it reports every branch and
 * every address that depends on them. Run by ctest under valgrind at the levels that valgrind knows; alone it
 * only shows that the calls work. Secret are keys, plaintext, and so keystream, r, s and computed tags.
 * Lengths, nonces, AAD and ciphertext are not. That an opening tells its caller whether the message is
 * authentic is allowed (constant_time.supp). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <valgrind/memcheck.h>

#include <sealane/sealane.h>

#include "level.h"
#include "rng.h"

#define MAX_LEN 2200

static const size_t lens[] = {0,   1,   15,  16,  64,   100,  128,  200, 256,
                              300, 512, 513, 900, 1024, 1420, 2048, 2177};

static uint8_t raw[32], plain[MAX_LEN], cipher[MAX_LEN], opened[MAX_LEN], tag[16], aad[16], nonce[24];

static void secret(void *p, size_t len)
{
    (void)VALGRIND_MAKE_MEM_UNDEFINED(p, len);
}

static void published(void *p, size_t len)
{
    (void)VALGRIND_MAKE_MEM_DEFINED(p, len);
}

static void seal_and_open(void **state)
{
    struct sealane_key key;
    struct rng rng = {1};

    (void)state;
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        const size_t len = lens[i];
        int err;

        published(raw, 32);
        published(plain, len);
        rng_fill(&rng, raw, 32);
        rng_fill(&rng, plain, len);
        rng_fill(&rng, nonce, 24);
        secret(raw, 32);
        secret(plain, len);
        assert_int_equal(sealane_key_init(&key, raw), 0);
        err = sealane_seal(&key, nonce, aad, 16, plain, len, cipher, tag);
        assert_int_equal(err, 0);
        published(cipher, len);
        published(tag, 16);
        err = sealane_open(&key, nonce, aad, 16, cipher, len, tag, opened);
        published(&err, sizeof err);
        assert_int_equal(err, 0);
        tag[0] ^= 1;
        err = sealane_open(&key, nonce, aad, 16, cipher, len, tag, opened);
        published(&err, sizeof err);
        assert_int_equal(err, SEALANE_EFORGED);
        err = sealane_xseal(&key, nonce, aad, 13, plain, len, cipher, tag);
        assert_int_equal(err, 0);
        sealane_key_wipe(&key);
    }
}

static void burst(void **state)
{
    static uint8_t text[20][256], tags[20][16];
    struct sealane_job jobs[20];
    struct sealane_key key;
    struct rng rng = {2};
    size_t good;

    (void)state;
    published(raw, 32);
    rng_fill(&rng, raw, 32);
    secret(raw, 32);
    assert_int_equal(sealane_key_init(&key, raw), 0);
    for (size_t i = 0; i < 20; i++) {
        rng_fill(&rng, text[i], 256);
        secret(text[i], 256);
        jobs[i] = (struct sealane_job){.key = &key,
                                       .in = text[i],
                                       .out = text[i],
                                       .tag = tags[i],
                                       .len = 130 + 6 * i,
                                       .aad = aad,
                                       .aad_len = 8};
        rng_fill(&rng, jobs[i].nonce, 12);
    }
    good = sealane_seal_burst(jobs, 20);
    assert_int_equal(good, 20);
    sealane_key_wipe(&key);
}

static void authenticator(void **state)
{
    struct sealane_poly1305_state s;
    struct rng rng = {3};

    (void)state;
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        published(raw, 32);
        rng_fill(&rng, raw, 32);
        secret(raw, 32);
        assert_int_equal(sealane_poly1305(tag, plain, lens[i], raw), 0);
        assert_int_equal(sealane_poly1305_init(&s, raw), 0);
        assert_int_equal(sealane_poly1305_update(&s, plain, lens[i]), 0);
        assert_int_equal(sealane_poly1305_final(&s, tag), 0);
    }
}

/* Memcheck sees what this test relies on: the marks arrive, and go on through a computation. */
static void marks_work(void **state)
{
    uint8_t bytes[4] = {1, 2, 3, 4};

    (void)state;
    if (!RUNNING_ON_VALGRIND)
        skip();
    secret(bytes, 4);
    bytes[0] = (uint8_t)(bytes[1] ^ bytes[2]);
    assert_int_not_equal(VALGRIND_CHECK_MEM_IS_DEFINED(bytes, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seal_and_open),
        cmocka_unit_test(burst),
        cmocka_unit_test(authenticator),
        cmocka_unit_test(marks_work),
    };

    level_from_environment();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
