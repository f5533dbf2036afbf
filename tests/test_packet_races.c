/* test_packet_races.c: what threads hit once in a blue moon happens here every time: channel_slots.c and
 * open.c are compiled in with calls that let another thread go first. Between the two steps of finding keys
 * without a lock the keys are retired, moved or filled anew; between verification and the window they are
 * retired, and a copy arrives. */
#include "packet_kit.h"

#include <errno.h>

#include "aead_burst.h"
#include "aead_key.h"
#include "channel.h"

/* What the other thread does, once: before keys are held, and before the window is asked. */
static void (*meanwhile)(struct sealane_channel *ch), (*then)(struct sealane_channel *ch);
static struct sealane_channel *shared;

static void let_go_first(void (**other)(struct sealane_channel *ch))
{
    void (*now)(struct sealane_channel * ch) = *other;

    *other = NULL;
    if (now != NULL)
        now(shared);
}

static bool hold_late(struct generation *g)
{
    let_go_first(&meanwhile);
    return generation_hold(g);
}

/* What another thread does behind each write of a slot. */
static void (*behind_each_write)(void);

#define generation_hold hold_late
#pragma push_macro("atomic_store_explicit")
#undef atomic_store_explicit
#define atomic_store_explicit(where, what, order)                                                            \
    do {                                                                                                     \
        (void)atomic_exchange(where, what);                                                                  \
        if (behind_each_write != NULL)                                                                       \
            behind_each_write();                                                                             \
    } while (0)
#include "channel_slots.c"
#pragma pop_macro("atomic_store_explicit")
#undef generation_hold

static size_t open_burst_late(struct sealane_job *jobs, size_t n)
{
    size_t good = aead_burst_open_checked(jobs, n);

    let_go_first(&then);
    return good;
}

static bool accept_locked(struct window *w, uint64_t number)
{
    assert_int_equal(pthread_mutex_trylock(&w->lock), EBUSY);
    return window_accept(w, number);
}

#define aead_burst_open_checked open_burst_late
#define window_accept accept_locked
#include "open.c"
#undef window_accept
#undef aead_burst_open_checked

enum { WG = SEALANE_WIREGUARD };

static uint32_t rx_id(uint32_t n)
{
    return kit_keys(WG, n, 0).rx_id;
}

static uint32_t calls_in_flight(const struct generation *g)
{
    return g->holds & ~(GENERATION_RETIRED | GENERATION_IDLE);
}

static void retire(struct sealane_channel *ch, int slot)
{
    assert_int_equal(sealane_channel_retire(ch, slot), SEALANE_OK);
}

static void end_all_keys(struct sealane_channel *ch)
{
    retire(ch, SEALANE_ALL);
}

static void expire(struct sealane_channel *ch)
{
    assert_int_equal(sealane_channel_tick(ch, 0), SEALANE_OK);
    assert_int_equal(sealane_channel_tick(ch, 180000), SEALANE_OK);
}

static void replace(struct sealane_channel *ch)
{
    kit_install(ch, WG, 1, 0, SEALANE_NOW);
    retire(ch, SEALANE_PREVIOUS);
}

/* The memory of the old current keys holds the next ones, which must not be sent on yet. */
static void replace_and_refill_as_next(struct sealane_channel *ch)
{
    struct generation *g = channel_slot(ch, SEALANE_CURRENT);

    replace(ch);
    kit_install(ch, WG, 2, 0, SEALANE_ON_FIRST_PACKET);
    assert_ptr_equal(channel_slot(ch, SEALANE_NEXT), g);
}

static void end_and_refill(struct sealane_channel *ch)
{
    struct generation *g = channel_slot(ch, SEALANE_CURRENT);

    retire(ch, SEALANE_ALL);
    kit_install(ch, WG, 3, 0, SEALANE_NOW);
    assert_ptr_equal(channel_slot(ch, SEALANE_CURRENT), g);
}

static void become_previous(struct sealane_channel *ch)
{
    kit_install(ch, WG, 1, 0, SEALANE_NOW);
}

struct race {
    const char *name;
    void (*meanwhile)(struct sealane_channel *ch);
    int sealing;         /* what sealing then gets, */
    uint32_t sealing_on; /* and keys with which number */
    int opening;         /* what opening a packet of the keys 0 gets */
};

static const struct race races[] = {
    {"nothing", NULL, SEALANE_OK, 0, SEALANE_OK},
    {"end_all_keys", end_all_keys, SEALANE_ENOKEY, 0, SEALANE_ENOKEY},
    {"expire", expire, SEALANE_ELIMIT, 0, SEALANE_ELIMIT},
    {"replace", replace, SEALANE_OK, 1, SEALANE_ENOKEY},
    {"replace_and_refill_as_next", replace_and_refill_as_next, SEALANE_OK, 1, SEALANE_ENOKEY},
    {"end_and_refill", end_and_refill, SEALANE_OK, 3, SEALANE_ENOKEY},
    {"become_previous", become_previous, SEALANE_OK, 1, SEALANE_OK},
};

enum { N_RACES = sizeof races / sizeof races[0] };

static void nobody_is_left_holding(void)
{
    for (const struct generation *g = shared->generations; g != NULL; g = g->next)
        assert_int_equal(calls_in_flight(g), 0);
}

static void sealing_takes_the_current_keys(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_RACES; i++) {
        const struct race *r = &races[i];
        struct generation *g = NULL;

        print_message("%s\n", r->name);
        shared = kit_end(WG, 0);
        meanwhile = r->meanwhile;
        assert_int_equal(channel_hold_current(shared, &g), r->sealing);
        assert_null(meanwhile);
        if (r->sealing == SEALANE_OK) {
            assert_ptr_equal(g, channel_slot(shared, SEALANE_CURRENT));
            assert_int_equal(g->rx_id, rx_id(r->sealing_on));
            assert_int_equal(calls_in_flight(g), 1);
            generation_release(g);
        }
        nobody_is_left_holding();
        sealane_channel_free(shared);
    }
}

static void opening_takes_the_keys_with_the_id(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_RACES; i++) {
        const struct race *r = &races[i];
        struct generation *g = NULL;
        int slot;

        print_message("%s\n", r->name);
        shared = kit_end(WG, 0);
        meanwhile = r->meanwhile;
        assert_int_equal(channel_hold_id(shared, rx_id(0), &g, &slot), r->opening);
        assert_null(meanwhile);
        if (r->opening == SEALANE_OK) {
            assert_int_equal(g->rx_id, rx_id(0));
            assert_int_equal(calls_in_flight(g), 1);
            generation_release(g);
        }
        nobody_is_left_holding();
        sealane_channel_free(shared);
    }
}

/* Waiting keys that expire, are replaced or confirmed while a packet on them is being verified. */
static void only_live_waiting_keys_are_confirmed(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        struct generation *g;

        shared = kit_end(WG, 0);
        kit_install(shared, WG, 1, 0, SEALANE_ON_FIRST_PACKET);
        g = channel_slot(shared, SEALANE_NEXT);
        assert_true(generation_hold(g));
        if (way == 1)
            expire(shared);
        else if (way == 2)
            kit_install(shared, WG, 2, 0, SEALANE_ON_FIRST_PACKET);
        else if (way == 3)
            assert_true(channel_confirm(shared, g));
        assert_int_equal(channel_confirm(shared, g), way == 0);
        assert_int_equal(channel_slot(shared, SEALANE_CURRENT) == g, way == 0 || way == 3);
        generation_release(g);
        sealane_channel_free(shared);
    }
}

static struct kit_packet copy; /* of the packet that is being opened */

static void a_copy_is_faster(struct sealane_channel *ch)
{
    (void)ch;
    assert_int_equal(kit_open(&copy), SEALANE_OK);
}

/* A packet that is being verified while its keys end opens; one whose copy is faster does not. */
static void a_packet_in_flight_meets_the_window_under_its_lock(void **state)
{
    void (*const ways[])(struct sealane_channel *) = {NULL, end_all_keys, expire, become_previous,
                                                      a_copy_is_faster};

    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct sealane_channel *peer = kit_end(WG, 1);
        struct generation *g;
        struct kit_packet k;
        const uint8_t zero[48] = {0};

        shared = kit_end(WG, 0);
        g = channel_slot(shared, SEALANE_CURRENT);
        kit_send(&k, peer, shared, 40);
        copy = k;
        copy.p.buf = copy.buf;
        copy.p.user = &copy;
        then = ways[i];
        assert_int_equal(kit_open(&k), ways[i] == a_copy_is_faster ? SEALANE_EREPLAY : SEALANE_OK);
        assert_null(then);
        if (ways[i] == a_copy_is_faster)
            assert_memory_equal(k.buf + KIT_OFF + 16, zero, sizeof zero);
        assert_int_equal(aead_key_of(&g->rx) == NULL, ways[i] == end_all_keys || ways[i] == expire);
        nobody_is_left_holding();
        sealane_channel_free(shared);
        sealane_channel_free(peer);
    }
}

static int n_writes;

static void both_are_found(void)
{
    struct generation *g;
    int slot;

    n_writes++;
    for (uint32_t n = 0; n < 2; n++) {
        assert_int_equal(channel_hold_id(shared, rx_id(n), &g, &slot), SEALANE_OK);
        generation_release(g);
    }
}

/* While keys move from slot to slot, whoever looks for them finds them. */
static void moving_keys_are_found(void **state)
{
    (void)state;
    for (int confirm = 0; confirm < 2; confirm++) {
        shared = kit_end(WG, 0);
        kit_install(shared, WG, 1, 0, SEALANE_ON_FIRST_PACKET);
        behind_each_write = both_are_found;
        n_writes = 0;
        if (confirm)
            assert_true(channel_confirm(shared, channel_slot(shared, SEALANE_NEXT)));
        else
            channel_make_current(shared, channel_slot(shared, SEALANE_NEXT));
        behind_each_write = NULL;
        assert_int_equal(n_writes, 3);
        sealane_channel_free(shared);
    }
}

static void a_neighbour_confirms(struct sealane_channel *ch)
{
    (void)ch;
    assert_int_equal(kit_open(&copy), SEALANE_OK);
    assert_int_equal(copy.p.slot, SEALANE_NEXT);
}

/* Two threads open the first packets on waiting keys: one of the two reports SEALANE_NEXT. */
static void waiting_keys_are_reported_once(void **state)
{
    struct sealane_channel *peer = kit_end(WG, 1);
    struct kit_packet k;

    (void)state;
    shared = kit_end(WG, 0);
    kit_install(shared, WG, 1, 0, SEALANE_ON_FIRST_PACKET);
    kit_install(peer, WG, 1, 1, SEALANE_NOW);
    kit_send(&copy, peer, shared, 40);
    kit_send(&k, peer, shared, 40);
    then = a_neighbour_confirms;
    assert_int_equal(kit_open(&k), SEALANE_OK);
    assert_null(then);
    assert_int_equal(k.p.slot, SEALANE_CURRENT);
    nobody_is_left_holding();
    sealane_channel_free(shared);
    sealane_channel_free(peer);
}

/* Numbers are taken by several threads as fast as they can. */
enum { TAKES = 200000 };

static void *take_numbers(void *g)
{
    uint64_t first, last = 0;

    for (size_t i = 0; i < TAKES; i++) {
        if (generation_take_numbers(g, 1 + i % 2, &first) != 1 + i % 2 || (i > 0 && first <= last))
            return g; /* failed */
        last = first;
    }
    return NULL;
}

static void numbers_are_taken_once(void **state)
{
    pthread_t thread[3];
    struct generation *g;

    (void)state;
    shared = kit_end(WG, 0);
    g = channel_slot(shared, SEALANE_CURRENT);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, take_numbers, g), 0);
    for (int i = 0; i < 3; i++) {
        void *failed;
        assert_int_equal(pthread_join(thread[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(g->tx_next, 3 * (TAKES + TAKES / 2)); /* a number given twice would be missing here */
    sealane_channel_free(shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sealing_takes_the_current_keys),
        cmocka_unit_test(opening_takes_the_keys_with_the_id),
        cmocka_unit_test(only_live_waiting_keys_are_confirmed),
        cmocka_unit_test(a_packet_in_flight_meets_the_window_under_its_lock),
        cmocka_unit_test(moving_keys_are_found),
        cmocka_unit_test(waiting_keys_are_reported_once),
        cmocka_unit_test(numbers_are_taken_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
