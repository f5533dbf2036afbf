/* test_key_kernels.c: a key takes the kernels of the features that are used when it is made, keeps them, and
 * every call under it goes through them. The kernels here write down how they were called. */
#include "hex.h"

#include <string.h>

#include <sealane/sealane.h>

#include "aead_burst_kernels.h"
#include "aead_kernels.h"
#include "aead_key.h"
#include "level.h"

#define SHORT 100 /* the longest message of the first rung */

static struct {
    char kernels[8]; /* in their order: s, S: sealing short and long; o, O: opening; c: clean-up */
    size_t n;
    struct aead_message message;
    uint32_t key[8];
    uint8_t nonce[12];
    struct aead_frames cleaned[2];
    size_t n_cleaned;
} calls;

static void note(char kernel)
{
    assert_true(calls.n + 1 < sizeof calls.kernels);
    calls.kernels[calls.n++] = kernel;
}

static void note_message(char kernel, const struct aead_message *m, uint8_t tag[16])
{
    note(kernel);
    calls.message = *m;
    memcpy(calls.key, m->key, sizeof calls.key);
    memcpy(calls.nonce, m->nonce, sizeof calls.nonce);
    memset(tag, 0x77, 16);
    if (m->len != 0)
        memset(m->out, 0x66, m->len);
}

#define NOTING(name, letter)                                                                                 \
    static AEAD_KERNEL(name)                                                                                 \
    {                                                                                                        \
        (void)suite;                                                                                         \
        note_message(letter, m, tag);                                                                        \
    }

NOTING(seal_short, 's')
NOTING(seal_long, 'S')
NOTING(open_short, 'o')
NOTING(open_long, 'O')

static AEAD_CLEAN(clean)
{
    note('c');
    assert_true(calls.n_cleaned < 2);
    calls.cleaned[calls.n_cleaned++] = (struct aead_frames){(unsigned)skip, (unsigned)stack};
}

static const struct aead_rung rungs[] = {
    {.max_len = SHORT,
     .seal = seal_short,
     .open = open_short,
     .seal_frames = {1, 1001},
     .open_frames = {2, 1002}},
    {.max_len = SIZE_MAX,
     .seal = seal_long,
     .open = open_long,
     .seal_frames = {3, 1003},
     .open_frames = {4, 1004}},
};

static const struct aead_suite noting = {.level = "noting", .rungs = rungs, .clean = clean};

static const uint8_t raw[32] = {1, 2, 3}, nonce[24] = {4, 5, 6, [16] = 7, 8, 9}, aad[5], text[SHORT + 1];
static uint8_t out[SHORT + 1], tag[16];

static void expect_calls(const char *kernels, size_t len, unsigned skip)
{
    assert_string_equal(calls.kernels, kernels);
    assert_ptr_equal(calls.message.aad, aad);
    assert_ptr_equal(calls.message.in, text);
    assert_ptr_equal(calls.message.out, out);
    assert_int_equal(calls.message.aad_len, sizeof aad);
    assert_int_equal(calls.message.len, len);
    assert_int_equal(calls.cleaned[calls.n_cleaned - 1].skip, skip);
    assert_int_equal(calls.cleaned[calls.n_cleaned - 1].stack, 1000 + skip);
}

static void through_the_keys_suite(void **unused)
{
    struct sealane_key key;
    uint32_t words[8];

    (void)unused;
    assert_int_equal(sealane_key_init(&key, raw), 0);
    ((struct aead_key *)&key)->suite = &noting;
    chacha_load_key(words, raw);
    for (int far = 0; far < 2; far++) {
        const size_t len = SHORT + (size_t)far;

        memset(&calls, 0, sizeof calls);
        assert_int_equal(sealane_seal(&key, nonce, aad, sizeof aad, text, len, out, tag), 0);
        expect_calls(far ? "Sc" : "sc", len, far ? 3 : 1);
        assert_memory_equal(calls.key, words, 32);
        assert_memory_equal(calls.nonce, nonce, 12);

        memset(&calls, 0, sizeof calls);
        assert_int_equal(sealane_open(&key, nonce, aad, sizeof aad, text, len, tag, out), 0);
        expect_calls(far ? "Oc" : "oc", len, far ? 4 : 2);
        assert_memory_equal(calls.key, words, 32);
        assert_memory_equal(calls.nonce, nonce, 12);
        assert_int_equal(out[len - 1], 0x66);

        tag[15] ^= 1;
        memset(&calls, 0, sizeof calls);
        assert_int_equal(sealane_open(&key, nonce, aad, sizeof aad, text, len, tag, out), SEALANE_EFORGED);
        expect_calls(far ? "Oc" : "oc", len, far ? 4 : 2);
        for (size_t i = 0; i < len; i++)
            assert_int_equal(out[i], 0);
    }
}

/* Of XChaCha20, the subkey and what is left of its making, too. */
static void extended_through_the_keys_suite(void **unused)
{
    static const uint8_t short_nonce[12] = {[4] = 7, 8, 9};
    struct sealane_key key;
    uint32_t words[8], sub[8];

    (void)unused;
    assert_int_equal(sealane_key_init(&key, raw), 0);
    ((struct aead_key *)&key)->suite = &noting;
    chacha_load_key(words, raw);
    chacha_hchacha20(sub, words, nonce);
    for (int open = 0; open < 2; open++) {
        memset(&calls, 0, sizeof calls);
        if (open)
            assert_int_equal(sealane_xopen(&key, nonce, aad, sizeof aad, text, 1, tag, out), 0);
        else
            assert_int_equal(sealane_xseal(&key, nonce, aad, sizeof aad, text, 1, out, tag), 0);
        expect_calls(open ? "coc" : "csc", 1, open ? 2 : 1);
        assert_memory_equal(calls.key, sub, 32);
        assert_memory_equal(calls.nonce, short_nonce, 12);
        assert_int_equal(calls.cleaned[0].skip, 0);
    }
}

static void the_kernels_that_are_used(void **unused)
{
    const uint32_t found = sealane_cpu_found(), before = sealane_cpu_used();
    struct sealane_key keys[N_LEVELS];

    (void)unused;
    for (size_t i = 0; i < N_LEVELS; i++) {
        sealane_cpu_use(levels[i].mask);
        assert_int_equal(sealane_key_init(&keys[i], raw), 0);
    }
    sealane_cpu_use(before);
    for (size_t i = 0; i < N_LEVELS; i++) {
        const struct aead_key *k = aead_key_of(&keys[i]);

        assert_ptr_equal(k->suite, aead_suite_for(levels[i].mask & found));
        assert_ptr_equal(k->burst, aead_burst_ladder_for(levels[i].mask & found));
    }
}

/* Each level has kernels of its own, under its name. */
static void every_level_has_its_suite(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < N_LEVELS; i++) {
        const struct aead_suite *suite = aead_suite_for(levels[i].mask);
        const size_t name_len = strcspn(levels[i].name, ",");

        assert_int_equal(strncmp(suite->level, SEALANE_X86 ? levels[i].name : "portable", name_len), 0);
        for (size_t j = 0; SEALANE_X86 && j < i; j++)
            assert_ptr_not_equal(suite, aead_suite_for(levels[j].mask));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(through_the_keys_suite),
        cmocka_unit_test(extended_through_the_keys_suite),
        cmocka_unit_test(the_kernels_that_are_used),
        cmocka_unit_test(every_level_has_its_suite),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
