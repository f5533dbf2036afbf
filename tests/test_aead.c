/* test_aead.c: the rules of aead.h: what is refused and what a refusal leaves behind, for messages with a
 * nonce of 12 and of 24 bytes. (test_sodium.c has the values.) */
#include "hex.h"
#include "level.h"
#include "place.h"
#include "rng.h"

#include <stdlib.h>
#include <string.h>

#include <sealane/sealane.h>

#include "calls.h"

/* A sealed message; open() has to accept it, and refuse every change of it. */
static struct {
    const struct calls *calls;
    struct sealane_key key;
    uint8_t nonce[24], aad[32], plain[512], cipher[512], tag[16];
    size_t aad_len, len;
} m;

static void make(struct rng *rng, const struct calls *calls, size_t len, size_t aad_len)
{
    uint8_t raw[32];

    m.calls = calls;
    m.len = len;
    m.aad_len = aad_len;
    rng_fill(rng, raw, sizeof raw);
    rng_fill(rng, m.nonce, sizeof m.nonce);
    rng_fill(rng, m.aad, sizeof m.aad);
    rng_fill(rng, m.plain, sizeof m.plain);
    assert_int_equal(sealane_key_init(&m.key, raw), 0);
    assert_int_equal(calls->seal(&m.key, m.nonce, m.aad, aad_len, m.plain, len, m.cipher, m.tag), 0);
}

static int open_to(void *out)
{
    return m.calls->open(&m.key, m.nonce, m.aad, m.aad_len, m.cipher, m.len, m.tag, out);
}

/* The message as it stands now is forged: out of place and in place the output is zero, and nothing else has
 * changed. */
static void check_forged(struct rng *rng)
{
    static struct place at;
    uint8_t aad[sizeof m.aad], cipher[sizeof m.cipher], tag[16], nonce[24];
    uint8_t *out = place_put(&at, rng, NULL, m.len);

    memcpy(aad, m.aad, sizeof aad);
    memcpy(cipher, m.cipher, sizeof cipher);
    memcpy(tag, m.tag, sizeof tag);
    memcpy(nonce, m.nonce, sizeof nonce);
    assert_int_equal(open_to(out), SEALANE_EFORGED);
    place_expect(&at, NULL);
    place_check(&at);
    assert_memory_equal(m.aad, aad, sizeof aad);
    assert_memory_equal(m.cipher, cipher, sizeof cipher);
    assert_memory_equal(m.tag, tag, sizeof tag);
    assert_memory_equal(m.nonce, nonce, sizeof nonce);

    out = place_put(&at, rng, m.cipher, m.len);
    assert_int_equal(m.calls->open(&m.key, m.nonce, m.aad, m.aad_len, out, m.len, m.tag, out),
                     SEALANE_EFORGED);
    place_expect(&at, NULL);
    place_check(&at);
}

static void check_bits(struct rng *rng, uint8_t *span, size_t len)
{
    for (size_t bit = 0; bit < 8 * len; bit++) {
        span[bit / 8] ^= (uint8_t)(1 << bit % 8);
        check_forged(rng);
        span[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

static void every_bit_counts(void **unused)
{
    static const size_t lens[] = {0, 1, 2, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 128, 129, 192, 257};
    static const size_t aad_lens[] = {0, 1, 8, 12, 16, 17, 32};
    struct rng rng = {1};
    uint8_t out[512];

    (void)unused;
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        for (int c = 0; c < N_CALLS; c++) {
            make(&rng, &all_calls[c], lens[i],
                 aad_lens[(i + (size_t)c) % (sizeof aad_lens / sizeof aad_lens[0])]);
            check_bits(&rng, m.tag, 16);
            check_bits(&rng, m.nonce, m.calls->nonce_len);
            check_bits(&rng, m.aad, m.aad_len);
            check_bits(&rng, m.cipher, m.len);
            assert_int_equal(open_to(out), 0);
            assert_memory_equal(out, m.plain, m.len);
        }
    }
}

/* A message that is cut, or longer, or whose AAD and text are divided elsewhere, or that another key sealed.
 */
static void lengths_count(void **unused)
{
    struct rng rng = {2};
    uint8_t out[512];

    (void)unused;
    for (size_t len = 0; len <= 300; len += len < 40 ? 1 : 13) {
        make(&rng, &all_calls[0], len, 16);
        m.aad_len = 15;
        check_forged(&rng);
        m.aad_len = 17;
        check_forged(&rng);
        m.aad_len = 0;
        check_forged(&rng);
        m.aad_len = 16;
        m.len = len + 1;
        check_forged(&rng);
        if (len > 0) {
            m.len = len - 1;
            check_forged(&rng);
        }
        m.len = len;
        assert_int_equal(open_to(out), 0);

        struct sealane_key good = m.key;
        uint8_t raw[32] = {0};

        assert_int_equal(sealane_key_init(&m.key, raw), 0);
        check_forged(&rng);
        m.key = good;
        assert_int_equal(open_to(out), 0); /* a key may be copied */
    }
}

/* A tag of all zeros, of all ones, or the computed tag with any single byte right, is no key to the door. */
static void guessed_tags(void **unused)
{
    struct rng rng = {3};
    uint8_t good[16];

    (void)unused;
    for (size_t len = 0; len <= 80; len += 16) {
        make(&rng, &all_calls[0], len, 3);
        memcpy(good, m.tag, 16);
        memset(m.tag, 0, 16);
        check_forged(&rng);
        memset(m.tag, 0xff, 16);
        check_forged(&rng);
        for (int i = 0; i < 16; i++) {
            for (int j = 0; j < 16; j++)
                m.tag[j] = i == j ? good[j] : (uint8_t)~good[j];
            check_forged(&rng);
        }
    }
}

/* One buffer; which part of it each span takes is a matter of the test. */
static struct {
    uint8_t bytes[1024], before[1024];
} shared;

static void check_refused(const struct calls *calls, size_t aad, size_t aad_len, size_t in, size_t out,
                          size_t len, size_t tag)
{
    uint8_t *b = shared.bytes;

    assert_int_equal(calls->seal(&m.key, m.nonce, b + aad, aad_len, b + in, len, b + out, b + tag),
                     SEALANE_EOVERLAP);
    assert_int_equal(calls->open(&m.key, m.nonce, b + aad, aad_len, b + in, len, b + tag, b + out),
                     SEALANE_EOVERLAP);
    assert_memory_equal(b, shared.before, sizeof shared.bytes);
}

static void check_taken(const struct calls *calls, size_t aad, size_t aad_len, size_t in, size_t out,
                        size_t len, size_t tag)
{
    uint8_t *b = shared.bytes, plain[256];

    memcpy(plain, b + in, len);
    assert_int_equal(calls->seal(&m.key, m.nonce, b + aad, aad_len, b + in, len, b + out, b + tag), 0);
    assert_int_equal(calls->open(&m.key, m.nonce, b + aad, aad_len, b + out, len, b + tag, b + in), 0);
    assert_memory_equal(b + in, plain, len);
    memcpy(b, shared.before, sizeof shared.bytes);
}

/* Equal passes; every shift of 1 to 64 in both directions is refused before a byte changes; side by side
 * passes. */
static void overlapping_text(void **unused)
{
    struct rng rng = {4};

    (void)unused;
    make(&rng, &all_calls[0], 0, 0);
    rng_fill(&rng, shared.bytes, sizeof shared.bytes);
    memcpy(shared.before, shared.bytes, sizeof shared.bytes);
    for (int c = 0; c < N_CALLS; c++) {
        for (size_t shift = 1; shift <= 64; shift++) {
            for (size_t len = shift + 1; len <= 200; len += 17) {
                check_refused(&all_calls[c], 0, 16, 300, 300 + shift, len, 700);
                check_refused(&all_calls[c], 0, 16, 300 + shift, 300, len, 700);
            }
            check_taken(&all_calls[c], 0, 16, 300, 300 + shift, shift, 700);
            check_taken(&all_calls[c], 0, 16, 300 + shift, 300, shift, 700);
            check_taken(&all_calls[c], 0, 16, 300, 300, shift, 700);
        }
        check_refused(&all_calls[c], 0, 16, 300, 499, 200, 700); /* by the last byte */
        check_refused(&all_calls[c], 0, 16, 499, 300, 200, 700);
    }
}

/* AAD and tag touch neither the text nor each other. */
static void overlapping_aad_and_tag(void **unused)
{
    const size_t in = 300, out = 500, len = 100, aad_len = 20;
    struct rng rng = {5};

    (void)unused;
    make(&rng, &all_calls[0], 0, 0);
    rng_fill(&rng, shared.bytes, sizeof shared.bytes);
    memcpy(shared.before, shared.bytes, sizeof shared.bytes);
    for (int c = 0; c < N_CALLS; c++) {
        const struct calls *calls = &all_calls[c];

        for (size_t at = in - aad_len + 1; at < in + len; at++)
            check_refused(calls, at, aad_len, in, out, len, 800);
        for (size_t at = out - aad_len + 1; at < out + len; at++)
            check_refused(calls, at, aad_len, in, out, len, 800);
        for (size_t at = in - 16 + 1; at < in + len; at++)
            check_refused(calls, 0, aad_len, in, out, len, at);
        for (size_t at = out - 16 + 1; at < out + len; at++)
            check_refused(calls, 0, aad_len, in, out, len, at);
        for (size_t at = 100 - 16 + 1; at < 100 + aad_len; at++)
            check_refused(calls, 100, aad_len, in, out, len, at);
        for (size_t at = in - 16 + 1; at < in + len; at++)
            check_refused(calls, 0, aad_len, in, in, len, at);
        check_taken(calls, in - aad_len, aad_len, in, out, len, 800);
        check_taken(calls, in + len, aad_len, in, out, len, 800);
        check_taken(calls, out - aad_len, aad_len, in, out, len, 800);
        check_taken(calls, 0, aad_len, in, out, len, in - 16);
        check_taken(calls, 0, aad_len, in, out, len, in + len);
        check_taken(calls, 0, aad_len, in, out, len, out + len);
        check_taken(calls, 0, aad_len, in, out, len, aad_len);
        check_taken(calls, in + 5, 0, in, out, len, 800); /* empty spans overlap nothing */
        check_taken(calls, 0, aad_len, 5, 9, 0, 800);
    }
}

static void null_pointers(void **unused)
{
    struct rng rng = {6};
    uint8_t bytes[64], before[64], out[64] = {0}, tag[16];

    (void)unused;
    for (int c = 0; c < N_CALLS; c++) {
        const struct calls *calls = &all_calls[c];

        make(&rng, calls, 64, 5);
        rng_fill(&rng, bytes, sizeof bytes);
        memcpy(before, bytes, sizeof bytes);
        memcpy(tag, m.tag, 16);
        assert_int_equal(calls->seal(NULL, m.nonce, m.aad, 5, m.plain, 64, bytes, tag), SEALANE_EINVAL);
        assert_int_equal(calls->seal(&m.key, NULL, m.aad, 5, m.plain, 64, bytes, tag), SEALANE_EINVAL);
        assert_int_equal(calls->seal(&m.key, m.nonce, NULL, 5, m.plain, 64, bytes, tag), SEALANE_EINVAL);
        assert_int_equal(calls->seal(&m.key, m.nonce, m.aad, 5, NULL, 64, bytes, tag), SEALANE_EINVAL);
        assert_int_equal(calls->seal(&m.key, m.nonce, m.aad, 5, m.plain, 64, NULL, tag), SEALANE_EINVAL);
        assert_int_equal(calls->seal(&m.key, m.nonce, m.aad, 5, m.plain, 64, bytes, NULL), SEALANE_EINVAL);
        assert_int_equal(calls->open(NULL, m.nonce, m.aad, 5, m.cipher, 64, tag, bytes), SEALANE_EINVAL);
        assert_int_equal(calls->open(&m.key, NULL, m.aad, 5, m.cipher, 64, tag, bytes), SEALANE_EINVAL);
        assert_int_equal(calls->open(&m.key, m.nonce, NULL, 5, m.cipher, 64, tag, bytes), SEALANE_EINVAL);
        assert_int_equal(calls->open(&m.key, m.nonce, m.aad, 5, NULL, 64, tag, bytes), SEALANE_EINVAL);
        assert_int_equal(calls->open(&m.key, m.nonce, m.aad, 5, m.cipher, 64, NULL, bytes), SEALANE_EINVAL);
        assert_int_equal(calls->open(&m.key, m.nonce, m.aad, 5, m.cipher, 64, tag, NULL), SEALANE_EINVAL);
        assert_memory_equal(bytes, before, sizeof bytes);
        assert_memory_equal(tag, m.tag, 16);

        /* (NULL, 0) means the same as (pointer, 0) */
        assert_int_equal(calls->seal(&m.key, m.nonce, m.aad, 0, m.plain, 64, out, m.tag), 0);
        assert_int_equal(calls->seal(&m.key, m.nonce, NULL, 0, m.plain, 64, out, tag), 0);
        assert_memory_equal(tag, m.tag, 16);
        assert_int_equal(calls->open(&m.key, m.nonce, NULL, 0, out, 64, tag, out), 0);
        assert_memory_equal(out, m.plain, 64);
        assert_int_equal(calls->seal(&m.key, m.nonce, m.aad, 5, m.plain, 0, out, m.tag), 0);
        assert_int_equal(calls->seal(&m.key, m.nonce, m.aad, 5, NULL, 0, NULL, tag), 0);
        assert_memory_equal(tag, m.tag, 16);
        assert_int_equal(calls->open(&m.key, m.nonce, m.aad, 5, NULL, 0, tag, NULL), 0);
        assert_int_equal(calls->open(&m.key, m.nonce, m.aad, 5, NULL, 0, tag, out), 0);
        tag[3] ^= 4;
        assert_int_equal(calls->open(&m.key, m.nonce, m.aad, 5, NULL, 0, tag, NULL), SEALANE_EFORGED);
        assert_int_equal(calls->seal(&m.key, m.nonce, NULL, 0, NULL, 0, NULL, tag), 0);
        assert_int_equal(calls->open(&m.key, m.nonce, NULL, 0, NULL, 0, tag, NULL), 0);
    }
}

static void keys_never_made_or_wiped(void **unused)
{
    struct rng rng = {7};
    uint8_t raw[32], bytes[64], before[64], tag[16] = {0};
    struct sealane_key *key = malloc(sizeof *key + 8);

    (void)unused;
    assert_non_null(key);
    memset(raw, 0x55, sizeof raw);
    rng_fill(&rng, bytes, sizeof bytes);
    memcpy(before, bytes, sizeof bytes);
    assert_int_equal(sealane_key_init(NULL, raw), SEALANE_EINVAL);
    assert_int_equal(sealane_key_init(key, NULL), SEALANE_EINVAL);
    sealane_key_wipe(NULL);
    for (int wiped = 0; wiped < 2; wiped++) {
        memset(key, 0, sizeof *key);
        if (wiped) {
            assert_int_equal(sealane_key_init(key, raw), 0);
            sealane_key_wipe(key);
            for (size_t i = 0; i < sizeof *key; i++)
                assert_int_equal(((const uint8_t *)key)[i], 0);
        }
        for (int c = 0; c < N_CALLS; c++) {
            assert_int_equal(all_calls[c].seal(key, before, NULL, 0, bytes, 64, bytes, tag), SEALANE_EINVAL);
            assert_int_equal(all_calls[c].open(key, before, NULL, 0, bytes, 64, tag, bytes), SEALANE_EINVAL);
        }
        assert_memory_equal(bytes, before, sizeof bytes);
    }
    free(key);
}

/* An alignment of 8 is all that a key asks for. */
static void keys_at_any_alignment_of_eight(void **unused)
{
    struct rng rng = {8};
    static uint64_t room[32 + sizeof(struct sealane_key) / 8];
    uint8_t raw[32], want[200], out[200], want_tag[16], tag[16];
    struct sealane_key key;

    (void)unused;
    rng_fill(&rng, raw, sizeof raw);
    make(&rng, &all_calls[0], 200, 0);
    assert_int_equal(sealane_key_init(&key, raw), 0);
    assert_int_equal(sealane_seal(&key, m.nonce, NULL, 0, m.plain, 200, want, want_tag), 0);
    for (size_t i = 0; i < 32; i++) {
        struct sealane_key *at = (struct sealane_key *)(void *)(room + i);

        assert_int_equal(sealane_key_init(at, raw), 0);
        assert_int_equal(sealane_seal(at, m.nonce, NULL, 0, m.plain, 200, out, tag), 0);
        assert_memory_equal(out, want, 200);
        assert_memory_equal(tag, want_tag, 16);
    }
}

/* More than 2^32 - 1 blocks: refused, and no memory is touched; the pointers here lead nowhere. */
static void over_long(void **unused)
{
#if SIZE_MAX > UINT32_MAX
    static const size_t lens[] = {((size_t)64 << 32) - 63, (size_t)64 << 32, SIZE_MAX, SIZE_MAX - 15,
                                  SIZE_MAX - 63};
    uint8_t *nowhere = (uint8_t *)(uintptr_t)64, tag[16] = {0}, before[16] = {0};
    struct rng rng = {9};

    make(&rng, &all_calls[0], 0, 0);
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        for (int c = 0; c < N_CALLS; c++) {
            assert_int_equal(all_calls[c].seal(&m.key, m.nonce, NULL, 0, nowhere, lens[i], nowhere, tag),
                             SEALANE_ELENGTH);
            assert_int_equal(all_calls[c].open(&m.key, m.nonce, NULL, 0, nowhere, lens[i], tag, nowhere),
                             SEALANE_ELENGTH);
        }
        assert_memory_equal(tag, before, 16);
    }
    for (int c = 0; c < N_CALLS; c++) { /* one byte less is not too long: refused for its place alone */
        assert_int_equal(all_calls[c].seal(&m.key, m.nonce, NULL, 0, nowhere, lens[0] - 1, nowhere + 1, tag),
                         SEALANE_EOVERLAP);
        assert_int_equal(all_calls[c].open(&m.key, m.nonce, NULL, 0, nowhere, lens[0] - 1, tag, nowhere + 1),
                         SEALANE_EOVERLAP);
    }
#endif
    (void)unused;
}

/* Keys of all levels live side by side, keep their kernels, and agree. */
static void levels_side_by_side(void **unused)
{
    struct rng rng = {10};
    const uint32_t mask = sealane_cpu_used();
    struct sealane_key keys[N_LEVELS];
    uint8_t raw[32], out[512], tag[16], back[512];

    (void)unused;
    rng_fill(&rng, raw, sizeof raw);
    for (size_t i = 0; i < N_LEVELS; i++) {
        sealane_cpu_use(levels[i].mask);
        assert_int_equal(sealane_cpu_used(), levels[i].mask & sealane_cpu_found());
        assert_int_equal(sealane_key_init(&keys[i], raw), 0);
    }
    sealane_cpu_use(mask);
    for (size_t len = 0; len <= 512; len += 31) {
        rng_fill(&rng, m.nonce, sizeof m.nonce);
        rng_fill(&rng, m.plain, sizeof m.plain);
        for (size_t i = 0; i < N_LEVELS; i++) {
            assert_int_equal(sealane_seal(&keys[i], m.nonce, m.aad, 13, m.plain, len, out, tag), 0);
            if (i > 0)
                assert_memory_equal(out, m.cipher, len);
            if (i > 0)
                assert_memory_equal(tag, m.tag, 16);
            memcpy(m.cipher, out, len);
            memcpy(m.tag, tag, 16);
            assert_int_equal(sealane_open(&keys[N_LEVELS - 1 - i], m.nonce, m.aad, 13, out, len, tag, back),
                             0);
            assert_memory_equal(back, m.plain, len);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_counts),
        cmocka_unit_test(lengths_count),
        cmocka_unit_test(guessed_tags),
        cmocka_unit_test(overlapping_text),
        cmocka_unit_test(overlapping_aad_and_tag),
        cmocka_unit_test(null_pointers),
        cmocka_unit_test(keys_never_made_or_wiped),
        cmocka_unit_test(keys_at_any_alignment_of_eight),
        cmocka_unit_test(over_long),
        cmocka_unit_test(levels_side_by_side),
    };

    level_from_environment();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
