/* test_jobs.c: sealane_seal_burst and sealane_open_burst as their users see them: every job has the status
 * and the bytes that the single call gives, whatever its neighbours are; the count; what a burst leaves
 * alone. */
#include "hex.h"
#include "level.h"
#include "rng.h"

#include <string.h>

#include <sys/mman.h>

#include <sealane/aead.h>

#define MAX_JOBS 70
#define ROOM 512 /* bytes of one job: AAD at 0, input at 32, output at 200, tag at 400 */
#define MAX_LEN 150

enum ail {
    GOOD,
    NO_KEY,
    WIPED_KEY,
    NO_TAG,
    NO_INPUT,
    SHIFTED,
    TAG_IN_TEXT,
    AAD_IN_TEXT,
    OVER_LONG,
    FORGED,
    EMPTY,
    IN_PLACE,
    N_AILS
};

static struct {
    uint8_t bytes[MAX_JOBS][ROOM], single[MAX_JOBS][ROOM];
    struct sealane_job jobs[MAX_JOBS];
    enum ail ails[MAX_JOBS];
} b;

static struct sealane_key keys[3], wiped_key;

/* A job over the job's own bytes. */
static struct sealane_job job_over(uint8_t *room, size_t len, const struct sealane_key *key, struct rng *rng)
{
    struct sealane_job j = {.key = key,
                            .aad = room,
                            .in = room + 32,
                            .out = room + 200,
                            .tag = room + 400,
                            .aad_len = rng_below(rng, 32),
                            .len = len,
                            .user = room,
                            .status = 77};

    rng_fill(rng, j.nonce, sizeof j.nonce);
    return j;
}

static void make_ill(struct sealane_job *j, uint8_t *room, enum ail ail)
{
    switch (ail) {
    case NO_KEY:
        j->key = NULL;
        break;
    case WIPED_KEY:
        j->key = &wiped_key;
        break;
    case NO_TAG:
        j->tag = NULL;
        break;
    case NO_INPUT:
        j->in = NULL;
        j->len = j->len != 0 ? j->len : 1;
        break;
    case SHIFTED:
        j->out = room + 33;
        j->len = 20;
        break;
    case TAG_IN_TEXT:
        j->tag = room + 200;
        j->len = 20;
        break;
    case AAD_IN_TEXT:
        j->aad = room + 200;
        j->aad_len = 16;
        j->len = 20;
        break;
    case OVER_LONG:
        j->len = SIZE_MAX;
        j->out = room + 32;
        break;
    case EMPTY:
        j->in = NULL;
        j->out = NULL;
        j->len = 0;
        break;
    case IN_PLACE:
        j->out = room + 32;
        break;
    default:
        break;
    }
}

static int status_of(enum ail ail, int opening)
{
    switch (ail) {
    case NO_KEY:
    case WIPED_KEY:
    case NO_TAG:
    case NO_INPUT:
        return SEALANE_EINVAL;
    case SHIFTED:
    case TAG_IN_TEXT:
    case AAD_IN_TEXT:
        return SEALANE_EOVERLAP;
    case OVER_LONG: /* where size_t is narrow the span wraps around memory instead */
        return SIZE_MAX > UINT32_MAX ? SEALANE_ELENGTH : SEALANE_EOVERLAP;
    case FORGED:
        return opening ? SEALANE_EFORGED : SEALANE_OK;
    default:
        return SEALANE_OK;
    }
}

/* The same job in the bytes of the single calls. */
static struct sealane_job moved(const struct sealane_job *j, size_t i)
{
    struct sealane_job s = *j;

#define MOVE(p) ((p) == NULL ? NULL : b.single[i] + ((p)-b.bytes[i]))
    s.aad = MOVE(j->aad);
    s.in = MOVE(j->in);
    s.out = MOVE(j->out);
    s.tag = MOVE(j->tag);
#undef MOVE
    return s;
}

static int single(const struct sealane_job *s, int opening)
{
    return opening ? sealane_open(s->key, s->nonce, s->aad, s->aad_len, s->in, s->len, s->tag, s->out)
                   : sealane_seal(s->key, s->nonce, s->aad, s->aad_len, s->in, s->len, s->out, s->tag);
}

/* Turns a sealed job into one that opens it: the ciphertext moves to the input. */
static void turn_around(struct sealane_job *j, uint8_t *room, enum ail ail)
{
    if (ail != GOOD && ail != FORGED)
        return;
    memcpy(room + 32, room + 200, MAX_LEN);
    memset(room + 200, 0xee, MAX_LEN);
    if (ail == FORGED)
        room[400 + j->nonce[0] % 16] ^= 0x10;
}

static void check_burst(size_t n, int opening)
{
    struct sealane_job before[MAX_JOBS];
    size_t good = 0, expected = 0;

    memcpy(b.single, b.bytes, sizeof b.single);
    memcpy(before, b.jobs, sizeof before);
    good = opening ? sealane_open_burst(b.jobs, n) : sealane_seal_burst(b.jobs, n);
    for (size_t i = 0; i < n; i++) {
        struct sealane_job s = moved(&before[i], i);

        assert_int_equal(b.jobs[i].status, status_of(b.ails[i], opening));
        assert_int_equal(single(&s, opening), b.jobs[i].status);
        expected += b.jobs[i].status == 0;
        before[i].status = b.jobs[i].status; /* nothing else of a job changes */
        assert_memory_equal(&b.jobs[i], &before[i], sizeof before[i]);
    }
    assert_int_equal(good, expected);
    assert_memory_equal(b.bytes, b.single, sizeof b.bytes);
}

static void make_keys(struct rng *rng)
{
    uint8_t raw[32];

    for (int i = 0; i < 3; i++) {
        rng_fill(rng, raw, sizeof raw);
        assert_int_equal(sealane_key_init(&keys[i], raw), 0);
    }
    assert_int_equal(sealane_key_init(&wiped_key, raw), 0);
    sealane_key_wipe(&wiped_key);
}

/* n jobs; one in ill_one_in has something wrong with it; lengths up to max_len. */
static void one_round(struct rng *rng, size_t n, size_t ill_one_in, size_t max_len)
{
    rng_fill(rng, b.bytes, sizeof b.bytes);
    for (size_t i = 0; i < n; i++) {
        b.ails[i] = rng_below(rng, ill_one_in) == 0 ? (enum ail)rng_below(rng, N_AILS) : GOOD;
        b.jobs[i] = job_over(b.bytes[i], rng_below(rng, max_len + 1), &keys[rng_below(rng, 3)], rng);
        make_ill(&b.jobs[i], b.bytes[i], b.ails[i]);
    }
    check_burst(n, 0);
    for (size_t i = 0; i < n; i++)
        turn_around(&b.jobs[i], b.bytes[i], b.ails[i]);
    check_burst(n, 1);
}

static void statuses_and_counts(void **unused)
{
    struct rng rng = {1};

    (void)unused;
    make_keys(&rng);
    for (int trial = 0; trial < 3000; trial++)
        one_round(&rng, rng_below(&rng, MAX_JOBS + 1), 1 + rng_below(&rng, 12),
                  rng_below(&rng, 2) ? MAX_LEN : 0);
}

/* Each ail at each place of a burst of otherwise good jobs, which are longer than most ill ones or have the
 * lengths of most of them and lie alike. */
static void one_ill_job(void **unused)
{
    struct rng rng = {2};

    (void)unused;
    make_keys(&rng);
    for (int ail = 0; ail < 2 * N_AILS; ail++) {
        for (size_t at = 0; at < 33; at++) {
            rng_fill(&rng, b.bytes, sizeof b.bytes);
            for (size_t i = 0; i < 33; i++) {
                b.ails[i] = i == at ? (enum ail)(ail / 2) : GOOD;
                b.jobs[i] = job_over(b.bytes[i], ail % 2 ? 20 : 100, &keys[0], &rng);
                if (ail % 2)
                    b.jobs[i].aad_len = 16;
                make_ill(&b.jobs[i], b.bytes[i], b.ails[i]);
            }
            check_burst(33, 0);
            for (size_t i = 0; i < 33; i++)
                turn_around(&b.jobs[i], b.bytes[i], b.ails[i]);
            check_burst(33, 1);
        }
    }
}

/* One of the buffers is NULL, and its tag lies behind it like the others'. */
static void one_buffer_missing(void **unused)
{
    struct rng rng = {4};

    (void)unused;
    make_keys(&rng);
    for (size_t at = 0; at < 33; at++) {
        for (size_t i = 0; i < 33; i++) {
            uint8_t *buffer = i == at ? NULL : b.bytes[i];

            b.jobs[i] = job_over(b.bytes[i], 20, &keys[0], &rng);
            b.jobs[i].aad_len = 0;
            b.jobs[i].in = b.jobs[i].out = buffer;
            b.jobs[i].tag = (uint8_t *)((uintptr_t)buffer + 20);
        }
        assert_int_equal(sealane_seal_burst(b.jobs, 33), 32);
        for (size_t i = 0; i < 33; i++)
            assert_int_equal(b.jobs[i].status, i == at ? SEALANE_EINVAL : SEALANE_OK);
    }
}

/* Memory at that address, or NULL. */
static uint8_t *at_address(uintptr_t address, size_t len)
{
    void *memory = mmap((void *)address, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == (void *)address)
        return memory;
    if (memory != MAP_FAILED)
        munmap(memory, len);
    return NULL;
}

/* Where `out` of one job lies as far from nothing as another's from its input, a missing input lies like it.
 */
static void missing_input_like_another(void **unused)
{
    enum { N = 33, LEN = 64, SLOT = 128 };
    const uintptr_t distance = (uintptr_t)1 << 30;
    struct rng rng = {5};
    uint8_t *near = at_address(distance, N * SLOT), *far = at_address(2 * distance, N * SLOT);

    (void)unused;
    if (near == NULL || far == NULL) {
        print_message("skipped: the addresses are taken\n");
        skip();
    }
    make_keys(&rng);
    for (size_t i = 0; i < N; i++) {
        const int missing = i == N - 1;

        b.jobs[i] = job_over(b.bytes[i], LEN, &keys[0], &rng);
        b.jobs[i].aad_len = 0;
        b.jobs[i].in = missing ? NULL : near + i * SLOT;
        b.jobs[i].out = missing ? near : far + i * SLOT;
        b.jobs[i].tag = b.jobs[i].out + LEN;
    }
    assert_int_equal(sealane_seal_burst(b.jobs, N), N - 1);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(b.jobs[i].status, i == N - 1 ? SEALANE_EINVAL : SEALANE_OK);
    assert_int_equal(munmap(near, N * SLOT), 0);
    assert_int_equal(munmap(far, N * SLOT), 0);
}

static void empty_bursts(void **unused)
{
    struct sealane_job j;

    (void)unused;
    memset(&j, 0x55, sizeof j);
    assert_int_equal(sealane_seal_burst(&j, 0), 0);
    assert_int_equal(sealane_open_burst(&j, 0), 0);
    assert_int_equal(j.status, 0x55555555);
    assert_int_equal(sealane_seal_burst(NULL, 0), 0);
    assert_int_equal(sealane_open_burst(NULL, 0), 0);
}

/* Jobs may read the same spans: one plaintext to many peers. */
static void shared_input(void **unused)
{
    struct rng rng = {3};
    uint8_t text[MAX_LEN], aad[16];

    (void)unused;
    make_keys(&rng);
    rng_fill(&rng, text, sizeof text);
    rng_fill(&rng, aad, sizeof aad);
    for (size_t i = 0; i < MAX_JOBS; i++) {
        b.jobs[i] = job_over(b.bytes[i], sizeof text, &keys[i % 3], &rng);
        b.jobs[i].in = text;
        b.jobs[i].aad = aad;
        b.jobs[i].aad_len = sizeof aad;
    }
    assert_int_equal(sealane_seal_burst(b.jobs, MAX_JOBS), MAX_JOBS);
    for (size_t i = 0; i < MAX_JOBS; i++) {
        uint8_t out[MAX_LEN], tag[16];

        assert_int_equal(
            sealane_seal(&keys[i % 3], b.jobs[i].nonce, aad, sizeof aad, text, sizeof text, out, tag), 0);
        assert_memory_equal(b.bytes[i] + 200, out, sizeof out);
        assert_memory_equal(b.bytes[i] + 400, tag, 16);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_and_counts), cmocka_unit_test(one_ill_job),
        cmocka_unit_test(one_buffer_missing),  cmocka_unit_test(missing_input_like_another),
        cmocka_unit_test(empty_bursts),        cmocka_unit_test(shared_input),
    };

    level_from_environment();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
