/* test_packet_window.c: the replay window (RFC 6479): the published sequence through a channel, fresh
 * windows, and all window sizes against a model that remembers every number. */
#include "packet_kit.h"

#include <stdlib.h>

#include "channel.h"
#include "rng.h"
#include "window.h"

#define REJECT (UINT64_MAX - (UINT64_C(1) << 13)) /* WireGuard's REJECT_AFTER_MESSAGES */

static struct window make_window(uint32_t behind)
{
    struct window w;

    assert_true(window_make(&w));
    assert_true(window_reset(&w, behind));
    return w;
}

/* The hint and the decision agree where nobody else is at work. */
static bool accept(struct window *w, uint64_t number)
{
    bool fresh = window_is_fresh(w, number), accepted = window_accept(w, number);

    assert_int_equal(fresh, accepted);
    assert_false(window_is_fresh(w, number));
    return accepted;
}

/* Opens a keepalive with this number. */
static int open_number(struct sealane_channel *from, struct sealane_channel *to, uint64_t number)
{
    struct kit_packet k;
    uint8_t nonce[12] = {0}, datagram[32] = {4, 0, 0, 0};
    struct generation *g = channel_slot(from, SEALANE_CURRENT);

    for (int i = 0; i < 4; i++)
        datagram[4 + i] = (uint8_t)(g->tx_id >> 8 * i);
    for (int i = 0; i < 8; i++)
        datagram[8 + i] = nonce[4 + i] = (uint8_t)(number >> 8 * i);
    assert_int_equal(sealane_seal(&g->tx, nonce, NULL, 0, NULL, 0, NULL, datagram + 16), SEALANE_OK);
    kit_fill(&k, to, datagram, sizeof datagram);
    return kit_open(&k);
}

struct step {
    uint64_t number;
    int status;
};

#define T UINT64_C(8129)

static const struct step sequence[] = {
    {0, 0},
    {1, 0},
    {1, SEALANE_EREPLAY},
    {9, 0},
    {8, 0},
    {7, 0},
    {7, SEALANE_EREPLAY},
    {T, 0},
    {T - 1, 0},
    {T - 1, SEALANE_EREPLAY},
    {T - 2, 0},
    {2, 0},
    {2, SEALANE_EREPLAY},
    {T + 16, 0},
    {3, SEALANE_EREPLAY},
    {T + 16, SEALANE_EREPLAY},
    {T * 4, 0},
    {T * 4 - (T - 1), 0},
    {10, SEALANE_EREPLAY},
    {T * 4 - T, SEALANE_EREPLAY},
    {T * 4 - (T + 1), SEALANE_EREPLAY},
    {T * 4 - (T - 2), 0},
    {T * 4 + 1 - T, SEALANE_EREPLAY},
    {0, SEALANE_EREPLAY},
    {REJECT, SEALANE_ELIMIT},
    {REJECT - 1, 0},
    {REJECT, SEALANE_ELIMIT},
    {REJECT - 1, SEALANE_EREPLAY},
    {REJECT - 2, 0},
    {REJECT + 1, SEALANE_ELIMIT},
    {REJECT + 2, SEALANE_ELIMIT},
    {REJECT - 2, SEALANE_EREPLAY},
    {REJECT - 3, 0},
    {0, SEALANE_EREPLAY},
};

static void the_published_sequence(void **state)
{
    struct sealane_channel *a = kit_end(SEALANE_WIREGUARD, 0), *b = kit_end(SEALANE_WIREGUARD, 1);

    (void)state;
    for (size_t i = 0; i < sizeof sequence / sizeof sequence[0]; i++)
        if (open_number(a, b, sequence[i].number) != sequence[i].status)
            fail_msg("step %zu", i);
    sealane_channel_free(a);
    sealane_channel_free(b);
}

struct run {
    uint64_t first, last; /* all accepted, upwards or downwards */
    struct {
        uint64_t number;
        bool accepted;
    } then[2];
    int n_then;
};

static const struct run fresh_runs[] = {
    {1, 8128, {{0, true}, {0, false}}, 2},
    {2, 8129, {{1, true}, {1, false}}, 2},
    {8128, 0, {{0, false}}, 1},
    {8129, 1, {{0, false}}, 1},
    {8128, 1, {{8129, true}, {8129, false}}, 2},
    {8128, 1, {{0, true}, {8129, true}}, 2},
};

static void fresh_windows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fresh_runs / sizeof fresh_runs[0]; i++) {
        const struct run *r = &fresh_runs[i];
        struct window w = make_window(WINDOW_DEFAULT);

        for (uint64_t n = r->first;; n += r->first < r->last ? 1 : UINT64_MAX) {
            assert_true(accept(&w, n));
            if (n == r->last)
                break;
        }
        for (int j = 0; j < r->n_then; j++)
            assert_int_equal(accept(&w, r->then[j].number), r->then[j].accepted);
        window_free(&w);
    }
}

static void the_edge_is_exact_for_every_size(void **state)
{
    struct window w;

    (void)state;
    assert_true(window_make(&w));
    for (uint32_t behind = WINDOW_MIN; behind <= WINDOW_MAX; behind += behind < 300 ? 1 : 61) {
        for (uint64_t newest = behind + 1; newest < behind + 130; newest += 43) {
            assert_true(window_reset(&w, behind));
            assert_true(accept(&w, newest));
            assert_false(accept(&w, newest - behind - 1));
            assert_true(accept(&w, newest - behind));
            assert_false(accept(&w, newest - behind));
        }
    }
    assert_true(window_reset(&w, WINDOW_MAX));
    assert_true(accept(&w, 65536));
    assert_false(accept(&w, 0));
    assert_true(accept(&w, 1));
    window_free(&w);
}

/* A model that forgets nothing. */
enum { MODEL_NUMBERS = 1 << 20 };

struct model {
    uint8_t *seen; /* MODEL_NUMBERS flags */
    size_t newest, behind;
};

static bool model_accept(struct model *m, size_t number)
{
    if (m->seen[number] || (m->newest > number && m->newest - number > m->behind))
        return false;
    m->seen[number] = 1;
    if (number > m->newest)
        m->newest = number;
    return true;
}

/* Mostly about the newest, often at the window's edge, sometimes far ahead: in words, in rings, or anywhere.
 */
static size_t draw(struct rng *r, const struct model *m)
{
    const size_t around[] = {m->newest, m->newest - m->behind, m->newest + 64, m->newest + m->behind};
    size_t n = around[rng_below(r, 4)];

    switch (rng_below(r, 16)) {
    case 0:
        return rng_below(r, MODEL_NUMBERS);
    case 1:
        n += 64 * rng_below(r, 16);
        break;
    case 2:
        n = m->newest - rng_below(r, m->behind + 2);
        break;
    default:
        n += rng_below(r, 9) - 4;
    }
    return n < MODEL_NUMBERS ? n : rng_below(r, m->newest + 1); /* what wrapped below 0 is large */
}

static void compare_with_model(struct rng *r, uint32_t behind, uint64_t base)
{
    struct model m = {calloc(MODEL_NUMBERS, 1), 0, behind};
    struct window w = make_window(behind);
    size_t accepted = 0, refused = 0;

    assert_non_null(m.seen);
    assert_int_equal(model_accept(&m, 0), accept(&w, base));
    for (int i = 0; i < 20000; i++) {
        size_t n = draw(r, &m);
        bool expected = model_accept(&m, n);

        if (accept(&w, base + n) != expected)
            fail_msg("behind %u, base %#jx: number %zu, newest %zu: expected %d", (unsigned)behind,
                     (uintmax_t)base, n, m.newest, expected);
        accepted += expected;
        refused += !expected;
    }
    assert_true(accepted > 100 && refused > 100);
    free(m.seen);
    window_free(&w);
}

static void every_size_agrees_with_the_model(void **state)
{
    const uint32_t sizes[] = {64,  65,   66,   100,  127,  128,  129,   191,   192,
                              193, 1000, 8064, 8127, 8128, 8129, 65472, 65473, 65535};
    struct rng r = {2026};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        compare_with_model(&r, sizes[i], 0);
        compare_with_model(&r, sizes[i], UINT64_C(0) - MODEL_NUMBERS); /* up to 2^64 - 1 */
    }
    for (int i = 0; i < 30; i++)
        compare_with_model(&r, (uint32_t)(WINDOW_MIN + rng_below(&r, WINDOW_MAX - WINDOW_MIN + 1)),
                           rng_next(&r) >> 1);
}

/* The size that keys ask for is the one they get. */
static void keys_choose_the_size(void **state)
{
    const struct {
        uint32_t asked, behind;
    } cases[] = {{0, 8128}, {64, 64}, {100, 100}, {65535, 65535}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sealane_channel *a = kit_end(SEALANE_WIREGUARD, 0), *b = kit_channel();
        struct sealane_keys keys = kit_keys(SEALANE_WIREGUARD, 0, 1);

        keys.window = cases[i].asked;
        assert_int_equal(sealane_channel_install(b, &keys, SEALANE_NOW), SEALANE_OK);
        assert_int_equal(open_number(a, b, 100000), SEALANE_OK);
        assert_int_equal(open_number(a, b, 100000 - cases[i].behind), SEALANE_OK);
        assert_int_equal(open_number(a, b, 100000 - cases[i].behind), SEALANE_EREPLAY);
        assert_int_equal(open_number(a, b, 100000 - cases[i].behind - 1), SEALANE_EREPLAY);
        assert_int_equal(kit_stats(b).rx_newest, 100000);
        sealane_channel_free(a);
        sealane_channel_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_sequence),
        cmocka_unit_test(fresh_windows),
        cmocka_unit_test(the_edge_is_exact_for_every_size),
        cmocka_unit_test(every_size_agrees_with_the_model),
        cmocka_unit_test(keys_choose_the_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
