/* test_packet_threads.c: the thread contract of packet.h. Four threads seal and open bursts on two shared
 * channels, in both directions, with reordering and every datagram delivered twice, while a fifth installs,
 * retires and ticks. Every number is used once and accepted once, and whatever was sealed opens under its
 * keys. The thread sanitizer runs it too. */
#include "packet_kit.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include <sealane/aead.h>

#include "rng.h"

enum {
    WORKERS = 4,
    BURSTS = 120,        /* of each worker */
    BURST_MAX = 100,     /* packets: more than the library takes at once */
    GENERATIONS = 200,   /* as many key changes at most */
    NUMBERS = 48 * 1024, /* of one generation */
    POOL = 512,
    PAYLOAD = 40,
    DATAGRAM = 16 + 48 + 16
};

_Static_assert(WORKERS *BURSTS *BURST_MAX < NUMBERS, "a number has its flag");

struct datagram {
    uint8_t bytes[DATAGRAM];
    int to; /* which end; -1: an empty place */
};

/* Flags for numbers, by direction and generation: sealed under, accepted under. */
struct ledger {
    _Atomic uint8_t sealed[2][GENERATIONS][NUMBERS], accepted[2][GENERATIONS][NUMBERS];
};

static struct {
    struct sealane_channel *end[2];
    struct ledger *ledger;
    pthread_mutex_t lock; /* of pool */
    struct datagram pool[POOL];
    atomic_bool stop;
    bool rekey; /* a fifth thread changes keys */
    _Atomic uint32_t failures, accepted, replayed, no_key, bursts, changes;
} net;

/* cmocka's assertions work in the main thread alone. */
static void expect(bool good, const char *what)
{
    if (!good && atomic_fetch_add(&net.failures, 1) < 10)
        print_error("%s\n", what);
}

static uint32_t generation_of(uint32_t id, int end)
{
    return (id - 0x100 - (uint32_t)end) / 2; /* as kit_keys numbers them */
}

/* A sealed packet opens with nothing but the raw key of its generation, and its number is new. */
static void check_sealed(const struct sealane_packet *p, int from)
{
    const uint8_t *d = p->buf + p->off;
    struct sealane_key key;
    struct sealane_keys keys;
    uint8_t plain[48], nonce[12] = {0};
    uint32_t id = 0, n;

    expect(sealane_peek(SEALANE_WIREGUARD, d, p->len, &id) == SEALANE_OK && p->len == DATAGRAM, "a datagram");
    n = generation_of(id, from);
    if (n >= GENERATIONS || p->counter >= NUMBERS) {
        expect(false, "an id and a number that were given out");
        return;
    }
    keys = kit_keys(SEALANE_WIREGUARD, n, from);
    expect(sealane_key_init(&key, keys.tx_key) == SEALANE_OK, "a key");
    memcpy(nonce + 4, d + 8, 8);
    expect(sealane_open(&key, nonce, NULL, 0, d + 16, 48, d + 64, plain) == SEALANE_OK,
           "sealed under live keys");
    expect(!atomic_exchange(&net.ledger->sealed[from][n][p->counter], 1), "a number is used once");
}

/* Leaves a datagram in a random place and takes what lay there: late, early, or never before the end. */
static bool exchange(struct rng *rng, struct datagram *d)
{
    struct datagram *place = &net.pool[rng_below(rng, POOL)], taken;

    pthread_mutex_lock(&net.lock);
    taken = *place;
    *place = *d;
    pthread_mutex_unlock(&net.lock);
    *d = taken;
    return taken.to >= 0;
}

static void open_all(const struct datagram *d, size_t n)
{
    struct sealane_packet p[2 * BURST_MAX];
    uint8_t out[2 * BURST_MAX][DATAGRAM];

    for (size_t i = 0; i < n; i++)
        p[i] = (struct sealane_packet){
            .channel = net.end[d[i].to], .buf = out[i], .cap = DATAGRAM, .src = d[i].bytes, .len = DATAGRAM};
    sealane_open_packets(p, n);
    for (size_t i = 0; i < n; i++) {
        uint32_t id = 0, generation;

        expect(sealane_peek(SEALANE_WIREGUARD, d[i].bytes, DATAGRAM, &id) == SEALANE_OK, "a datagram");
        generation = generation_of(id, 1 - d[i].to);
        if (p[i].status == SEALANE_OK) {
            expect(p[i].len == PAYLOAD && out[i][16] == 0x45, "the payload");
            expect(!atomic_exchange(&net.ledger->accepted[1 - d[i].to][generation][p[i].counter], 1),
                   "a number is accepted once");
        }
        expect(p[i].status == SEALANE_OK || p[i].status == SEALANE_EREPLAY || p[i].status == SEALANE_ENOKEY,
               "accepted, seen before, or of keys that are gone");
        net.accepted += p[i].status == SEALANE_OK;
        net.replayed += p[i].status == SEALANE_EREPLAY;
        net.no_key += p[i].status == SEALANE_ENOKEY;
    }
}

static void burst(struct rng *rng)
{
    static const uint8_t payload[PAYLOAD] = {0x45, 0, 0, PAYLOAD};
    struct sealane_packet p[BURST_MAX];
    uint8_t buf[BURST_MAX][DATAGRAM + 32];
    int from[BURST_MAX];
    struct datagram d[2 * BURST_MAX];
    size_t n = 1 + rng_below(rng, BURST_MAX), n_datagrams = 0;

    for (size_t i = 0; i < n; i++) {
        from[i] = rng_below(rng, 8) == 0;
        p[i] = (struct sealane_packet){.channel = net.end[from[i]],
                                       .buf = buf[i],
                                       .cap = sizeof buf[i],
                                       .src = payload,
                                       .off = 16,
                                       .len = PAYLOAD};
    }
    sealane_seal_packets(p, n);
    for (size_t i = 0; i < n; i++) {
        expect(p[i].status == SEALANE_OK || p[i].status == SEALANE_ENOKEY, "sealed, or no keys");
        if (p[i].status != SEALANE_OK)
            continue;
        check_sealed(&p[i], from[i]);
        for (int copies = 0; copies < 2; copies++) {
            memcpy(d[n_datagrams].bytes, buf[i] + p[i].off, DATAGRAM);
            d[n_datagrams].to = 1 - from[i];
            n_datagrams += exchange(rng, &d[n_datagrams]);
        }
    }
    open_all(d, n_datagrams);
}

static void *work(void *arg)
{
    struct rng rng = {(uint64_t)(uintptr_t)arg};

    for (uint32_t i = 0; i < BURSTS; i++) {
        while (net.rekey && net.changes < 4 * i / BURSTS) /* a busy machine may not have run the fifth yet */
            sched_yield();
        burst(&rng);
        net.bursts++;
    }
    return NULL;
}

static void install(uint32_t n, int end, int when)
{
    struct sealane_keys k = kit_keys(SEALANE_WIREGUARD, n, end);

    k.window = 65535;
    expect(sealane_channel_install(net.end[end], &k, when) == SEALANE_OK, "keys are installed");
}

/* New keys all the time, most of them the way of a handshake; now and then all are gone for a moment. */
static void *change_keys(void *arg)
{
    struct rng rng = {99};

    (void)arg;
    for (uint32_t n = 1; n < GENERATIONS && !net.stop; n++) {
        struct sealane_stats stats = {.size = sizeof stats};
        int end = (int)(n & 1);

        install(n, 1 - end, SEALANE_ON_FIRST_PACKET);
        install(n, end, SEALANE_NOW);
        expect(sealane_channel_tick(net.end[end], n) == SEALANE_OK, "tick");
        expect(sealane_channel_due(net.end[0]) >= 0, "due");
        expect(sealane_channel_stats(net.end[1], &stats) == SEALANE_OK, "stats");
        net.changes++;
        for (uint32_t until = net.bursts + (uint32_t)rng_below(&rng, 5), yields = 0;
             net.bursts < until && !net.stop && yields < 1000; yields++)
            sched_yield();
        if (rng_below(&rng, 3) == 0) {
            int slot = SEALANE_PREVIOUS + (int)rng_below(&rng, 4);
            int err = sealane_channel_retire(net.end[rng_below(&rng, 2)], slot);
            expect(err == SEALANE_OK || err == SEALANE_ENOKEY, "retire");
        }
    }
    return NULL;
}

static void start(void)
{
    memset(&net, 0, sizeof net);
    assert_int_equal(pthread_mutex_init(&net.lock, NULL), 0);
    net.ledger = calloc(1, sizeof *net.ledger);
    assert_non_null(net.ledger);
    for (int i = 0; i < POOL; i++)
        net.pool[i].to = -1;
    for (int end = 0; end < 2; end++) {
        net.end[end] = kit_channel();
        install(0, end, SEALANE_NOW);
    }
}

static void run(bool rekey)
{
    pthread_t worker[WORKERS], fifth;

    net.rekey = rekey;
    for (uintptr_t i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_create(&worker[i], NULL, work, (void *)(i + 1)), 0);
    if (rekey)
        assert_int_equal(pthread_create(&fifth, NULL, change_keys, NULL), 0);
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_join(worker[i], NULL), 0);
    net.stop = true;
    if (rekey)
        assert_int_equal(pthread_join(fifth, NULL), 0);
    for (int i = 0; i < POOL; i++)
        if (net.pool[i].to >= 0)
            open_all(&net.pool[i], 1);
}

/* The numbers under each key are 0, 1, 2 .. without a gap. Returns how many there are. */
static uint32_t count_sealed(int side)
{
    uint32_t total = 0;

    for (int n = 0; n < GENERATIONS; n++) {
        uint32_t last = 0;
        for (uint32_t i = 0; i < NUMBERS; i++)
            if (net.ledger->sealed[side][n][i]) {
                assert_int_equal(i, last);
                last++;
            }
        total += last;
    }
    return total;
}

static void finish(void)
{
    sealane_channel_free(net.end[0]);
    sealane_channel_free(net.end[1]);
    free(net.ledger);
    pthread_mutex_destroy(&net.lock);
}

static void shared_keys_give_and_take_each_number_once(void **state)
{
    uint32_t sealed;

    (void)state;
    start();
    run(false);
    sealed = count_sealed(0) + count_sealed(1);
    assert_int_equal(net.failures, 0);
    assert_int_equal(net.no_key, 0);
    assert_int_equal(net.accepted, sealed); /* all arrived, each twice, and the window forgets none */
    assert_int_equal(net.replayed, sealed);
    assert_memory_equal((const void *)net.ledger->sealed, (const void *)net.ledger->accepted,
                        sizeof net.ledger->sealed);
    for (int end = 0; end < 2; end++) {
        assert_int_equal(kit_stats(net.end[end]).sealed_packets, count_sealed(end));
        assert_int_equal(kit_stats(net.end[end]).opened_packets, count_sealed(1 - end));
    }
    finish();
}

static void keys_change_under_full_traffic(void **state)
{
    uint32_t changes;

    (void)state;
    start();
    run(true);
    changes = (uint32_t)kit_stats(net.end[0]).keys_installed;
    print_message("%u generations, %u accepted, %u replayed, %u of keys that were gone\n", changes,
                  net.accepted, net.replayed, net.no_key);
    assert_int_equal(net.failures, 0);
    assert_true(changes > 2);
    assert_true(net.accepted > 0 && net.replayed > 0);
    assert_true(count_sealed(0) + count_sealed(1) >= net.accepted);
    assert_int_equal(kit_stats(net.end[0]).forged + kit_stats(net.end[1]).forged, 0);
    finish();
}

/* Two threads verify the same datagrams at the same time, and come to the window together. */
enum { ROUNDS = 400, TWINS = 64 };

static struct datagram twins[TWINS];
static _Atomic int arrived;

static void meet(int *meetings)
{
    *meetings += 2;
    arrived++;
    while (arrived < *meetings)
        sched_yield();
}

static void make_twins(void)
{
    static const uint8_t payload[PAYLOAD] = {0x45, 0, 0, PAYLOAD};

    for (int i = 0; i < TWINS; i++) {
        uint8_t buf[DATAGRAM + 32];
        struct sealane_packet p = {
            .channel = net.end[0], .buf = buf, .cap = sizeof buf, .src = payload, .off = 16, .len = PAYLOAD};

        expect(sealane_seal_packets(&p, 1) == 1, "sealed");
        memcpy(twins[i].bytes, buf, DATAGRAM);
        twins[i].to = 1;
    }
}

static void *open_twins(void *maker)
{
    int meetings = 0;

    for (int round = 0; round < ROUNDS; round++) {
        if (maker != NULL)
            make_twins();
        meet(&meetings);
        open_all(twins, TWINS);
        meet(&meetings);
    }
    return NULL;
}

static void two_at_once_accept_a_number_once(void **state)
{
    pthread_t other;

    (void)state;
    start();
    arrived = 0;
    assert_int_equal(pthread_create(&other, NULL, open_twins, NULL), 0);
    open_twins(&net);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_int_equal(net.failures, 0);
    assert_int_equal(net.accepted, ROUNDS * TWINS);
    assert_int_equal(net.replayed, ROUNDS * TWINS);
    finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_keys_give_and_take_each_number_once),
        cmocka_unit_test(keys_change_under_full_traffic),
        cmocka_unit_test(two_at_once_accept_a_number_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
