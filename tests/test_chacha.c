/* test_chacha.c: the stream cipher of chacha.h against a plain reference: all rounds, all lengths, calls that
 * meet at block boundaries, counters close to 2^32, the state afterwards, what is refused, and the bytes
 * around the output. */
#include "hex.h"
#include "level.h"
#include "rng.h"

#include <string.h>

#include <sealane/chacha.h>

#include "chacha_reference.h"
#include "guard.h"

#define MAX_LEN 4200

static const int all_rounds[] = {8, 12, 20};

struct stream {
    uint8_t key[32], nonce[12], src[MAX_LEN], want[MAX_LEN];
};

static void stream_fill(struct stream *s, struct rng *rng, size_t len, int rounds, uint32_t counter)
{
    rng_fill(rng, s->key, sizeof s->key);
    rng_fill(rng, s->nonce, sizeof s->nonce);
    rng_fill(rng, s->src, len);
    reference_xor(s->want, s->src, len, rounds, s->key, s->nonce, counter);
}

/* One call, out of place and in place, at any alignment; nothing but the output changes. */
static void every_length(void **unused)
{
    struct rng rng = {1};
    static struct stream s;
    static uint8_t src[MAX_LEN + 192], dst[MAX_LEN + 192], before[MAX_LEN + 192];

    (void)unused;
    for (size_t len = 0; len <= 2200; len++) {
        struct sealane_chacha state;
        int rounds = all_rounds[len % 3];
        size_t at = 64 + rng_below(&rng, 64), from = 64 + rng_below(&rng, 64);
        uint32_t counter = (uint32_t)rng_next(&rng) >> 1;

        stream_fill(&s, &rng, len, rounds, counter);
        memcpy(src + from, s.src, len);
        rng_fill(&rng, dst, sizeof dst);
        memcpy(before, dst, sizeof dst);
        memcpy(before + at, s.want, len);
        assert_int_equal(sealane_chacha_init(&state, rounds, s.key, s.nonce, counter), 0);
        assert_int_equal(sealane_chacha_crypt(&state, dst + at, src + from, len), 0);
        assert_memory_equal(dst, before, sizeof dst);
        assert_memory_equal(src + from, s.src, len);

        memcpy(dst + at, s.src, len);
        assert_int_equal(sealane_chacha_init(&state, rounds, s.key, s.nonce, counter), 0);
        assert_int_equal(sealane_chacha_crypt(&state, dst + at, dst + at, len), 0);
        assert_memory_equal(dst, before, sizeof dst);
    }
}

/* Calls that meet at block boundaries equal one call; a copy of the state goes on like the original. */
static void pieces(void **unused)
{
    struct rng rng = {2};
    static struct stream s;
    static uint8_t out[MAX_LEN];

    (void)unused;
    for (int trial = 0; trial < 600; trial++) {
        struct sealane_chacha state, copy;
        int rounds = all_rounds[trial % 3];
        size_t len = 1 + rng_below(&rng, MAX_LEN);
        uint32_t counter = (uint32_t)rng_next(&rng) >> 1;

        stream_fill(&s, &rng, len, rounds, counter);
        assert_int_equal(sealane_chacha_init(&state, rounds, s.key, s.nonce, counter), 0);
        for (size_t done = 0; done < len;) {
            size_t n = 64 * rng_below(&rng, 34);

            if (n > len - done)
                n = len - done;
            copy = state;
            assert_int_equal(sealane_chacha_crypt(&state, out + done, s.src + done, n), 0);
            assert_memory_equal(out + done, s.want + done, n);
            memset(out + done, 0, n);
            assert_int_equal(sealane_chacha_crypt(&copy, out + done, s.src + done, n), 0);
            assert_memory_equal(out + done, s.want + done, n);
            done += n;
        }
    }
}

/* A length that is no multiple of 64 uses its last block up. */
static void partial_block_is_used_up(void **unused)
{
    struct rng rng = {3};
    static struct stream s;
    uint8_t out[64];

    (void)unused;
    for (size_t len = 1; len <= 1500; len += len < 200 ? 1 : 61) {
        struct sealane_chacha state;
        size_t next = (len + 63) / 64 * 64;

        stream_fill(&s, &rng, next + 64, 20, 7);
        assert_int_equal(sealane_chacha_init(&state, 20, s.key, s.nonce, 7), 0);
        assert_int_equal(sealane_chacha_crypt(&state, s.src, s.src, len), 0);
        assert_memory_equal(s.src, s.want, len);
        assert_int_equal(sealane_chacha_crypt(&state, out, s.src + next, 64), 0);
        assert_memory_equal(out, s.want + next, 64);
    }
}

/* The last block is number 2^32 - 1. A call that would go past it writes nothing and moves nothing. */
static void counters_close_to_the_limit(void **unused)
{
    struct rng rng = {4};
    static struct stream s;
    static uint8_t out[MAX_LEN], before[MAX_LEN];

    (void)unused;
    for (uint32_t left = 1; left <= 40; left++) {
        const uint32_t counter = 0 - left;
        const size_t all = 64 * (size_t)left;
        struct sealane_chacha state;

        for (size_t len = all; len + 64 > all; len--) { /* all that the last blocks give */
            stream_fill(&s, &rng, all, 20, counter);
            memset(out, 0, sizeof out);
            assert_int_equal(sealane_chacha_init(&state, 20, s.key, s.nonce, counter), 0);
            assert_int_equal(sealane_chacha_crypt(&state, out, s.src, len), 0);
            assert_memory_equal(out, s.want, len);
            assert_int_equal(sealane_chacha_crypt(&state, out, s.src, 0), 0);
            assert_int_equal(sealane_chacha_crypt(&state, out, s.src, 1), SEALANE_ELIMIT);
            assert_memory_equal(out, s.want, len);
            if (left > 20)
                break;
        }
        rng_fill(&rng, before, sizeof before);
        memcpy(out, before, sizeof out);
        assert_int_equal(sealane_chacha_init(&state, 20, s.key, s.nonce, counter), 0);
        assert_int_equal(sealane_chacha_crypt(&state, out, s.src, all + 1), SEALANE_ELIMIT);
        assert_int_equal(sealane_chacha_crypt(&state, out, out, all + 64), SEALANE_ELIMIT);
        assert_int_equal(sealane_chacha20_xor(out, s.src, all + 1, s.key, s.nonce, counter), SEALANE_ELIMIT);
        assert_memory_equal(out, before, sizeof out);
        assert_int_equal(sealane_chacha_crypt(&state, out, s.src, all),
                         0); /* the refused calls took no block */
        assert_memory_equal(out, s.want, all);
    }
}

/* No length that a size_t holds gets past the limit by wrapping. */
static void huge_lengths(void **unused)
{
    struct sealane_chacha state;
    uint8_t key[32] = {0}, nonce[12] = {0};
    uint8_t *nowhere = (uint8_t *)(uintptr_t)64; /* not looked at */

    (void)unused;
    assert_int_equal(sealane_chacha_init(&state, 20, key, nonce, 1), 0);
#if SIZE_MAX > UINT32_MAX
    assert_int_equal(sealane_chacha_crypt(&state, nowhere, nowhere, (size_t)64 << 32), SEALANE_ELIMIT);
    assert_int_equal(sealane_chacha_crypt(&state, nowhere, nowhere, SIZE_MAX), SEALANE_ELIMIT);
    assert_int_equal(sealane_chacha_crypt(&state, nowhere, nowhere, SIZE_MAX - 63), SEALANE_ELIMIT);
    assert_int_equal(sealane_chacha20_xor(nowhere, nowhere, ((size_t)64 << 32) + 1, key, nonce, 0),
                     SEALANE_ELIMIT);
#endif
    assert_int_equal(sealane_chacha_init(&state, 20, key, nonce, UINT32_MAX), 0);
    assert_int_equal(sealane_chacha_crypt(&state, nowhere, nowhere, SIZE_MAX), SEALANE_ELIMIT);
}

static void refusals(void **unused)
{
    struct sealane_chacha state;
    uint8_t key[32] = {1}, nonce[12] = {2}, bytes[64] = {0};

    (void)unused;
    for (int rounds = -1; rounds <= 24; rounds++) {
        int good = rounds == 8 || rounds == 12 || rounds == 20;

        assert_int_equal(sealane_chacha_init(&state, rounds, key, nonce, 0), good ? 0 : SEALANE_EINVAL);
    }
    assert_int_equal(sealane_chacha_init(NULL, 20, key, nonce, 0), SEALANE_EINVAL);
    assert_int_equal(sealane_chacha_init(&state, 20, NULL, nonce, 0), SEALANE_EINVAL);
    assert_int_equal(sealane_chacha_init(&state, 20, key, NULL, 0), SEALANE_EINVAL);
    assert_int_equal(sealane_chacha20_xor(bytes, bytes, 64, NULL, nonce, 0), SEALANE_EINVAL);
    assert_int_equal(sealane_chacha20_xor(bytes, bytes, 64, key, NULL, 0), SEALANE_EINVAL);
    assert_int_equal(sealane_chacha20_xor(NULL, bytes, 64, key, nonce, 0), SEALANE_EINVAL);
    assert_int_equal(sealane_chacha20_xor(bytes, NULL, 64, key, nonce, 0), SEALANE_EINVAL);
    assert_int_equal(sealane_chacha20_xor(NULL, NULL, 0, key, nonce, 0), 0);

    assert_int_equal(sealane_chacha_init(&state, 20, key, nonce, 0), 0);
    assert_int_equal(sealane_chacha_crypt(NULL, bytes, bytes, 64), SEALANE_EINVAL);
    assert_int_equal(sealane_chacha_crypt(&state, NULL, bytes, 64), SEALANE_EINVAL);
    assert_int_equal(sealane_chacha_crypt(&state, bytes, NULL, 64), SEALANE_EINVAL);
    assert_int_equal(sealane_chacha_crypt(&state, NULL, NULL, 0), 0);
    sealane_chacha_wipe(&state);
    for (size_t i = 0; i < sizeof state; i++)
        assert_int_equal(((const uint8_t *)&state)[i], 0);
    assert_int_equal(sealane_chacha_crypt(&state, bytes, bytes, 64), SEALANE_EINVAL);
    sealane_chacha_wipe(NULL);
    for (size_t i = 0; i < sizeof bytes; i++)
        assert_int_equal(bytes[i], 0);
}

static void overlaps(void **unused)
{
    struct rng rng = {5};
    static uint8_t bytes[512], before[512];
    struct sealane_chacha state;
    uint8_t key[32] = {1}, nonce[12] = {2};

    (void)unused;
    rng_fill(&rng, bytes, sizeof bytes);
    memcpy(before, bytes, sizeof bytes);
    assert_int_equal(sealane_chacha_init(&state, 20, key, nonce, 0), 0);
    for (size_t shift = 1; shift <= 64; shift++) {
        for (size_t len = shift + 1; len <= 200; len += 13) {
            assert_int_equal(sealane_chacha_crypt(&state, bytes + shift, bytes, len), SEALANE_EOVERLAP);
            assert_int_equal(sealane_chacha_crypt(&state, bytes, bytes + shift, len), SEALANE_EOVERLAP);
            assert_int_equal(sealane_chacha20_xor(bytes, bytes + shift, len, key, nonce, 0),
                             SEALANE_EOVERLAP);
        }
        assert_memory_equal(bytes, before, sizeof bytes);
        reference_xor(before + shift, bytes, shift, 20, key, nonce, 0); /* side by side is fine */
        assert_int_equal(sealane_chacha20_xor(bytes + shift, bytes, shift, key, nonce, 0), 0);
        assert_memory_equal(bytes, before, sizeof bytes);
    }
}

/* Input, output, key and nonce that end, or begin, at an unmapped page. */
static void edges(void **unused)
{
    struct rng rng = {6};
    static struct stream s;
    struct guard src = guard_new(MAX_LEN), dst = guard_new(MAX_LEN), keys = guard_new(32),
                 nonces = guard_new(12);

    (void)unused;
    for (size_t len = 0; len <= MAX_LEN; len += len < 1100 ? 1 : 37) {
        for (int at_end = 0; at_end < 2; at_end++) {
            uint8_t *in = guard_edge(src, len, at_end), *out = guard_edge(dst, len, at_end);
            uint8_t *key = guard_edge(keys, 32, at_end), *nonce = guard_edge(nonces, 12, at_end);

            stream_fill(&s, &rng, len, 20, 1);
            memcpy(key, s.key, 32);
            memcpy(nonce, s.nonce, 12);
            memcpy(in, s.src, len);
            assert_int_equal(sealane_chacha20_xor(out, in, len, key, nonce, 1), 0);
            assert_memory_equal(out, s.want, len);
            assert_int_equal(sealane_chacha20_xor(in, in, len, key, nonce, 1), 0);
            assert_memory_equal(in, s.want, len);
        }
    }
    for (int at_end = 0; at_end < 2; at_end++) {
        uint8_t *out = guard_edge(dst, 32, at_end), *in = guard_edge(src, 16, at_end), want[32];
        uint8_t *key = guard_edge(keys, 32, at_end);

        sealane_hchacha20(want, s.key, s.src);
        memcpy(key, s.key, 32);
        memcpy(in, s.src, 16);
        sealane_hchacha20(out, key, in);
        assert_memory_equal(out, want, 32);
    }
    guard_free(src);
    guard_free(dst);
    guard_free(keys);
    guard_free(nonces);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length),
        cmocka_unit_test(pieces),
        cmocka_unit_test(partial_block_is_used_up),
        cmocka_unit_test(counters_close_to_the_limit),
        cmocka_unit_test(huge_lengths),
        cmocka_unit_test(refusals),
        cmocka_unit_test(overlaps),
        cmocka_unit_test(edges),
    };

    level_from_environment();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
