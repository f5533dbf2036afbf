/* check_burst.c: the burst kernels (contract: aead_burst_kernels.h), against the portable code, lane by lane.
 * Whole bursts are test_burst.c's. */
#include "checkkernel.h"

#include <string.h>

#include "aead_burst_kernels.h"
#include "aead_burst_macs.h"
#include "chacha_kernels.h"
#include "guard.h"
#include "level.h"
#include "poly1305_kernels.h"
#include "rng.h"

#define TEXT 700 /* the longest text of a MAC here */

static void collect(struct kernel_list *list)
{
    for (size_t i = 0; i < N_LEVELS; i++) {
        const struct aead_burst_kernels *k = aead_burst_ladder_for(levels[i].mask)->kernels;

        if (k != NULL && level_found(&levels[i]))
            kernel_add(list, &(struct kernel){k->name, k, (any_function *)k->sweep, 0, SIZE_MAX, 1});
    }
}

static struct rng rng;
static struct aead_sweep sweep;
static struct guard rows, tail_in, tail_out;

/* Lanes with keys, numbers and nonces of their own, in and out in rows of 64 bytes. */
static void prepare_sweep(uint64_t seed)
{
    rng = (struct rng){seed};
    if (rows.begin == NULL) {
        rows = guard_new(2 * sizeof sweep.spare);
        tail_in = guard_new(64);
        tail_out = guard_new(64);
    }
    memset(&sweep, 0, sizeof sweep);
    rng_fill(&rng, sweep.words, sizeof sweep.words);
    rng_fill(&rng, rows.begin, (size_t)(rows.end - rows.begin));
    for (size_t i = 0; i < AEAD_SWEEP_LANES; i++) {
        sweep.in[i] = rows.begin + 64 * i;
        sweep.out[i] = rows.end - 64 * (i + 1);
    }
}

/* What the lane makes of 64 bytes. */
static void expect_block(uint8_t out[64], const uint8_t in[64], size_t lane)
{
    static const uint32_t sigma[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    uint32_t state[16];

    memcpy(state, sigma, sizeof sigma);
    for (size_t w = 0; w < 12; w++)
        state[4 + w] = sweep.words[w][lane];
    chacha_xor_portable(out, in, 64, state, 20);
}

static void run_sweep(const struct kernel *k, unsigned n)
{
    const uint64_t args[6] = {ARG(&sweep), n, 0, 0, 0, 0};

    call_checked(k->name, k->run, args);
}

/* Every number of lanes, apart and in place; rows behind the last lane stay as they were. */
static void lanes(void **state)
{
    const struct kernel *k = *state;
    const struct aead_burst_kernels *burst = k->rung;
    static uint8_t expected[AEAD_SWEEP_LANES][64];

    for (unsigned n = burst->sweep_lanes; n <= AEAD_SWEEP_LANES; n += burst->sweep_lanes)
        for (int in_place = 0; in_place < 2; in_place++) {
            prepare_sweep(n);
            for (size_t i = 0; i < AEAD_SWEEP_LANES; i++) {
                if (in_place)
                    sweep.in[i] = sweep.out[i];
                if (i < n)
                    expect_block(expected[i], sweep.in[i], i);
                else
                    memcpy(expected[i], sweep.out[i], 64);
            }
            run_sweep(k, n);
            for (size_t i = 0; i < AEAD_SWEEP_LANES; i++)
                assert_memory_equal(sweep.out[i], expected[i], 64);
        }
}

/* A tail of every length in every lane, between unmapped pages. */
static void tails(void **state)
{
    const struct kernel *k = *state;
    uint8_t text[64] = {0}, expected[64];

    for (unsigned lane = 0; lane < AEAD_SWEEP_LANES; lane++)
        for (size_t len = 1; len < 64; len++)
            for (int edge = 0; edge < 4; edge++) {
                uint8_t *in, *out;

                prepare_sweep(len);
                in = guard_edge(tail_in, len, edge & 1);
                out = guard_edge(tail_out, len, edge >> 1);
                sweep.tails = UINT32_C(1) << lane;
                sweep.tail_len[lane] = (uint8_t)len;
                sweep.tail_in[lane] = in;
                sweep.tail_out[lane] = out;
                sweep.in[lane] = sweep.out[lane] = sweep.spare[lane];
                rng_fill(&rng, text, len);
                memset(tail_out.begin, 0xa5, (size_t)(tail_out.end - tail_out.begin));
                memcpy(in, text, len);
                expect_block(expected, text, lane);
                run_sweep(k, AEAD_SWEEP_LANES);
                assert_memory_equal(out, expected, len);
                assert_int_equal((edge >> 1) != 0 ? out[-1] : out[len], 0xa5);
            }
}

/* Runs of every length from every lane: what was in lanes before the run stays. */
static void fill(void **state)
{
    const struct kernel *k = *state;
    const struct aead_burst_kernels *burst = k->rung;
    static struct aead_sweep before;
    uint32_t key[8];
    uint8_t nonce[12];

    for (unsigned lane = 0; lane < AEAD_SWEEP_LANES; lane++)
        for (unsigned n = 1; lane + n <= AEAD_SWEEP_LANES; n++) {
            struct aead_run run = {n % 2 == 0 ? key : NULL, nonce, UINT32_MAX - 3, tail_in.begin,
                                   tail_out.begin};
            const uint64_t args[6] = {ARG(&sweep), lane, n, ARG(&run), 0, 0};

            prepare_sweep(lane + 32 * n);
            rng_fill(&rng, key, sizeof key);
            rng_fill(&rng, nonce, sizeof nonce);
            before = sweep;
            call_checked(k->name, (any_function *)burst->fill, args);
            for (unsigned i = 0; i < lane; i++) {
                for (size_t w = 0; w < 12; w++)
                    assert_int_equal(sweep.words[w][i], before.words[w][i]);
                assert_ptr_equal(sweep.in[i], before.in[i]);
                assert_ptr_equal(sweep.out[i], before.out[i]);
            }
            for (unsigned i = lane; i < lane + n; i++) {
                uint8_t words[12];

                for (size_t w = 0; w < 8; w++)
                    assert_int_equal(sweep.words[w][i], run.key != NULL ? key[w] : before.words[w][i]);
                assert_int_equal(sweep.words[8][i], (uint32_t)(UINT32_MAX - 3 + i - lane));
                for (size_t w = 0; w < 3; w++)
                    memcpy(words + 4 * w, &sweep.words[9 + w][i], 4);
                assert_memory_equal(words, nonce, 12);
                assert_ptr_equal(sweep.in[i], run.in + 64 * (i - lane));
                assert_ptr_equal(sweep.out[i], run.out + 64 * (i - lane));
            }
        }
}

static struct guard text_guard, aad_guard;
static uint8_t one_time_keys[AEAD_MACS][64];

/* n MACs; mode 0: random keys and texts, 1: all bits set, 2: r of all ones and texts of zeros. */
static void check_macs(const struct kernel *k, struct burst_mac in[AEAD_MACS], unsigned n, int mode)
{
    uint8_t tags[AEAD_MACS][16], expected[16];
    const uint64_t args[6] = {ARG(k->rung), ARG(in), ARG(one_time_keys), ARG(tags), n, 0};

    if (mode == 0)
        rng_fill(&rng, one_time_keys, sizeof one_time_keys);
    else
        memset(one_time_keys, 0xff, sizeof one_time_keys);
    call_checked(k->name, (any_function *)burst_macs_run, args);
    for (unsigned i = 0; i < n; i++) {
        poly1305_aead_portable(expected, one_time_keys[i], in[i].aad, in[i].aad_len, in[i].text, in[i].len);
        if (memcmp(tags[i], expected, 16) != 0)
            fail_msg("%s: MAC %u of %u, %zu and %zu bytes: wrong", k->name, i, n, in[i].aad_len, in[i].len);
    }
}

static void macs(void **state)
{
    const struct kernel *k = *state;
    struct burst_mac in[AEAD_MACS];

    rng = (struct rng){11};
    if (text_guard.begin == NULL) {
        text_guard = guard_new(TEXT);
        aad_guard = guard_new(AEAD_MACS_AAD_MAX);
    }
    for (int round = 0; round < 6000; round++) {
        int mode = round % 3, alike = round % 4 == 0;
        unsigned n = 1 + (unsigned)rng_below(&rng, AEAD_MACS);

        if (mode == 0) {
            rng_fill(&rng, text_guard.begin, (size_t)(text_guard.end - text_guard.begin));
            rng_fill(&rng, aad_guard.begin, (size_t)(aad_guard.end - aad_guard.begin));
        } else {
            memset(text_guard.begin, mode == 1 ? 0xff : 0, (size_t)(text_guard.end - text_guard.begin));
            memset(aad_guard.begin, mode == 1 ? 0xff : 0, (size_t)(aad_guard.end - aad_guard.begin));
        }
        for (unsigned i = 0; i < n; i++) {
            in[i].len = alike && i != 0 ? in[0].len : rng_below(&rng, TEXT + 1);
            in[i].aad_len = alike && i != 0 ? in[0].aad_len : rng_below(&rng, AEAD_MACS_AAD_MAX + 1);
            in[i].text = guard_edge(text_guard, in[i].len, (int)(i & 1));
            in[i].aad = guard_edge(aad_guard, in[i].aad_len, (int)(i >> 1 & 1));
        }
        check_macs(k, in, n, mode);
    }
}

static const struct check checks[] = {
    {"lanes", lanes, 0}, {"tails", tails, 0}, {"fill", fill, 0}, {"MACs", macs, 0}, {NULL, NULL, 0},
};

const struct family burst_family = {"burst", collect, checks};
