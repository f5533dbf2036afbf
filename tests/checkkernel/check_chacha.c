/* check_chacha.c: the ChaCha kernels (contract: chacha_kernels.h) and the ladders over them, against
 * keystream of the portable code. */
#include "checkkernel.h"

#include <string.h>

#include "chacha_kernels.h"
#include "guard.h"
#include "level.h"
#include "rng.h"

#include <sealane/chacha.h>

#define DENSE 4100 /* every length up to here */
#define LONGEST 12488
#define N_RANDOM 300
#define CANARY 128 /* bytes beside a span that are looked at */

static const int rounds_of[] = {8, 12, 20};

/* Whole ladders are checked like kernels: rung points to the ladder, and run is never called directly. */
static void run_ladder(void)
{
}

static any_function *const ladder_marker = run_ladder;

static void collect(struct kernel_list *list)
{
    for (size_t i = 0; i < N_LEVELS; i++) {
        const struct chacha_ladder *ladder = chacha_ladder_for(levels[i].mask);
        const struct chacha_rung *rung = ladder->rungs;
        size_t min_len = 1;

        if (!level_found(&levels[i]))
            continue;
        for (;; rung++) {
            kernel_add(list, &(struct kernel){rung->name, NULL, (any_function *)rung->run, min_len,
                                              rung->max_len, rung->step});
            if (rung->max_len == SIZE_MAX)
                break;
            min_len = rung->max_len + 1;
        }
    }
    for (size_t i = 0; i < N_LEVELS; i++) {
        const struct chacha_ladder *ladder = chacha_ladder_for(levels[i].mask);
        size_t k = 0;

        while (k < list->n && list->of[k].rung != ladder)
            k++;
        if (k == list->n && level_found(&levels[i]) && list->n < MAX_KERNELS)
            list->of[list->n++] = (struct kernel){ladder->level, ladder, ladder_marker, 0, SIZE_MAX, 1};
    }
}

/* One call of a kernel, or of a ladder. */
static void run(const struct kernel *k, uint8_t *dst, const uint8_t *src, size_t len,
                const uint32_t state[16], int rounds)
{
    const uint64_t args[6] = {ARG(dst), ARG(src), len, ARG(state), (uint64_t)rounds, 0};
    const uint64_t ladder_args[6] = {ARG(k->rung), ARG(dst), ARG(src), len, ARG(state), (uint64_t)rounds};

    if (k->rung != NULL)
        call_checked(k->name, (any_function *)chacha_xor, ladder_args);
    else
        call_checked(k->name, k->run, args);
}

static struct guard src_guard, dst_guard, state_guard;
static uint8_t message[LONGEST], expected[3][LONGEST], other[LONGEST];
static uint32_t words[16];

/* message, words with that counter, and the expected output for each number of rounds. */
static void prepare(uint32_t counter)
{
    struct rng rng = {counter};

    if (src_guard.begin == NULL) {
        src_guard = guard_new(LONGEST + 2 * CANARY);
        dst_guard = guard_new(LONGEST + 2 * CANARY);
        state_guard = guard_new(64);
    }
    rng_fill(&rng, message, sizeof message);
    rng_fill(&rng, words, sizeof words);
    words[12] = counter;
    for (int r = 0; r < 3; r++)
        chacha_xor_portable(expected[r], message, LONGEST, words, rounds_of[r]);
}

/* Are the CANARY bytes on the open side of an edge what they were? */
static void check_canary(const struct kernel *k, const uint8_t *dst, size_t len, int at_end)
{
    const uint8_t *beside = at_end ? dst - CANARY : dst + len;

    for (size_t i = 0; i < CANARY; i++)
        if (beside[i] != 0xa5)
            fail_msg("%s: %zu bytes: wrote %s the range", k->name, len, at_end ? "in front of" : "behind");
}

/* Spans that touch an unmapped page, in front or behind, in place or not. */
static void check_len(const struct kernel *k, size_t len, int r)
{
    for (int variant = 0; variant < 8; variant++) {
        const int src_at_end = variant & 1, dst_at_end = variant >> 1 & 1, in_place = variant >> 2;
        uint8_t *dst = guard_edge(dst_guard, len, dst_at_end);
        uint8_t *src = in_place ? dst : guard_edge(src_guard, len, src_at_end);
        uint32_t *state = (uint32_t *)(void *)guard_edge(state_guard, 64, src_at_end);

        if (in_place && src_at_end != dst_at_end)
            continue;
        memset(dst_at_end ? dst - CANARY : dst, 0xa5, len + CANARY);
        memcpy(state, words, 64);
        memcpy(src, message, len);
        run(k, dst, src, len, state, rounds_of[r]);
        if (memcmp(dst, expected[r], len) != 0)
            fail_msg("%s: %zu bytes, %d rounds, %s: wrong output", k->name, len, rounds_of[r],
                     in_place ? "in place" : "apart");
        check_canary(k, dst, len, dst_at_end);
        if (memcmp(state, words, 64) != 0)
            fail_msg("%s: state changed", k->name);
        if (!in_place && memcmp(src, message, len) != 0)
            fail_msg("%s: input changed", k->name);
    }
}

static void every_length(void **state)
{
    const struct kernel *k = *state;

    prepare(1);
    for (int r = 0; r < 3; r++)
        FOR_EACH_LEN(len, k, DENSE)
    check_len(k, len, r);
}

static void random_lengths(void **state)
{
    const struct kernel *k = *state;
    struct rng rng = {29};

    prepare(7);
    for (int i = 0; i < N_RANDOM; i++) {
        size_t len = kernel_len_from(k, rng_below(&rng, LONGEST + 1));

        if (len <= LONGEST)
            check_len(k, len, i % 3);
    }
}

/* Lengths for the checks whose cost is in other loops: both ends of the kernel's range, and a few between. */
#define N_SOME 6
static size_t some_lengths(const struct kernel *k, size_t lens[N_SOME])
{
    const size_t wanted[N_SOME] = {0, k->max_len < LONGEST ? k->max_len : 3000, 63, 1420, 1500, 4096 + 65};
    size_t n = 0;

    for (size_t i = 0; i < N_SOME; i++) {
        size_t len = kernel_len_from(k, wanted[i]);

        if (len <= LONGEST)
            lens[n++] = len;
    }
    return n;
}

static void every_alignment(void **state)
{
    const struct kernel *k = *state;
    size_t lens[N_SOME], n = some_lengths(k, lens);

    prepare(3);
    for (size_t i = 0; i < n; i++)
        for (size_t dst_at = 0; dst_at < 64; dst_at++)
            for (size_t src_at = 0; src_at < 64; src_at++) {
                uint8_t *dst = dst_guard.begin + dst_at, *src = src_guard.begin + src_at;

                memcpy(src, message, lens[i]);
                run(k, dst, src, lens[i], words, 20);
                if (memcmp(dst, expected[2], lens[i]) != 0)
                    fail_msg("%s: %zu bytes from %zu to %zu of a line", k->name, lens[i], src_at, dst_at);
            }
}

/* Kernels let the counter wrap, lane by lane, and never carry into the nonce. */
static void wrapping_counter(void **state)
{
    const struct kernel *k = *state;
    size_t lens[N_SOME], n = some_lengths(k, lens);

    for (uint32_t before = 0; before <= 40; before++) {
        prepare(UINT32_MAX - before + 1);
        for (size_t i = 0; i < n; i++)
            check_len(k, lens[i], 2);
    }
}

/* Whole blocks that the kernel takes in one call, a random number of them; at most left. 0: none fits. */
static size_t random_piece(const struct kernel *k, struct rng *rng, size_t left)
{
    size_t longest = k->max_len < 3000 ? k->max_len : 3000;
    size_t len = kernel_len_from(k, 64 * (1 + rng_below(rng, longest / 64)));

    if (len % 64 != 0)
        len = kernel_len_from(k, len / 64 * 64 + 64);
    return len <= left ? len : 0;
}

/* A message in pieces, each call from the block number that the one before reached. */
static void calls_in_a_row(void **state)
{
    const struct kernel *k = *state;
    struct rng rng = {5};

    prepare(UINT32_MAX - 11);
    for (int i = 0; i < 100; i++) {
        size_t done = 0, len;

        memcpy(other, message, sizeof other);
        while ((len = random_piece(k, &rng, sizeof other - done)) != 0) {
            uint32_t now[16];

            memcpy(now, words, sizeof now);
            now[12] += (uint32_t)(done / 64);
            run(k, other + done, other + done, len, now, 12);
            done += len;
        }
        assert_true(done > sizeof other / 2);
        assert_memory_equal(other, expected[1], done);
        assert_memory_equal(other + done, message + done, sizeof other - done);
    }
}

static const struct check checks[] = {
    {"every length", every_length, 0},       {"random lengths", random_lengths, 0},
    {"every alignment", every_alignment, 0}, {"wrapping counter", wrapping_counter, 0},
    {"calls in a row", calls_in_a_row, 0},   {NULL, NULL, 0},
};

const struct family chacha_family = {"chacha", collect, checks};
