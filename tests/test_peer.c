/* test_peer.c: two peers of the sample tunnel on a simulated network and clock: start, restart, loss, new
 * keys under load, roaming. No sockets, no waiting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "peer.h"

#define STEP_MS 50u
#define QUEUE 64u

static const uint8_t psk[32] = {7, 7, 7};

struct datagram {
    struct address from, to;
    size_t len;
    uint8_t bytes[256];
};

struct world;
struct end {
    struct world *world;
    struct peer peer;
    struct address address; /* where it is */
    unsigned ready;
    uint64_t opened, refused; /* data packets that came */
};

struct world {
    struct end ends[2];
    uint64_t now;
    struct datagram queue[QUEUE]; /* on the way */
    size_t n;
    unsigned loss; /* of 100 */
    struct datagram captured[16];
    size_t n_captured;
    uint64_t random;
};

static struct address address(const char *text)
{
    struct address a;

    assert_int_equal(address_parse(&a, text), 0);
    return a;
}

static void take(void *user, const uint8_t *bytes, size_t len, const struct address *to)
{
    struct end *e = user;
    struct world *w = e->world;
    struct datagram *d = &w->queue[w->n];

    assert_true(len <= sizeof(d->bytes));
    w->random = w->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    if (w->n == QUEUE || (w->random >> 33) % 100 < w->loss)
        return;
    *d = (struct datagram){.from = e->address, .to = *to, .len = len};
    memcpy(d->bytes, bytes, len);
    w->n++;
}

static void count_ready(void *user)
{
    ((struct end *)user)->ready++;
}

static void begin(struct end *e, const struct address *remote, uint64_t rekey_ms)
{
    struct peer_config config = {.mtu = 1420, .rekey_ms = rekey_ms};
    struct peer_io io = {e, take, count_ready};

    if (remote != NULL)
        config.remote = *remote;
    e->ready = 0;
    assert_int_equal(peer_init(&e->peer, psk, &config, &io), 0);
}

/* Side 0 knows side 1; with both, side 1 knows side 0 as well. */
static struct world *open_world(int both, uint64_t rekey_ms)
{
    struct world *w = calloc(1, sizeof(*w));

    assert_non_null(w);
    w->now = 5000000;
    w->random = 1;
    w->ends[0].address = address("10.0.0.1:1000");
    w->ends[1].address = address("10.0.0.2:2000");
    w->ends[0].world = w->ends[1].world = w;
    begin(&w->ends[0], &w->ends[1].address, rekey_ms);
    begin(&w->ends[1], both ? &w->ends[0].address : NULL, rekey_ms);
    return w;
}

static void close_world(struct world *w)
{
    peer_free(&w->ends[0].peer);
    peer_free(&w->ends[1].peer);
    free(w);
}

static void arrive(struct end *e, const struct datagram *d)
{
    uint8_t buf[256];
    struct sealane_packet p = {.channel = e->peer.channel, .buf = buf, .cap = d->len, .len = d->len};
    uint32_t id;

    memcpy(buf, d->bytes, d->len);
    if (buf[0] != 4) {
        peer_control(&e->peer, e->world->now, buf, d->len, &d->from);
        return;
    }
    if (sealane_open_packets(&p, 1) == 1) {
        assert_int_equal(sealane_peek(SEALANE_WIREGUARD, d->bytes, d->len, &id), SEALANE_OK);
        peer_heard(&e->peer, e->world->now, &p, id, &d->from);
        e->opened += p.kind == SEALANE_DATA;
    } else {
        e->refused++;
    }
}

/* Delivers what is on the way, and what that causes. */
static void deliver(struct world *w)
{
    while (w->n > 0) {
        struct datagram d = w->queue[0];

        memmove(w->queue, w->queue + 1, --w->n * sizeof(d));
        if (w->n_captured < 16)
            w->captured[w->n_captured++] = d;
        for (int i = 0; i < 2; i++) {
            if (address_equal(&d.to, &w->ends[i].address))
                arrive(&w->ends[i], &d);
        }
    }
}

static int send_data(struct end *e)
{
    uint8_t buf[256] = {0};
    struct sealane_packet p = {
        .channel = e->peer.channel, .buf = buf, .cap = sizeof(buf), .off = 64, .len = 28};

    if (!peer_can_send(&e->peer, e->world->now))
        return 0;
    buf[64] = 0x45;
    buf[64 + 3] = 28;
    if (sealane_seal_packets(&p, 1) != 1)
        return 0;
    take(e, p.buf + p.off, p.len, &e->peer.address);
    peer_sent(&e->peer, e->world->now);
    return 1;
}

static void pass(struct world *w, uint64_t ms)
{
    for (uint64_t t = 0; t < ms; t += STEP_MS) {
        w->now += STEP_MS;
        for (int i = 0; i < 2; i++)
            peer_tick(&w->ends[i].peer, w->now);
        deliver(w);
    }
}

static int flows(struct world *w)
{
    uint64_t at_0 = w->ends[0].opened, at_1 = w->ends[1].opened;

    send_data(&w->ends[0]);
    send_data(&w->ends[1]);
    deliver(w);
    return w->ends[0].opened > at_0 && w->ends[1].opened > at_1;
}

/* Milliseconds until data flows both ways; traffic: both sides try all the time, else only the clock runs. */
static uint64_t recovery(struct world *w, int traffic, uint64_t most)
{
    for (uint64_t t = 0; t < most; t += STEP_MS) {
        pass(w, STEP_MS);
        if (traffic && flows(w))
            return t;
    }
    return flows(w) ? most : UINT64_MAX;
}

static void one_side_knows_the_other(void **state)
{
    struct world *w = open_world(0, 0);

    (void)state;
    pass(w, 100);
    assert_int_equal(w->ends[0].ready, 1);
    assert_int_equal(w->ends[1].ready, 1);
    assert_true(flows(w));
    pass(w, 60000);
    assert_int_equal(w->ends[0].ready, 1);
    assert_int_equal(w->ends[0].peer.stats.sessions, 1); /* an idle tunnel keeps its session */
    assert_int_equal(w->ends[0].refused + w->ends[1].refused, 0);
    for (int i = 0; i < 2; i++) /* asks and answers, and no answers to answers */
        assert_in_range(w->ends[i].peer.stats.keepalives_sent, 15, 35);
    close_world(w);
}

/* The responder sends on its old keys until the initiator has shown that it has the new ones. */
static void a_lost_answer_leaves_the_old_keys(void **state)
{
    struct world *w = open_world(0, 0);
    struct end *a = &w->ends[0];
    uint64_t opened;

    (void)state;
    pass(w, 100);
    assert_true(flows(w));
    a->peer.wanted = 1;
    w->now += 2000;
    peer_tick(&a->peer, w->now);
    while (w->n > 0) {
        arrive(&w->ends[1], &w->queue[0]);
        w->n = 0; /* whatever comes back is lost */
    }
    assert_int_equal(w->ends[1].peer.stats.answers_sent, 2);
    opened = a->opened;
    assert_int_equal(send_data(&w->ends[1]), 1);
    deliver(w);
    assert_int_equal(a->opened, opened + 1);
    close_world(w);
}

/* Of the three messages of a start, and of the answer to the confirmation, each may be lost. */
static void a_lost_message_costs_little(void **state)
{
    static const uint64_t most[4] = {1500, 1500, 500, 1500};

    (void)state;
    for (int lost = 0; lost < 4; lost++) {
        struct world *w = open_world(0, 0);
        struct end *a = &w->ends[0], *b = &w->ends[1];
        uint64_t t = 0;

        w->now += STEP_MS;
        peer_tick(&a->peer, w->now);
        for (int i = 0; i < lost; i++) { /* one message at a time, from side to side */
            struct datagram d = w->queue[0];

            assert_int_equal(w->n, 1);
            w->n = 0;
            arrive(i % 2 == 0 ? b : a, &d);
        }
        assert_int_equal(w->n, 1);
        w->n = 0;
        for (; a->ready + b->ready < 2 && t < 5000; t += STEP_MS)
            pass(w, STEP_MS);
        assert_in_range(t, 0, most[lost]);
        close_world(w);
    }
}

static void both_sides_begin_at_once(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        struct world *w = open_world(1, 0);

        assert_true(recovery(w, 0, 3000) <= 3000);
        assert_int_equal(w->ends[0].ready, 1);
        assert_int_equal(w->ends[1].ready, 1);
        close_world(w);
    }
}

static void a_lossy_network_delays_only(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 50; i++) {
        struct world *w = open_world((int)i % 2, 0);

        w->loss = 30;
        w->random = i;
        pass(w, 20000);
        w->loss = 0;
        assert_true(recovery(w, 1, 5000) <= 5000);
        close_world(w);
    }
}

/* Either side starts again, with traffic and without. */
static void a_restarted_side_recovers(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++) {
        for (int how = 0; how < 4; how++) {
            struct world *w = open_world(how & 1, 0);
            struct end *e = &w->ends[side];
            struct address remote = w->ends[1 - side].address;

            pass(w, 3000);
            assert_true(flows(w));
            pass(w, 10000);
            peer_free(&e->peer);
            begin(e, side == 0 || (how & 1) ? &remote : NULL, 0);
            assert_true(recovery(w, how & 2, 9000) <= 9000);
            close_world(w);
        }
    }
}

static void new_keys_lose_nothing(void **state)
{
    struct world *w = open_world(0, 2000);
    uint64_t sent = 0;

    (void)state;
    pass(w, 100);
    for (int i = 0; i < 1000; i++) {
        sent += (uint64_t)(send_data(&w->ends[0]) + send_data(&w->ends[1]));
        pass(w, STEP_MS);
    }
    assert_int_equal(sent, 2000);
    assert_int_equal(w->ends[0].opened + w->ends[1].opened, sent);
    assert_int_equal(w->ends[0].refused + w->ends[1].refused, 0);
    assert_in_range(w->ends[0].peer.stats.sessions, 20, 30);
    close_world(w);
}

static void keys_change_after_two_minutes(void **state)
{
    struct world *w = open_world(1, 0);

    (void)state;
    pass(w, 119000);
    assert_int_equal(w->ends[0].peer.stats.sessions, 1);
    pass(w, 3000);
    assert_int_equal(w->ends[0].peer.stats.sessions, 2);
    assert_int_equal(w->ends[1].peer.stats.sessions, 2);
    assert_true(flows(w));
    close_world(w);
}

/* Who asked for the keys asks for new ones; the other side waits some seconds, then it asks. */
static void the_initiator_changes_keys_first(void **state)
{
    (void)state;
    for (int mute = 0; mute < 2; mute++) {
        struct world *w = open_world(1, 0);
        struct peer *initiator, *other;
        uint64_t hellos;

        pass(w, 3000);
        initiator = &w->ends[w->ends[0].peer.initiator ? 0 : 1].peer;
        other = &w->ends[w->ends[0].peer.initiator ? 1 : 0].peer;
        hellos = other->stats.hellos_sent;
        if (mute)
            initiator->config.rekey_ms = 1000000;
        pass(w, 124000);
        assert_int_equal(other->stats.hellos_sent, hellos);
        pass(w, 8000);
        assert_int_equal(other->stats.hellos_sent, hellos + (uint64_t)mute);
        assert_int_equal(other->stats.sessions, 2);
        close_world(w);
    }
}

/* Nobody is there: a hello once a second and no more. */
static void hellos_come_once_a_second(void **state)
{
    struct world *w = open_world(0, 0);

    (void)state;
    w->loss = 100;
    pass(w, 30000);
    assert_in_range(w->ends[0].peer.stats.hellos_sent, 24, 31);
    assert_int_equal(w->ends[1].peer.stats.hellos_sent, 0);
    close_world(w);
}

/* A side that learned where its peer is looks for it as long as there is something to send, and some time
 * more. */
static void a_lost_peer_is_looked_for_while_it_is_wanted(void **state)
{
    struct world *w = open_world(0, 0);
    struct peer *p = &w->ends[1].peer;
    uint64_t hellos;

    (void)state;
    pass(w, 100);
    assert_true(flows(w));
    w->loss = 100;
    for (int i = 0; i < 150; i++) {
        send_data(&w->ends[1]);
        pass(w, 1000);
    }
    hellos = p->stats.hellos_sent;
    assert_in_range(hellos, 100, 150);
    pass(w, 85000);
    assert_in_range(p->stats.hellos_sent, hellos + 60, hellos + 86);
    hellos = p->stats.hellos_sent;
    pass(w, 100000);
    assert_in_range(p->stats.hellos_sent, hellos, hellos + 6);
    close_world(w);
}

/* The timestamps of a side that starts again are older than those that its peer remembers. */
static void a_clock_that_went_back_delays_only(void **state)
{
    (void)state;
    for (int both = 0; both < 2; both++) {
        struct world *w = open_world(both, 0);

        pass(w, 3000);
        assert_true(flows(w));
        w->ends[1].peer.handshake.confirmed = UINT64_MAX / 2;
        peer_free(&w->ends[0].peer);
        begin(&w->ends[0], &w->ends[1].address, 0);
        assert_true(recovery(w, 1, 9000) <= 9000);
        assert_true(w->ends[1].peer.stats.results[HANDSHAKE_STALE] > 0);
        close_world(w);
    }
}

static void a_suspended_machine_comes_back(void **state)
{
    struct world *w = open_world(0, 0);

    (void)state;
    pass(w, 1000);
    assert_true(flows(w));
    w->now += 3600000; /* both keys are dead */
    assert_false(flows(w));
    assert_true(recovery(w, 1, 2000) <= 2000);
    close_world(w);
}

/* The address follows authentic packets only: no forged, replayed or reflected one, and no handshake message.
 */
static void only_authentic_packets_move_the_address(void **state)
{
    struct world *w = open_world(0, 0);
    struct end *b = &w->ends[1];
    struct address home = w->ends[0].address, away = address("10.0.0.66:66");
    uint64_t answers;

    (void)state;
    pass(w, 100);
    assert_true(flows(w));
    pass(w, 100);
    for (size_t i = 0; i < w->n_captured; i++) {
        struct datagram d = w->captured[i];

        d.from = away;
        arrive(b, &d); /* replays, some of them reflected */
        d.bytes[d.len - 1] ^= 1;
        arrive(b, &d);
        assert_true(address_equal(&b->peer.address, &home));
    }
    answers = b->peer.stats.answers_sent;
    assert_in_range(answers, 1, 2); /* the first hello once more may get its answer once more */
    assert_true(flows(w));
    assert_int_equal(b->peer.stats.sessions, 1);

    w->ends[0].address = away; /* it really moves */
    assert_int_equal(send_data(&w->ends[0]), 1);
    deliver(w);
    assert_true(address_equal(&b->peer.address, &away));
    assert_true(flows(w));
    assert_int_equal(b->peer.stats.roamed, 1);
    close_world(w);
}

static void an_old_packet_does_not_move_the_address_back(void **state)
{
    struct world *w = open_world(0, 0);
    struct datagram late;
    struct address away = address("10.0.0.66:66");

    (void)state;
    pass(w, 100);
    assert_int_equal(send_data(&w->ends[0]), 1);
    late = w->queue[--w->n]; /* held back on the old path */
    w->ends[0].address = away;
    assert_int_equal(send_data(&w->ends[0]), 1);
    deliver(w);
    assert_true(address_equal(&w->ends[1].peer.address, &away));
    arrive(&w->ends[1], &late);
    assert_int_equal(w->ends[1].opened, 2);
    assert_true(address_equal(&w->ends[1].peer.address, &away));
    close_world(w);
}

/* Nor does one of the session before, however far that had counted. */
static void a_packet_on_old_keys_does_not_move_the_address(void **state)
{
    struct world *w = open_world(0, 0);
    struct end *a = &w->ends[0], *b = &w->ends[1];
    struct datagram late;
    struct address away = address("10.0.0.66:66");

    (void)state;
    pass(w, 2000);
    for (int i = 0; i < 100; i++)
        assert_true(flows(w));
    assert_int_equal(send_data(a), 1);
    late = w->queue[--w->n];
    a->peer.wanted = 1;
    pass(w, 200);
    assert_int_equal(b->peer.stats.sessions, 2);
    a->address = away;
    assert_int_equal(send_data(a), 1);
    deliver(w);
    assert_true(address_equal(&b->peer.address, &away));
    arrive(b, &late);
    assert_int_equal(b->refused, 0);
    assert_true(address_equal(&b->peer.address, &away));
    close_world(w);
}

static void a_peer_that_roamed_and_restarted_is_found(void **state)
{
    struct world *w = open_world(0, 0);
    struct address home = w->ends[1].address;

    (void)state;
    pass(w, 100);
    w->ends[1].address = address("10.0.0.77:77");
    assert_int_equal(send_data(&w->ends[1]), 1);
    deliver(w);
    assert_true(flows(w));
    peer_free(&w->ends[1].peer);
    w->ends[1].address = home;
    begin(&w->ends[1], NULL, 0);
    assert_true(recovery(w, 0, 9000) <= 9000);
    close_world(w);
}

static void floods_are_throttled(void **state)
{
    struct world *w = open_world(0, 0);
    struct datagram junk = {.from = address("10.0.0.66:66"), .len = HANDSHAKE_HELLO_LEN, .bytes = {1}},
                    replay;
    struct peer *p = &w->ends[1].peer;

    (void)state;
    pass(w, 100);
    replay = w->captured[0];
    assert_int_equal(replay.bytes[0], HANDSHAKE_HELLO);
    for (int i = 0; i < 20000; i++)
        arrive(&w->ends[1], &junk);
    assert_in_range(p->stats.results[HANDSHAKE_FORGED], 4000, 6000);
    assert_true(p->stats.throttled >= 14000);
    for (int i = 0; i < 20000; i++) /* from the peer's own address, as it seems */
        arrive(&w->ends[1], &replay);
    assert_in_range(p->stats.answers_sent, 1, 30);
    assert_int_equal(p->stats.sessions, 1);
    assert_true(flows(w));
    close_world(w);
}

/* The peer's own hellos get through a flood that has used up what is given to strangers. */
static void a_flood_keeps_no_peer_out(void **state)
{
    struct world *w = open_world(0, 0);
    struct datagram junk = {.from = address("10.0.0.66:66"), .len = HANDSHAKE_HELLO_LEN, .bytes = {1}};

    (void)state;
    pass(w, 3000);
    for (int i = 0; i < 20000; i++)
        arrive(&w->ends[1], &junk);
    assert_true(w->ends[1].peer.stats.throttled > 0);
    w->ends[0].peer.wanted = 1;
    peer_tick(&w->ends[0].peer, w->now);
    deliver(w);
    assert_int_equal(w->ends[1].peer.stats.sessions, 2);
    close_world(w);
}

/* Two threads read the clock before they get the lock: the later one may get it first. */
static void a_late_thread_is_told_the_time(void **state)
{
    struct world *w = open_world(0, 0);
    struct peer *p = &w->ends[0].peer;
    uint64_t hellos, keepalives, now;

    (void)state;
    pass(w, 100);
    assert_true(flows(w));
    hellos = p->stats.hellos_sent;
    keepalives = p->stats.keepalives_sent;
    now = peer_lock(p, w->now + 5);
    assert_int_equal(now, w->now + 5);
    peer_sent(p, now);
    peer_unlock(p);
    now = peer_lock(p, w->now);
    assert_int_equal(now, w->now + 5);
    peer_tick(p, now);
    peer_unlock(p);
    assert_int_equal(p->stats.hellos_sent, hellos);
    assert_int_equal(p->stats.keepalives_sent, keepalives);
    close_world(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_side_knows_the_other),
        cmocka_unit_test(a_lost_answer_leaves_the_old_keys),
        cmocka_unit_test(a_lost_message_costs_little),
        cmocka_unit_test(both_sides_begin_at_once),
        cmocka_unit_test(a_lossy_network_delays_only),
        cmocka_unit_test(a_restarted_side_recovers),
        cmocka_unit_test(new_keys_lose_nothing),
        cmocka_unit_test(keys_change_after_two_minutes),
        cmocka_unit_test(the_initiator_changes_keys_first),
        cmocka_unit_test(hellos_come_once_a_second),
        cmocka_unit_test(a_lost_peer_is_looked_for_while_it_is_wanted),
        cmocka_unit_test(a_clock_that_went_back_delays_only),
        cmocka_unit_test(a_suspended_machine_comes_back),
        cmocka_unit_test(only_authentic_packets_move_the_address),
        cmocka_unit_test(an_old_packet_does_not_move_the_address_back),
        cmocka_unit_test(a_packet_on_old_keys_does_not_move_the_address),
        cmocka_unit_test(a_peer_that_roamed_and_restarted_is_found),
        cmocka_unit_test(floods_are_throttled),
        cmocka_unit_test(a_flood_keeps_no_peer_out),
        cmocka_unit_test(a_late_thread_is_told_the_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
