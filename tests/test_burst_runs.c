/* test_burst_runs.c: which packets of a burst run together: a ladder whose kernels note what they are given.
 * They seal with the portable code, so that the bytes are looked at as well, on any machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <sealane/sealane.h>

#include "aead_burst_kernels.h"
#include "aead_kernels.h"
#include "aead_key.h"

#define MAX_JOBS 200
#define MAX_LEN 400

struct call {
    unsigned n;
    size_t len, aad_len;
    int one_key, second, mixed;
};

static struct call calls[MAX_JOBS];
static size_t n_calls, n_opened;
static struct sealane_key keys[3];
static struct sealane_job jobs[MAX_JOBS];
static uint8_t in[MAX_JOBS][MAX_LEN], out[MAX_JOBS][MAX_LEN], job_tags[MAX_JOBS][16], aad[100];

static void note(const struct aead_alike *a, uint8_t (*tag)[16], int opens, int mixed)
{
    const struct aead_suite *suite = aead_suite_for(0);

    calls[n_calls++] =
        (struct call){a->n, mixed ? (size_t)a->lens[0] : a->len, a->aad_len, a->one_key, 0, mixed};
    n_opened += opens ? a->n : 0;
    for (unsigned i = 0; i < a->n; i++) {
        const uint32_t words[3] = {a->nonce[0][i], a->nonce[1][i], a->nonce[2][i]};
        uint8_t nonce[12];
        struct aead_message m = {a->key[i], nonce, a->aad[i], a->in[i], a->out[i], a->aad_len, a->len};

        if (mixed) {
            m.aad_len = (size_t)a->aad_lens[i];
            m.len = (size_t)a->lens[i];
            assert_true(i == 0 || a->lens[i] <= a->lens[i - 1]);
        }
        for (int b = 0; b < 12; b++)
            nonce[b] = (uint8_t)(words[b / 4] >> b % 4 * 8);
        (opens ? aead_open_two_pass : aead_seal_two_pass)(suite, &m, tag[i]);
    }
}

static AEAD_ALIKE_KERNEL(seal_and_note)
{
    note(a, tags, 0, 0);
}

static AEAD_ALIKE_KERNEL(seal_and_note_second)
{
    note(a, tags, 0, 0);
    calls[n_calls - 1].second = 1;
}

static AEAD_ALIKE_KERNEL(open_and_note)
{
    note(a, tags, 1, 0);
}

static AEAD_ALIKE_KERNEL(seal_mixed_and_note)
{
    note(a, tags, 0, 1);
}

static AEAD_ALIKE_KERNEL(open_mixed_and_note)
{
    note(a, tags, 1, 1);
}

/* Up to 100 bytes three packets pay for narrow lanes, up to 200 bytes eight do, and wide ones pay for
 * nothing. Longer ones go alone. */
static const struct aead_burst_rung rungs[] = {{100, {29, 39, 59}, 0}, {200, {75, 160, 330}, 0}};
static const struct aead_burst_kernels kernels = {
    .name = "noted", .seal_alike = seal_and_note, .open_alike = open_and_note, .alike_stack = 1024};
static const struct aead_burst_kernels second_kernels = {
    .name = "second", .seal_alike = seal_and_note_second, .open_alike = open_and_note, .alike_stack = 1024};
static const struct aead_burst_ladder ladder = {&kernels, rungs, 200, 0},
                                      second_ladder = {&second_kernels, rungs, 200, 0};

static void make_keys(void)
{
    for (size_t i = 0; i < 3; i++) {
        uint8_t raw[32] = {(uint8_t)(i + 1)};

        assert_int_equal(sealane_key_init(&keys[i], raw), SEALANE_OK);
        ((struct aead_key *)&keys[i])->suite = aead_suite_for(0);
        ((struct aead_key *)&keys[i])->burst = &ladder;
    }
}

static void add(size_t *n, size_t len, size_t aad_len)
{
    struct sealane_job *j = &jobs[*n];

    assert_true(*n < MAX_JOBS);
    *j = (struct sealane_job){.key = &keys[0],
                              .aad = aad,
                              .in = in[*n],
                              .out = out[*n],
                              .tag = job_tags[*n],
                              .aad_len = aad_len,
                              .len = len};
    memset(in[*n], (int)*n, len);
    j->nonce[0] = (uint8_t)*n;
    ++*n;
}

static void add_many(size_t *n, size_t how_many, size_t len)
{
    while (how_many-- > 0)
        add(n, len, 16);
}

/* Seals the burst and compares it with single messages. */
static void run(size_t n)
{
    n_calls = 0;
    assert_int_equal(sealane_seal_burst(jobs, n), n);
    for (size_t i = 0; i < n; i++) {
        uint8_t want[MAX_LEN], tag[16];
        const struct sealane_job *j = &jobs[i];

        assert_int_equal(j->status, SEALANE_OK);
        assert_int_equal(sealane_seal(j->key, j->nonce, j->aad, j->aad_len, j->in, j->len, want, tag), 0);
        assert_memory_equal(j->out, want, j->len);
        assert_memory_equal(j->tag, tag, 16);
    }
}

/* The next call of the last burst, in their order. */
static void expect(size_t *call, unsigned n, size_t len)
{
    assert_true(*call < n_calls);
    assert_int_equal(calls[*call].n, n);
    assert_int_equal(calls[*call].len, len);
    ++*call;
}

/* So many packets of one shape run as these numbers; what is missing went alone. */
static void prices_decide(void **unused)
{
    static const struct {
        size_t len, packets;
        unsigned runs[5];
    } cases[] = {
        {64, 1, {0}},           {64, 2, {0}},      {64, 3, {3}},
        {64, 8, {8}},           {64, 9, {8}},      {64, 10, {10}},
        {64, 16, {16}},         {64, 18, {16}},    {64, 19, {19}},
        {64, 31, {31}},         {64, 32, {32}},    {64, 33, {32}},
        {64, 75, {32, 32, 11}}, {200, 7, {0}},     {200, 8, {8}},
        {200, 15, {8}},         {200, 16, {8, 8}}, {200, 32, {8, 8, 8, 8}},
        {201, 40, {0}},
    };

    (void)unused;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        size_t n = 0, call = 0;

        add_many(&n, cases[c].packets, cases[c].len);
        run(n);
        for (size_t r = 0; r < 5 && cases[c].runs[r] != 0; r++)
            expect(&call, cases[c].runs[r], cases[c].len);
        assert_int_equal(call, n_calls);
    }
}

/* Wide lanes pay for packets of 350 bytes, but not where their outputs begin in one or two sets of the first
 * cache, in whatever order the slots are taken. Shorter packets do not care. */
static void crowded_slots(void **unused)
{
    static const struct aead_burst_rung shy_rungs[] = {{300, {61, 118, 229}, 0}, {350, {61, 118, 229}, 0}};
    static const struct aead_burst_ladder shy = {&kernels, shy_rungs, 350, 0};
    static _Alignas(4096) uint8_t slots[32][4096];
    static const struct {
        size_t len, stride, offset;
        unsigned runs[5];
    } cases[] = {
        {350, 2048, 0, {8, 8, 8, 8}}, {350, 4096, 0, {8, 8, 8, 8}}, {350, 2048, 45, {8, 8, 8, 8}},
        {350, 1024, 0, {32}},         {350, 1472, 0, {32}},         {300, 2048, 0, {32}},
    };

    (void)unused;
    ((struct aead_key *)&keys[0])->burst = &shy;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        size_t n = 0, call = 0;

        add_many(&n, 32, cases[c].len);
        for (size_t i = 0; i < 32; i++)
            jobs[i].out = slots[0] + cases[c].offset + cases[c].stride * ((7 * i + c) % 32);
        run(n);
        for (size_t r = 0; r < 5 && cases[c].runs[r] != 0; r++)
            expect(&call, cases[c].runs[r], cases[c].len);
        assert_int_equal(call, n_calls);
    }
    ((struct aead_key *)&keys[0])->burst = &ladder;
}

/* Packets of several shapes in turns find each other, and those of one length with another AAD do not. */
static void shapes_in_turns(void **unused)
{
    size_t n = 0, call = 0;

    (void)unused;
    for (int i = 0; i < 33; i++) {
        add(&n, 40, 16);
        add(&n, 50, 16);
        add(&n, 40, 17);
    }
    run(n);
    expect(&call, 32, 40);
    expect(&call, 32, 50);
    expect(&call, 32, 40);
    assert_int_equal(calls[0].aad_len, 16);
    assert_int_equal(calls[2].aad_len, 17);
    assert_int_equal(call, n_calls);
}

/* The shape that was met longest ago makes room. */
static void more_shapes_than_wait(void **unused)
{
    size_t n = 0, call = 0;

    (void)unused;
    add_many(&n, 3, 1);
    for (size_t len = 2; len <= 8; len++)
        add_many(&n, 3, len);
    add_many(&n, 1, 1);  /* met again */
    add_many(&n, 3, 9);  /* the ninth: in place of 2 */
    add_many(&n, 3, 10); /* in place of 3 */
    add_many(&n, 1, 1);
    run(n);
    expect(&call, 3, 2);
    expect(&call, 3, 3);
    for (size_t len = 10; len >= 4; len--)
        expect(&call, 3, len);
    expect(&call, 5, 1);
    assert_int_equal(call, n_calls);
}

/* What is too little of its shape runs together with others where the packets save more than a group costs,
 * the longest first, and waits for its own kind alone where there is no other. */
static void mixed_groups(void **unused)
{
    static const struct aead_burst_kernels mixing = {.name = "mixing",
                                                     .seal_alike = seal_and_note,
                                                     .open_alike = open_and_note,
                                                     .alike_stack = 1024,
                                                     .seal_mixed = seal_mixed_and_note,
                                                     .open_mixed = open_mixed_and_note,
                                                     .mixed_max = 16,
                                                     .mixed_stack = 1024};
    static const struct aead_burst_rung mixing_rungs[] = {{100, {29, 39, 59}, 100},
                                                          {200, {75, 160, 330}, 70}};
    static const struct aead_burst_ladder mixing_ladder = {&mixing, mixing_rungs, 200, 300};
    static const struct {
        unsigned shorts, longs, different, mixed[3];
    } cases[] = {
        {2, 3, 0, {5}}, {2, 2, 0, {0}}, {2, 7, 0, {9}}, {0, 0, 16, {16}}, {0, 0, 17, {16, 1}},
    };

    (void)unused;
    ((struct aead_key *)&keys[0])->burst = &mixing_ladder;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        size_t n = 0, call = 0;

        add_many(&n, cases[c].shorts, 64);
        add_many(&n, cases[c].longs, 200);
        for (unsigned i = 0; i < cases[c].different; i++)
            add(&n, 7 * i % 17, 16 + i % 2);
        run(n);
        for (; call < 3 && cases[c].mixed[call] != 0; call++) {
            assert_true(call < n_calls && calls[call].mixed);
            assert_int_equal(calls[call].n, cases[c].mixed[call]);
        }
        assert_int_equal(call, n_calls);
        for (size_t i = 0; i < n; i++)
            jobs[i].in = jobs[i].out;
        job_tags[n / 2][0] ^= 1;
        assert_int_equal(sealane_open_burst(jobs, n), n - 1);
        assert_int_equal(jobs[n / 2].status, SEALANE_EFORGED);
    }
    ((struct aead_key *)&keys[0])->burst = &ladder;
}

/* Lanes are told when all have one key. */
static void keys_in_turns(void **unused)
{
    size_t n = 0;

    (void)unused;
    add_many(&n, 64, 64);
    for (size_t i = 32; i < 64; i++)
        jobs[i].key = &keys[i % 3];
    run(n);
    assert_int_equal(n_calls, 2);
    assert_true(calls[0].one_key);
    assert_false(calls[1].one_key);
}

/* Every key's packets run on the kernels of its own level. */
static void levels_in_turns(void **unused)
{
    size_t n = 0;

    (void)unused;
    ((struct aead_key *)&keys[1])->burst = &second_ladder;
    add_many(&n, 60, 64);
    for (size_t i = 20; i < 40; i++)
        jobs[i].key = &keys[1];
    run(n);
    assert_int_equal(n_calls, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(calls[i].n, 20);
        assert_int_equal(calls[i].second, i == 1);
    }
    ((struct aead_key *)&keys[1])->burst = &ladder;
}

/* Every forged packet of a run is found, and no other. */
static void forged(void **unused)
{
    size_t n = 0;

    (void)unused;
    add_many(&n, 40, 64);
    run(n);
    for (size_t i = 0; i < n; i++)
        jobs[i].in = jobs[i].out;
    job_tags[3][0] ^= 1;
    job_tags[31][15] ^= 0x80;
    job_tags[39][8] ^= 4;
    n_opened = 0;
    assert_int_equal(sealane_open_burst(jobs, n), n - 3);
    assert_int_equal(n_opened, n);
    for (size_t i = 0; i < n; i++) {
        static const uint8_t zeros[64];
        const int is_forged = i == 3 || i == 31 || i == 39;

        assert_int_equal(jobs[i].status, is_forged ? SEALANE_EFORGED : SEALANE_OK);
        assert_memory_equal(out[i], is_forged ? zeros : in[i], 64);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_decide),         cmocka_unit_test(shapes_in_turns),
        cmocka_unit_test(more_shapes_than_wait), cmocka_unit_test(keys_in_turns),
        cmocka_unit_test(levels_in_turns),       cmocka_unit_test(forged),
        cmocka_unit_test(crowded_slots),         cmocka_unit_test(mixed_groups),
    };

    make_keys();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
