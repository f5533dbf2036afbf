/* test_packet_races.c: key changes between the two steps of finding keys without a lock (channel_slots.c): a
 * slot was read, and what lay there is retired, moved or filled anew before it can be held. Threads hit this
 * once in a blue moon; here it happens every time: channel_slots.c is compiled in with a generation_hold that
 * lets the other thread go first. */
#include "packet_kit.h"

#include "channel.h"

static void (*meanwhile)(struct sealane_channel *ch); /* what the other thread does; once */
static struct sealane_channel *channel;

static bool hold_late(struct generation *g)
{
    void (*other)(struct sealane_channel * ch) = meanwhile;

    meanwhile = NULL;
    if (other != NULL)
        other(channel);
    return generation_hold(g);
}

#define generation_hold hold_late
#include "channel_slots.c"
#undef generation_hold

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
    for (const struct generation *g = channel->generations; g != NULL; g = g->next)
        assert_int_equal(calls_in_flight(g), 0);
}

static void sealing_takes_the_current_keys(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_RACES; i++) {
        const struct race *r = &races[i];
        struct generation *g = NULL;

        print_message("%s\n", r->name);
        channel = kit_end(WG, 0);
        meanwhile = r->meanwhile;
        assert_int_equal(channel_hold_current(channel, &g), r->sealing);
        assert_null(meanwhile);
        if (r->sealing == SEALANE_OK) {
            assert_ptr_equal(g, channel_slot(channel, SEALANE_CURRENT));
            assert_int_equal(g->rx_id, rx_id(r->sealing_on));
            assert_int_equal(calls_in_flight(g), 1);
            generation_release(g);
        }
        nobody_is_left_holding();
        sealane_channel_free(channel);
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
        channel = kit_end(WG, 0);
        meanwhile = r->meanwhile;
        assert_int_equal(channel_hold_id(channel, rx_id(0), &g, &slot), r->opening);
        assert_null(meanwhile);
        if (r->opening == SEALANE_OK) {
            assert_int_equal(g->rx_id, rx_id(0));
            assert_int_equal(calls_in_flight(g), 1);
            generation_release(g);
        }
        nobody_is_left_holding();
        sealane_channel_free(channel);
    }
}

/* Waiting keys that expire, are replaced or confirmed while a packet on them is being verified. */
static void only_live_waiting_keys_are_confirmed(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        struct generation *g;

        channel = kit_end(WG, 0);
        kit_install(channel, WG, 1, 0, SEALANE_ON_FIRST_PACKET);
        g = channel_slot(channel, SEALANE_NEXT);
        assert_true(generation_hold(g));
        if (way == 1)
            expire(channel);
        else if (way == 2)
            kit_install(channel, WG, 2, 0, SEALANE_ON_FIRST_PACKET);
        else if (way == 3)
            assert_true(channel_confirm(channel, g));
        assert_int_equal(channel_confirm(channel, g), way == 0);
        assert_int_equal(channel_slot(channel, SEALANE_CURRENT) == g, way == 0 || way == 3);
        generation_release(g);
        sealane_channel_free(channel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sealing_takes_the_current_keys),
        cmocka_unit_test(opening_takes_the_keys_with_the_id),
        cmocka_unit_test(only_live_waiting_keys_are_confirmed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
