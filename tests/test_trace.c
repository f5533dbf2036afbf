/* test_trace.c: constant time on the machine itself, at every level that it has, AVX-512 and the bursts
 * included, which valgrind does not know: calls that differ in their secrets alone run the same instructions
 * on the same addresses. Secret are keys, plaintext, and so keystream, r, s and computed tags; lengths are
 * not. x86-64 Linux only. */
#include "hex.h"

#include <string.h>

#include <sealane/sealane.h>

#include "level.h"
#include "rng.h"
#include "trace.h"

#define MAX_LEN 4200
#define N_JOBS 19
#define MAX_STEPS 400000

/* What a call works on: the same memory for both secrets. */
static struct {
    struct sealane_key key;
    struct sealane_job jobs[N_JOBS];
    uint8_t raw[32], nonce[24], aad[16], plain[MAX_LEN], cipher[MAX_LEN], tag[16], tags[N_JOBS][16];
    uint8_t texts[N_JOBS][256];
    size_t len;
    size_t failed;
} w;

static struct trace traces[2];

#define CALL(name, call)                                                                                     \
    static void name(void *unused)                                                                           \
    {                                                                                                        \
        (void)unused;                                                                                        \
        w.failed += (size_t)(call);                                                                          \
    }

CALL(key_init, sealane_key_init(&w.key, w.raw))
CALL(seal, sealane_seal(&w.key, w.nonce, w.aad, 13, w.plain, w.len, w.cipher, w.tag))
CALL(open, sealane_open(&w.key, w.nonce, w.aad, 13, w.cipher, w.len, w.tag, w.plain))
CALL(xseal, sealane_xseal(&w.key, w.nonce, w.aad, 16, w.plain, w.len, w.cipher, w.tag))
CALL(seal_burst, sealane_seal_burst(w.jobs, N_JOBS) != N_JOBS)
CALL(open_burst, sealane_open_burst(w.jobs, N_JOBS) != N_JOBS)
CALL(chacha, sealane_chacha20_xor(w.cipher, w.plain, w.len, w.raw, w.nonce, 1))
CALL(poly1305, sealane_poly1305(w.tag, w.plain, w.len, w.raw))

/* Two that do not take constant time. */
CALL(branches, w.raw[0] & 1 ? sealane_chacha20_xor(w.cipher, w.plain, 64, w.raw, w.nonce, 1) : 0)
CALL(looks_up, 0 & ((const volatile uint8_t *)w.plain)[w.raw[0]])

static void new_secrets(int which)
{
    struct rng rng = {(uint64_t)which + 1};

    rng_fill(&rng, w.raw, sizeof w.raw);
    rng_fill(&rng, w.plain, sizeof w.plain);
    rng_fill(&rng, w.texts, sizeof w.texts);
    w.raw[0] = (uint8_t)(which + 2);
}

/* Lengths from mixed to alike: job i has len + spread * i bytes. */
static void make_jobs(size_t len, size_t spread)
{
    for (size_t i = 0; i < N_JOBS; i++) {
        w.jobs[i] = (struct sealane_job){.key = &w.key,
                                         .aad = w.aad,
                                         .aad_len = 8,
                                         .in = w.texts[i],
                                         .out = w.texts[i],
                                         .tag = w.tags[i],
                                         .len = len + spread * i};
        w.jobs[i].nonce[4] = (uint8_t)i;
    }
}

/* The trace of a call under secrets 0 or 1, which `before` brings to where it starts from. */
static void run(int which, void (*call)(void *), void (*before)(void *))
{
    new_secrets(which);
    w.failed = (size_t)sealane_key_init(&w.key, w.raw);
    if (before != NULL)
        before(NULL);
    trace_run(&traces[which], call, NULL);
    assert_int_equal(w.failed, 0);
}

static int is_same(void (*call)(void *), void (*before)(void *), const char *name)
{
    size_t at;

    run(0, call, before);
    run(1, call, before);
    at = trace_difference(&traces[0], &traces[1]);
    if (at != SIZE_MAX && name != NULL)
        print_message("%s, %zu bytes: traces of %zu and %zu steps part at step %zu, instructions %p and %p\n",
                      name, w.len, traces[0].n, traces[1].n, at,
                      (const void *)traces[0].steps[at < traces[0].n ? at : 0].instruction,
                      (const void *)traces[1].steps[at < traces[1].n ? at : 0].instruction);
    return at == SIZE_MAX;
}

static void expect_same(void (*call)(void *), void (*before)(void *), const char *name)
{
    assert_true(is_same(call, before, name));
    assert_true(traces[0].n > 20);
}

static void differences_are_seen(void **unused)
{
    (void)unused;
    assert_false(is_same(branches, NULL, NULL));
    assert_false(is_same(looks_up, NULL, NULL));
}

static const size_t lens[] = {0, 100, 300, 700, 1420, 2100};

static void one_message(void **unused)
{
    (void)unused;
    expect_same(key_init, NULL, "key_init");
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        w.len = lens[i];
        expect_same(seal, NULL, "seal");
        expect_same(open, seal, "open");
    }
    w.len = 33;
    expect_same(xseal, NULL, "xseal");
}

static void bursts(void **unused)
{
    static const size_t jobs[][2] = {{100, 0}, {10, 9}};

    (void)unused;
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        w.len = jobs[i][0];
        make_jobs(jobs[i][0], jobs[i][1]);
        expect_same(seal_burst, NULL, "seal_burst");
        expect_same(open_burst, seal_burst, "open_burst");
    }
}

static void cipher_and_authenticator(void **unused)
{
    (void)unused;
    for (size_t i = 1; i < 4; i++) {
        w.len = lens[i];
        expect_same(chacha, NULL, "chacha20_xor");
        expect_same(poly1305, NULL, "poly1305");
    }
}

static int make_traces(void **unused)
{
    (void)unused;
    trace_make(&traces[0], MAX_STEPS);
    trace_make(&traces[1], MAX_STEPS);
    return 0;
}

static int free_traces(void **unused)
{
    (void)unused;
    trace_free(&traces[0]);
    trace_free(&traces[1]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_seen),
        cmocka_unit_test(one_message),
        cmocka_unit_test(bursts),
        cmocka_unit_test(cipher_and_authenticator),
    };

    level_from_environment();
    return cmocka_run_group_tests(tests, make_traces, free_traces);
}
