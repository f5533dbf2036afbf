/* test_burst.c: a burst equals the same jobs one at a time, whatever is mixed in it, at every level of
 * kernels.
 *
 * Two arenas hold the same bytes. The burst works in one; the other is worked on job by job under a key of
 * the portable level. In the end they are compared whole, so that a byte written beside an output is found
 * too. */
#include "level.h"
#include "rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sealane/sealane.h>

#define MAX_JOBS 1024
#define MAX_KEYS 40
#define ARENA ((size_t)3 << 20)

static uint8_t *arena[2]; /* 0: the burst's, 1: the reference's */
static uint8_t raw_keys[MAX_KEYS][32];
static struct sealane_key keys[2][MAX_KEYS];
static struct sealane_job jobs[2][MAX_JOBS];
static struct rng rng = {20260101};

static uint32_t rnd(uint32_t below)
{
    return (uint32_t)rng_below(&rng, below);
}

/* ---- what is in a burst */

static size_t length_equal(size_t i)
{
    static size_t common;

    if (i == 0)
        common = rnd(700);
    return common;
}

static size_t length_tiny(size_t i)
{
    (void)i;
    return rnd(3) == 0 ? 0 : rnd(70);
}

static size_t length_imix(size_t i)
{
    static const uint16_t imix[12] = {64, 64, 64, 64, 64, 64, 64, 576, 576, 576, 576, 1420};

    (void)i;
    return imix[rnd(12)];
}

static size_t length_any(size_t i)
{
    (void)i;
    return rnd(8) == 0 ? rnd(9000) : rnd(1600);
}

static size_t length_blocks(size_t i)
{
    (void)i;
    return 64 * rnd(9) + rnd(3) * 16;
}

/* Some are longer than any group takes. */
static size_t length_huge(size_t i)
{
    return i % 7 == 3 ? 30000 + rnd(30000) : rnd(200);
}

/* A few shapes, again and again: fewer than a burst waits for at once, and more. */
static size_t n_shapes;

static size_t length_shapes(size_t i)
{
    static size_t shapes[24];

    if (i == 0) {
        n_shapes = 1 + rnd(rnd(2) == 0 ? 4 : 24);
        for (size_t s = 0; s < n_shapes; s++)
            shapes[s] = rnd(4) == 0 ? rnd(2100) : rnd(2) == 0 ? rnd(70) : rnd(600);
    }
    return shapes[rnd((uint32_t)n_shapes)];
}

typedef size_t length_of(size_t i);
static length_of *const lengths[] = {length_equal,  length_tiny, length_imix,  length_any,
                                     length_blocks, length_huge, length_shapes};

enum place { DENSE, SLOTS_2048, ODD, PLACES };

struct mix {
    size_t n;
    length_of *length;
    enum place place;
    uint32_t n_keys;
    enum { AAD_16, AAD_BY_LENGTH, AAD_ANY, AADS } aad;
};

static size_t aad_for(const struct mix *mix, size_t len)
{
    if (mix->aad == AAD_ANY)
        return rnd(5) == 0 ? rnd(150) : rnd(33);
    return mix->aad == AAD_16 ? 16 : len % 90;
}

/* The next len bytes of the arena, placed as the mix wants it. */
static size_t take(size_t *used, size_t len, enum place place)
{
    size_t at = *used;

    if (place == SLOTS_2048)
        at = (at + 2047) / 2048 * 2048;
    else if (place == ODD)
        at += 1 + rnd(97);
    *used = at + len;
    return at;
}

/* Fills jobs[0] and jobs[1] with the same burst, over their arenas. Returns the number of jobs that fit. */
static size_t make_burst(const struct mix *mix)
{
    size_t used = 0, n;

    for (n = 0; n < mix->n; n++) {
        size_t len = mix->length(n), aad_len = aad_for(mix, len);
        size_t in, out, aad, tag;
        uint32_t key = rnd(mix->n_keys);
        uint8_t nonce[12];

        if (used + 2 * len + aad_len + 16 + 4 * 2048 > ARENA)
            break;
        in = take(&used, len, mix->place);
        out = rnd(2) == 0 ? in : take(&used, len, mix->place);
        tag = take(&used, 16, mix->place == SLOTS_2048 ? DENSE : mix->place);
        aad = take(&used, aad_len, mix->place == SLOTS_2048 ? DENSE : mix->place);
        rng_fill(&rng, nonce, sizeof nonce);
        for (int side = 0; side < 2; side++) {
            struct sealane_job *j = &jobs[side][n];

            *j = (struct sealane_job){&keys[side][key],
                                      arena[side] + aad,
                                      arena[side] + in,
                                      arena[side] + out,
                                      arena[side] + tag,
                                      aad_len,
                                      len,
                                      j,
                                      77,
                                      {0}};
            memcpy(j->nonce, nonce, 12);
            if (len == 0 && rnd(2) == 0)
                j->in = j->out = NULL;
            if (aad_len == 0)
                j->aad = NULL;
        }
    }
    return n;
}

/* ---- the comparison */

static void seal_one_by_one(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct sealane_job *j = &jobs[1][i];

        j->status = sealane_seal(j->key, j->nonce, j->aad, j->aad_len, j->in, j->len, j->out, j->tag);
    }
}

static void open_one_by_one(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct sealane_job *j = &jobs[1][i];

        j->status = sealane_open(j->key, j->nonce, j->aad, j->aad_len, j->in, j->len, j->tag, j->out);
    }
}

static void assert_same(size_t n, size_t good)
{
    size_t want = 0;

    for (size_t i = 0; i < n; i++) {
        assert_int_equal(jobs[0][i].status, jobs[1][i].status);
        assert_ptr_equal(jobs[0][i].user, &jobs[0][i]);
        want += jobs[1][i].status == SEALANE_OK;
    }
    assert_int_equal(good, want);
    assert_int_equal(memcmp(arena[0], arena[1], ARENA), 0);
}

/* What was sealed becomes the input of an open, in place. */
static void turn_round(size_t n)
{
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < n; i++)
            jobs[side][i].in = jobs[side][i].out;
}

/* Changes one bit of tag, ciphertext, AAD or nonce of job i. */
static void forge(size_t i)
{
    uint32_t what = rnd(4), bit = rnd(8), where = rnd(16);

    for (int side = 0; side < 2; side++) {
        struct sealane_job *j = &jobs[side][i];
        uint8_t flip = (uint8_t)(1u << bit);

        if (what == 0 && j->len != 0)
            j->out[where * (j->len - 1) / 15] ^= flip;
        else if (what == 1 && j->aad_len != 0)
            arena[side][(size_t)(j->aad - arena[side]) + where * (j->aad_len - 1) / 15] ^= flip;
        else if (what == 2)
            j->nonce[where % 12] ^= flip;
        else
            j->tag[where] ^= flip;
    }
}

static void try_mix(const struct mix *mix, uint32_t forged_of_8)
{
    size_t n = make_burst(mix);

    seal_one_by_one(n);
    assert_same(n, sealane_seal_burst(jobs[0], n));
    turn_round(n);
    for (size_t i = 0; i < n; i++)
        if (rnd(8) < forged_of_8)
            forge(i);
    open_one_by_one(n);
    assert_same(n, sealane_open_burst(jobs[0], n));
}

/* The burst's keys are of the level that the program was called for. */
static void make_keys(void)
{
    uint32_t mask = sealane_cpu_used();

    for (int i = 0; i < MAX_KEYS; i++) {
        int made;

        rng_fill(&rng, raw_keys[i], sizeof raw_keys[i]);
        sealane_cpu_use(mask);
        made = sealane_key_init(&keys[0][i], raw_keys[i]);
        sealane_cpu_use(SEALANE_LEVEL_PORTABLE);
        if (made != SEALANE_OK || sealane_key_init(&keys[1][i], raw_keys[i]) != SEALANE_OK)
            abort();
    }
    sealane_cpu_use(mask);
}

/* ---- the tests */

static void mixes(void **unused)
{
    static const uint16_t sizes[] = {1,  2,  3,  4,  5,  7,  8,  9,  15,  16, 17,
                                     24, 31, 32, 33, 40, 63, 64, 65, 100, 250};
    static const uint8_t n_keys[] = {1, 1, 2, MAX_KEYS};

    (void)unused;
    for (uint32_t round = 0; round < 280; round++) {
        struct mix mix = {sizes[rnd(sizeof sizes / sizeof *sizes)], lengths[round % 7],
                          (enum place)(rnd(PLACES)), n_keys[rnd(4)], rnd(AADS)};

        try_mix(&mix, rnd(4) == 0 ? rnd(9) : 0);
    }
}

static void thousand_packets(void **unused)
{
    struct mix mix = {MAX_JOBS, length_imix, ODD, MAX_KEYS, AAD_ANY};

    (void)unused;
    try_mix(&mix, 1);
}

static size_t next_length;

static size_t length_next(size_t i)
{
    (void)i;
    return next_length;
}

/* Every length around the ends of blocks and columns, with every AAD length that moves them. */
static void every_length(void **unused)
{
    (void)unused;
    for (next_length = 0; next_length <= 330; next_length++) {
        struct mix mix = {9, length_next, DENSE, 1, next_length % 2 ? AAD_16 : AAD_ANY};

        try_mix(&mix, 1);
    }
}

/* One forged packet at each position of a burst is zeroed, alone. */
static void try_one_forged(const struct mix *mix)
{
    for (size_t bad = 0; bad < mix->n; bad++) {
        size_t n = make_burst(mix);

        seal_one_by_one(n);
        assert_int_equal(sealane_seal_burst(jobs[0], n), n);
        turn_round(n);
        forge(bad);
        open_one_by_one(n);
        assert_same(n, sealane_open_burst(jobs[0], n));
        for (size_t i = 0; i < n; i++)
            assert_int_equal(jobs[0][i].status, i == bad ? SEALANE_EFORGED : SEALANE_OK);
    }
}

static void one_forged(void **unused)
{
    static const struct mix mixes[] = {{35, length_any, DENSE, 1, AAD_16},
                                       {45, length_shapes, ODD, 3, AAD_BY_LENGTH}};
    static const uint8_t sizes[] = {8, 13, 21, 32, 43};
    static const uint16_t lens[] = {1, 64, 200, 576, 1420};

    (void)unused;
    for (size_t m = 0; m < sizeof mixes / sizeof *mixes; m++)
        try_one_forged(&mixes[m]);
    for (size_t s = 0; s < sizeof sizes; s++) { /* all of one shape */
        next_length = lens[s];
        try_one_forged(&(struct mix){sizes[s], length_next, DENSE, 2, AAD_16});
    }
}

/* Keys of every level in one burst, in any order: each level has its kernels and its clean-up. */
static void levels_in_one_burst(void **unused)
{
    struct sealane_key own[MAX_KEYS];
    uint32_t mask = sealane_cpu_used();

    (void)unused;
    memcpy(own, keys[0], sizeof own);
    for (uint32_t round = 0; round < 24; round++) {
        struct mix mix = {100, round % 2 ? length_shapes : length_tiny, DENSE, MAX_KEYS, AAD_BY_LENGTH};

        for (size_t i = 0; i < MAX_KEYS; i++) {
            sealane_cpu_use(levels[round < 12 ? (i + round) % N_LEVELS : rnd(N_LEVELS)].mask & mask);
            assert_int_equal(sealane_key_init(&keys[0][i], raw_keys[i]), SEALANE_OK);
        }
        try_mix(&mix, round % 3);
    }
    sealane_cpu_use(mask);
    memcpy(keys[0], own, sizeof own);
}

/* Jobs that are refused leave their spans alone and cost the others nothing. */
static void refused_jobs(void **unused)
{
    struct mix mix = {40, length_any, ODD, 2, AAD_ANY};
    struct sealane_key wiped = {{0}};
    size_t n = make_burst(&mix);

    (void)unused;
    for (int side = 0; side < 2; side++) {
        jobs[side][3].key = NULL;
        jobs[side][5].key = &wiped;
        jobs[side][8].tag = NULL;
        jobs[side][9].len = jobs[side][9].len + 1;
        jobs[side][9].in = jobs[side][9].out + 1;
        jobs[side][31].in = NULL;
        jobs[side][31].len = 100;
        jobs[side][32].aad = NULL;
        jobs[side][32].aad_len = 1;
        jobs[side][39].tag = jobs[side][39].out;
        jobs[side][39].len = 17;
    }
    seal_one_by_one(n);
    assert_same(n, sealane_seal_burst(jobs[0], n));
    assert_int_equal(jobs[0][3].status, SEALANE_EINVAL);
    assert_int_equal(jobs[0][5].status, SEALANE_EINVAL);
    assert_int_equal(jobs[0][8].status, SEALANE_EINVAL);
    assert_int_equal(jobs[0][9].status, SEALANE_EOVERLAP);
    assert_int_equal(jobs[0][31].status, SEALANE_EINVAL);
    assert_int_equal(jobs[0][32].status, SEALANE_EINVAL);
    assert_int_equal(jobs[0][39].status, SEALANE_EOVERLAP);
}

/* Ailments of a job of 100 bytes in a slot of 2048, tag and AAD behind it: each NULL, and each pair of spans.
 * Nothing of such a job is written. */
static int make_ill(struct sealane_job *j, unsigned what)
{
    uint8_t *aad_end = (uint8_t *)(uintptr_t)j->aad + 15;

    switch (what) {
    case 0:
        j->key = NULL;
        return SEALANE_EINVAL;
    case 1:
        j->in = NULL;
        return SEALANE_EINVAL;
    case 2:
        j->out = NULL;
        return SEALANE_EINVAL;
    case 3:
        j->aad = NULL;
        return SEALANE_EINVAL;
    case 4:
        j->tag = NULL;
        return SEALANE_EINVAL;
    case 5:
        j->tag = j->out + 1500;
        j->in = j->out + 10;
        return SEALANE_EOVERLAP;
    case 6:
        j->out = aad_end;
        j->in = aad_end;
        return SEALANE_EOVERLAP;
    case 7:
        j->in = aad_end;
        return SEALANE_EOVERLAP;
    case 8:
        j->in = j->out;
        j->tag = j->out + 99;
        return SEALANE_EOVERLAP;
    case 9:
        j->in = j->out + 1000;
        j->tag = j->out + 1099;
        return SEALANE_EOVERLAP;
    default:
        j->tag = aad_end;
        return SEALANE_EOVERLAP;
    }
}

/* Between the jobs of a shape, at every distance from its first. */
static void refused_jobs_of_a_shape(void **unused)
{
    struct mix mix = {40, length_next, SLOTS_2048, 1, AAD_16};

    (void)unused;
    next_length = 100;
    for (size_t bad = 0; bad < 34; bad++)
        for (unsigned what = 0; what <= 10; what++) {
            size_t n = make_burst(&mix);
            int want = 0;

            for (int side = 0; side < 2; side++)
                for (size_t i = bad; i < n; i += 7)
                    want = make_ill(&jobs[side][i], what);
            seal_one_by_one(n);
            assert_same(n, sealane_seal_burst(jobs[0], n));
            assert_int_equal(jobs[0][bad].status, want);
        }
}

static void no_jobs(void **unused)
{
    (void)unused;
    assert_int_equal(sealane_seal_burst(NULL, 0), 0);
    assert_int_equal(sealane_open_burst(NULL, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_jobs),
        cmocka_unit_test(mixes),
        cmocka_unit_test(thousand_packets),
        cmocka_unit_test(every_length),
        cmocka_unit_test(one_forged),
        cmocka_unit_test(refused_jobs),
        cmocka_unit_test(levels_in_one_burst),
        cmocka_unit_test(refused_jobs_of_a_shape),
    };
    int failed;

    level_from_environment();
    for (int side = 0; side < 2; side++)
        arena[side] = malloc(ARENA);
    if (arena[0] == NULL || arena[1] == NULL)
        return 1;
    rng_fill(&rng, arena[0], ARENA);
    memcpy(arena[1], arena[0], ARENA);
    make_keys();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int side = 0; side < 2; side++)
        free(arena[side]);
    return failed;
}
