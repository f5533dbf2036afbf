/* test_handshake.c: the handshake of the sample tunnel without sockets: what passes, and everything that must
 * change nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "handshake.h"

#define NOW UINT64_C(1000000)
#define WALL UINT64_C(1700000000000000000)

static const uint8_t psk[32] = {1, 2, 3, 4, 5};
static const uint8_t other_psk[32] = {1, 2, 3, 4, 6};

struct pair {
    struct handshake a, b;
    uint8_t hello[HANDSHAKE_HELLO_LEN], answer[HANDSHAKE_ANSWER_LEN];
    struct sealane_keys a_keys, b_keys;
};

static void start(struct pair *p)
{
    memset(p, 0, sizeof(*p));
    handshake_init(&p->a, psk);
    handshake_init(&p->b, psk);
}

static void ask(struct handshake *h, uint64_t now, uint64_t wall, uint8_t hello[HANDSHAKE_HELLO_LEN])
{
    assert_int_equal(handshake_ask(h, now, wall, hello), 0);
}

static enum handshake_result hear(struct pair *p, uint64_t now)
{
    return handshake_hear_hello(&p->b, now, p->hello, sizeof(p->hello), p->answer, &p->b_keys);
}

static enum handshake_result hear_back(struct pair *p)
{
    return handshake_hear_answer(&p->a, p->answer, sizeof(p->answer), &p->a_keys);
}

/* A hello as somebody who has the key may make it. */
static void make_hello(const struct pair *p, const uint8_t salt[16], uint32_t index, uint64_t stamp,
                       uint8_t hello[HANDSHAKE_HELLO_LEN])
{
    uint8_t inner[28];

    memset(hello, 0, HANDSHAKE_HELLO_LEN);
    hello[0] = HANDSHAKE_HELLO;
    memcpy(hello + 4, salt, 16); /* a nonce like any other */
    memcpy(inner, salt, 16);
    for (int i = 0; i < 4; i++)
        inner[16 + i] = (uint8_t)(index >> 8 * i);
    for (int i = 0; i < 8; i++)
        inner[20 + i] = (uint8_t)(stamp >> 8 * i);
    assert_int_equal(sealane_xseal(&p->a.hello_key, hello + 4, hello, 4, inner, sizeof(inner), hello + 28,
                                   hello + 28 + sizeof(inner)),
                     SEALANE_OK);
}

static void assert_same_keys(const struct sealane_keys *x, const struct sealane_keys *y)
{
    assert_memory_equal(x->tx_key, y->rx_key, 32);
    assert_memory_equal(x->rx_key, y->tx_key, 32);
    assert_memory_not_equal(x->tx_key, x->rx_key, 32);
    assert_int_equal(x->tx_id, y->rx_id);
    assert_int_equal(x->rx_id, y->tx_id);
    assert_int_not_equal(x->rx_id, 0);
}

/* a asks, b answers, both have keys; b is not told of a first packet. */
static void exchange(struct pair *p, uint64_t now, uint64_t wall)
{
    ask(&p->a, now, wall, p->hello);
    assert_int_equal(hear(p, now), HANDSHAKE_KEYS);
    assert_int_equal(hear_back(p), HANDSHAKE_KEYS);
    assert_same_keys(&p->a_keys, &p->b_keys);
}

static void both_ends_get_the_same_keys(void **state)
{
    struct pair p;
    uint8_t before[32];

    (void)state;
    start(&p);
    exchange(&p, NOW, WALL);
    handshake_confirm(&p.b);
    memcpy(before, p.a_keys.tx_key, 32);
    exchange(&p, NOW + 5000, WALL + 1);
    assert_memory_not_equal(before, p.a_keys.tx_key, 32);
}

static void fresh_processes_never_repeat_keys(void **state)
{
    struct pair p;
    struct sealane_keys first;

    (void)state;
    start(&p);
    exchange(&p, NOW, WALL);
    first = p.b_keys;
    handshake_init(&p.b, psk); /* the responder starts again and hears the same hello */
    assert_int_equal(hear(&p, NOW), HANDSHAKE_KEYS);
    assert_memory_not_equal(first.tx_key, p.b_keys.tx_key, 32);
    assert_memory_not_equal(first.rx_key, p.b_keys.rx_key, 32);
}

static void forged_hellos_change_nothing(void **state)
{
    struct pair p;
    struct handshake before;

    (void)state;
    start(&p);
    ask(&p.a, NOW, WALL, p.hello);
    before = p.b;
    for (size_t bit = 0; bit < 8 * sizeof(p.hello); bit++) {
        p.hello[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(hear(&p, NOW), HANDSHAKE_FORGED);
        p.hello[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t len = 0; len < sizeof(p.hello); len++)
        assert_int_equal(handshake_hear_hello(&p.b, NOW, p.hello, len, p.answer, &p.b_keys),
                         HANDSHAKE_FORGED);
    assert_memory_equal(&before, &p.b, sizeof(before));
    assert_int_equal(hear(&p, NOW), HANDSHAKE_KEYS);
}

static void forged_answers_change_nothing(void **state)
{
    struct pair p;
    struct handshake before;

    (void)state;
    start(&p);
    ask(&p.a, NOW, WALL, p.hello);
    assert_int_equal(hear(&p, NOW), HANDSHAKE_KEYS);
    before = p.a;
    for (size_t bit = 0; bit < 8 * sizeof(p.answer); bit++) {
        enum handshake_result expected = bit / 32 == 1 ? HANDSHAKE_UNASKED : HANDSHAKE_FORGED;

        p.answer[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(hear_back(&p), expected);
        p.answer[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t len = 0; len < sizeof(p.answer); len++)
        assert_int_equal(handshake_hear_answer(&p.a, p.answer, len, &p.a_keys), HANDSHAKE_FORGED);
    assert_memory_equal(&before, &p.a, sizeof(before));
    assert_int_equal(hear_back(&p), HANDSHAKE_KEYS);
    assert_int_equal(hear_back(&p), HANDSHAKE_UNASKED);
}

static void an_answer_belongs_to_its_hello(void **state)
{
    struct pair p;
    uint8_t old[HANDSHAKE_ANSWER_LEN];

    (void)state;
    start(&p);
    ask(&p.a, NOW, WALL, p.hello);
    assert_int_equal(hear(&p, NOW), HANDSHAKE_KEYS);
    memcpy(old, p.answer, sizeof(old));
    ask(&p.a, NOW + 60000, WALL + 1, p.hello); /* a new question: the old answer is none */
    assert_int_equal(hear_back(&p), HANDSHAKE_UNASKED);
    assert_int_equal(hear(&p, NOW + 60000), HANDSHAKE_KEYS);
    memcpy(old + 4, p.answer + 4, 4); /* even under the new index */
    assert_int_equal(handshake_hear_answer(&p.a, old, sizeof(old), &p.a_keys), HANDSHAKE_FORGED);
    assert_int_equal(hear_back(&p), HANDSHAKE_KEYS);
}

static void a_wrong_key_opens_nothing(void **state)
{
    struct pair p;

    (void)state;
    start(&p);
    handshake_init(&p.b, other_psk);
    ask(&p.a, NOW, WALL, p.hello);
    assert_int_equal(hear(&p, NOW), HANDSHAKE_FORGED);
}

static void the_same_hello_gets_the_same_answer(void **state)
{
    struct pair p;
    uint8_t answer[HANDSHAKE_ANSWER_LEN];
    struct handshake before;

    (void)state;
    start(&p);
    exchange(&p, NOW, WALL);
    memcpy(answer, p.answer, sizeof(answer));
    for (int confirmed = 0; confirmed < 2; confirmed++) {
        before = p.b;
        memset(p.answer, 0, sizeof(p.answer));
        assert_int_equal(hear(&p, NOW + 1), HANDSHAKE_AGAIN);
        assert_memory_equal(answer, p.answer, sizeof(answer));
        assert_memory_equal(&before, &p.b, sizeof(before));
        handshake_confirm(&p.b);
    }
}

static void a_replayed_hello_creates_nothing(void **state)
{
    struct pair p;
    struct handshake before;
    uint8_t old[HANDSHAKE_HELLO_LEN];

    (void)state;
    start(&p);
    exchange(&p, NOW, WALL);
    handshake_confirm(&p.b);
    memcpy(old, p.hello, sizeof(old));
    exchange(&p, NOW + 10000, WALL + 1);
    handshake_confirm(&p.b);
    before = p.b;
    memcpy(p.hello, old, sizeof(old));
    assert_int_equal(hear(&p, NOW + 10001), HANDSHAKE_STALE);
    assert_int_equal(hear(&p, NOW + 1000000), HANDSHAKE_STALE);
    assert_memory_equal(&before, &p.b, sizeof(before));
}

/* The hello of the session that stands is as old as one that was replaced, even when another one was answered
 * since and led to nothing. */
static void the_hello_of_this_session_creates_no_other(void **state)
{
    struct pair p;
    uint8_t current[HANDSHAKE_HELLO_LEN];

    (void)state;
    start(&p);
    exchange(&p, NOW, WALL);
    handshake_confirm(&p.b);
    memcpy(current, p.hello, sizeof(current));
    exchange(&p, NOW + 10000, WALL + 1);
    memcpy(p.hello, current, sizeof(current));
    assert_int_equal(hear(&p, NOW + 20000), HANDSHAKE_STALE);
}

static void of_one_timestamp_the_first_hello_counts(void **state)
{
    static const uint8_t salts[2][16] = {{1}, {2}};
    struct pair p;

    (void)state;
    start(&p);
    make_hello(&p, salts[0], 5, WALL, p.hello);
    assert_int_equal(hear(&p, NOW), HANDSHAKE_KEYS);
    make_hello(&p, salts[1], 6, WALL, p.hello);
    assert_int_equal(hear(&p, NOW), HANDSHAKE_STALE);
}

static void an_unconfirmed_hello_blocks_older_ones_for_a_while(void **state)
{
    struct pair p;
    uint8_t older[HANDSHAKE_HELLO_LEN];
    struct handshake twin;

    (void)state;
    start(&p);
    handshake_init(&twin, psk);
    ask(&twin, NOW, WALL - 1, older);
    exchange(&p, NOW, WALL);
    memcpy(p.hello, older, sizeof(older));
    assert_int_equal(hear(&p, NOW + 4999), HANDSHAKE_STALE);
    assert_int_equal(hear(&p, NOW + 5000), HANDSHAKE_KEYS);
}

static void a_reflected_hello_is_refused(void **state)
{
    struct pair p;
    struct handshake before;
    uint8_t own[HANDSHAKE_HELLO_LEN];

    (void)state;
    start(&p);
    ask(&p.a, NOW, WALL, own);
    before = p.a;
    assert_int_equal(handshake_hear_hello(&p.a, NOW, own, sizeof(own), p.answer, &p.a_keys),
                     HANDSHAKE_REFLECTED);
    assert_memory_equal(&before, &p.a, sizeof(before));
    memcpy(p.hello, own, sizeof(own));
    assert_int_equal(hear(&p, NOW), HANDSHAKE_KEYS);
    assert_int_equal(hear_back(&p), HANDSHAKE_KEYS);
    before = p.a; /* and also when it is answered already; and b's answer is of no use to b */
    assert_int_equal(handshake_hear_hello(&p.a, NOW, own, sizeof(own), p.answer, &p.a_keys),
                     HANDSHAKE_REFLECTED);
    assert_memory_equal(&before, &p.a, sizeof(before));
    assert_int_equal(handshake_hear_answer(&p.b, p.answer, sizeof(p.answer), &p.b_keys), HANDSHAKE_UNASKED);
}

/* One's own salt or index is enough, those of answers included. */
static void own_salts_and_own_indices_are_refused(void **state)
{
    static const uint8_t other[16] = {9};
    struct pair p;

    (void)state;
    start(&p);
    exchange(&p, NOW, WALL);
    make_hello(&p, p.a.asked.salt, 5, WALL + 1, p.hello);
    assert_int_equal(handshake_hear_hello(&p.a, NOW, p.hello, sizeof(p.hello), p.answer, &p.a_keys),
                     HANDSHAKE_REFLECTED);
    make_hello(&p, other, p.a.asked.index, WALL + 1, p.hello);
    assert_int_equal(handshake_hear_hello(&p.a, NOW, p.hello, sizeof(p.hello), p.answer, &p.a_keys),
                     HANDSHAKE_REFLECTED);
    make_hello(&p, other, p.b.answered.index, WALL + 1, p.hello);
    assert_int_equal(hear(&p, NOW), HANDSHAKE_REFLECTED);
    make_hello(&p, other, 5, WALL + 1, p.hello);
    assert_int_equal(hear(&p, NOW + 5000), HANDSHAKE_KEYS);
}

/* Against a hello of one's own the smaller salt wins; the one that lost is not waited for any more. */
static void the_smaller_salt_wins(void **state)
{
    static const uint8_t small[16] = {[15] = 1}; /* all zero is the salt of an answer's index */
    uint8_t big[16], against[HANDSHAKE_HELLO_LEN], answer[HANDSHAKE_ANSWER_LEN];
    struct pair p;

    (void)state;
    memset(big, 0xff, sizeof(big));
    start(&p);
    ask(&p.a, NOW, WALL, p.hello);
    make_hello(&p, big, 5, WALL, against);
    assert_int_equal(handshake_hear_hello(&p.a, NOW, against, sizeof(against), answer, &p.a_keys),
                     HANDSHAKE_OURS);
    make_hello(&p, small, 5, WALL, against);
    assert_int_equal(handshake_hear_hello(&p.a, NOW, against, sizeof(against), answer, &p.a_keys),
                     HANDSHAKE_KEYS);
    assert_int_equal(hear(&p, NOW), HANDSHAKE_KEYS);
    assert_int_equal(hear_back(&p), HANDSHAKE_UNASKED);
}

static void of_two_hellos_at_once_one_wins(void **state)
{
    struct pair p;
    uint8_t hello_b[HANDSHAKE_HELLO_LEN], answer_a[HANDSHAKE_ANSWER_LEN];
    unsigned a_won = 0;

    (void)state;
    for (int i = 0; i < 64; i++) {
        enum handshake_result at_a, at_b;

        start(&p);
        ask(&p.a, NOW, WALL, p.hello);
        ask(&p.b, NOW, WALL + (uint64_t)(i % 3), hello_b);
        at_a = handshake_hear_hello(&p.a, NOW + 10, hello_b, sizeof(hello_b), answer_a, &p.a_keys);
        at_b = hear(&p, NOW + 10);
        if (at_b == HANDSHAKE_KEYS) {
            assert_int_equal(at_a, HANDSHAKE_OURS);
            assert_int_equal(hear_back(&p), HANDSHAKE_KEYS);
            a_won++;
        } else {
            assert_int_equal(at_a, HANDSHAKE_KEYS);
            assert_int_equal(at_b, HANDSHAKE_OURS);
            assert_int_equal(handshake_hear_answer(&p.b, answer_a, sizeof(answer_a), &p.b_keys),
                             HANDSHAKE_KEYS);
        }
        assert_same_keys(&p.a_keys, &p.b_keys);
    }
    assert_in_range(a_won, 1, 63); /* neither side is the stronger one: fails once in 2^63 */
}

static void an_unanswered_hello_stops_winning(void **state)
{
    struct pair p;
    uint8_t hello_b[HANDSHAKE_HELLO_LEN];

    (void)state;
    for (int i = 0; i < 32; i++) {
        start(&p);
        ask(&p.a, NOW, WALL, p.hello);
        ask(&p.b, NOW + 2000, WALL, hello_b);
        assert_int_equal(
            handshake_hear_hello(&p.a, NOW + 2000, hello_b, sizeof(hello_b), p.answer, &p.a_keys),
            HANDSHAKE_KEYS);
    }
}

static void a_hello_is_repeated_then_renewed(void **state)
{
    struct pair p;
    uint8_t again[HANDSHAKE_HELLO_LEN];

    (void)state;
    start(&p);
    ask(&p.a, NOW, WALL, p.hello);
    ask(&p.a, NOW + 2999, WALL + 1, again);
    assert_memory_equal(p.hello, again, sizeof(again));
    ask(&p.a, NOW + 3000, WALL + 2, again);
    assert_memory_not_equal(p.hello, again, sizeof(again));
    exchange(&p, NOW + 10000, WALL + 3);
    ask(&p.a, NOW + 10001, WALL + 4, again); /* it was answered */
    assert_memory_not_equal(p.hello, again, sizeof(again));
}

static void timestamps_grow_while_the_wall_clock_runs_back(void **state)
{
    struct pair p;

    (void)state;
    start(&p);
    for (uint64_t i = 0; i < 10; i++) {
        exchange(&p, NOW + 10000 * i, WALL - 3600 * i * UINT64_C(1000000000));
        handshake_confirm(&p.b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ends_get_the_same_keys),
        cmocka_unit_test(fresh_processes_never_repeat_keys),
        cmocka_unit_test(forged_hellos_change_nothing),
        cmocka_unit_test(forged_answers_change_nothing),
        cmocka_unit_test(an_answer_belongs_to_its_hello),
        cmocka_unit_test(a_wrong_key_opens_nothing),
        cmocka_unit_test(the_same_hello_gets_the_same_answer),
        cmocka_unit_test(a_replayed_hello_creates_nothing),
        cmocka_unit_test(the_hello_of_this_session_creates_no_other),
        cmocka_unit_test(of_one_timestamp_the_first_hello_counts),
        cmocka_unit_test(an_unconfirmed_hello_blocks_older_ones_for_a_while),
        cmocka_unit_test(a_reflected_hello_is_refused),
        cmocka_unit_test(own_salts_and_own_indices_are_refused),
        cmocka_unit_test(the_smaller_salt_wins),
        cmocka_unit_test(of_two_hellos_at_once_one_wins),
        cmocka_unit_test(an_unanswered_hello_stops_winning),
        cmocka_unit_test(a_hello_is_repeated_then_renewed),
        cmocka_unit_test(timestamps_grow_while_the_wall_clock_runs_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
