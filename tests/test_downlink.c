/* test_downlink.c: the tunnel's way in on real sockets over loopback: what is not authentic tells the peer
 * nothing, and what is no packet is counted and dropped. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "downlink.h"

enum { LEN = 60 };
enum { PATIENCE_MS = 60000 }; /* for what has to come: loopback may leave it with a busy CPU for a while */

static const uint8_t psk[32] = {3};

struct end {
    struct udp udp;
    struct address address;
    struct downlink downlink;
    struct peer peer;
    struct stats stats;
};

/* Side 0 asks side 1; a stranger has a socket, too. */
struct world {
    struct end ends[2];
    struct udp stranger;
    uint64_t now;
};

static void send_datagram(void *user, const uint8_t *datagram, size_t len, const struct address *to)
{
    udp_send_one(&((struct end *)user)->udp, datagram, len, to);
}

static void say_nothing(void *user)
{
    (void)user;
}

static struct world *open_world(void)
{
    struct world *w = calloc(1, sizeof(*w));
    struct address any;

    assert_non_null(w);
    assert_int_equal(address_parse(&any, "127.0.0.1:0"), 0);
    assert_int_equal(udp_open(&w->stranger, &any, UDP_QUIET), 0);
    for (int i = 1; i >= 0; i--) {
        struct end *e = &w->ends[i];
        struct peer_config config = {.mtu = 1420};
        struct peer_io io = {e, send_datagram, say_nothing};

        e->downlink.udp = &e->udp;
        e->downlink.peer = &e->peer;
        e->downlink.stats = &e->stats;
        assert_int_equal(udp_open(&e->udp, &any, UDP_QUIET), 0);
        assert_int_equal(udp_local_address(&e->udp, &e->address), 0);
        assert_int_equal(downlink_init(&e->downlink), 0);
        if (i == 0)
            config.remote = w->ends[1].address;
        assert_int_equal(peer_init(&e->peer, psk, &config, &io), 0);
    }
    w->now = 10000;
    return w;
}

static void close_world(struct world *w)
{
    for (int i = 0; i < 2; i++) {
        downlink_free(&w->ends[i].downlink);
        peer_free(&w->ends[i].peer);
        udp_close(&w->ends[i].udp);
    }
    udp_close(&w->stranger);
    free(w);
}

/* Takes what comes to this end: at least one datagram. */
static void receive(struct world *w, int end)
{
    struct pollfd p = {.fd = w->ends[end].udp.fd, .events = POLLIN};

    assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
    downlink_run(&w->ends[end].downlink, w->now);
}

static void connect_ends(struct world *w)
{
    peer_tick(&w->ends[0].peer, w->now);
    receive(w, 1); /* hello, */
    receive(w, 0); /* answer, */
    receive(w, 1); /* confirmation, */
    receive(w, 0); /* and the answer to that */
    assert_true(w->ends[0].peer.was_ready);
    assert_true(w->ends[1].peer.was_ready);
}

/* A data packet of side 0; where it begins in buf. */
static uint8_t *seal(struct world *w, uint8_t buf[LEN + 64], size_t *len)
{
    struct sealane_packet p = {
        .channel = w->ends[0].peer.channel, .buf = buf, .cap = LEN + 64, .off = 16, .len = LEN};

    memset(buf, 0, LEN + 64);
    buf[16] = 0x45;
    buf[16 + 3] = LEN;
    assert_int_equal(sealane_seal_packets(&p, 1), 1);
    *len = p.len;
    return buf + p.off;
}

static void what_is_not_authentic_tells_nothing(void **state)
{
    struct world *w = open_world();
    struct peer *p = &w->ends[1].peer;
    struct stats *s = &w->ends[1].stats;
    uint8_t buf[LEN + 64], *datagram;
    struct address stranger;
    uint64_t heard;
    size_t len;

    (void)state;
    connect_ends(w);
    assert_int_equal(udp_local_address(&w->stranger, &stranger), 0);
    heard = p->last_heard;
    p->roam_counter = 0; /* a forged packet has no number: none is too old */
    w->now += 1000;
    datagram = seal(w, buf, &len);
    datagram[len - 1] ^= 1;
    udp_send_one(&w->stranger, datagram, len, &w->ends[1].address);
    receive(w, 1);
    assert_int_equal(s->drop_forged, 1);
    assert_int_equal(p->last_heard, heard);
    assert_true(address_equal(&p->address, &w->ends[0].address));

    datagram[len - 1] ^= 1; /* the packet itself, wherever it comes from */
    udp_send_one(&w->stranger, datagram, len, &w->ends[1].address);
    receive(w, 1);
    assert_int_equal(s->rx_packets, 1);
    assert_int_equal(p->last_heard, w->now);
    assert_true(address_equal(&p->address, &stranger));

    w->now += 1000;
    udp_send_one(&w->ends[0].udp, datagram, len, &w->ends[1].address);
    receive(w, 1);
    assert_int_equal(s->drop_replayed, 1);
    assert_int_equal(p->last_heard, w->now - 1000);
    assert_true(address_equal(&p->address, &stranger));
    close_world(w);
}

static void what_is_not_authentic_confirms_no_keys(void **state)
{
    struct world *w = open_world();
    struct peer *p = &w->ends[1].peer;
    uint8_t datagram[LEN] = {4};
    uint32_t id;

    (void)state;
    peer_tick(&w->ends[0].peer, w->now);
    receive(w, 1); /* the hello */
    assert_true(p->handshake.answered.half_open);
    id = p->handshake.answered.index;
    for (int i = 0; i < 4; i++)
        datagram[4 + i] = (uint8_t)(id >> 8 * i);
    udp_send_one(&w->stranger, datagram, LEN, &w->ends[1].address);
    receive(w, 1);
    assert_int_equal(w->ends[1].stats.drop_forged, 1);
    assert_true(p->handshake.answered.half_open);
    assert_int_equal(p->stats.sessions, 0);
    assert_int_equal(p->address.len, 0);
    close_world(w);
}

static void what_is_no_packet_is_dropped(void **state)
{
    struct world *w = open_world();
    uint8_t datagram[100] = {4};

    (void)state;
    for (size_t len = 0; len < 32; len++)
        udp_send_one(&w->stranger, datagram, len, &w->ends[1].address);
    datagram[0] = 9;
    udp_send_one(&w->stranger, datagram, sizeof(datagram), &w->ends[1].address);
    while (w->ends[1].stats.drop_unknown < 33)
        receive(w, 1);
    assert_int_equal(w->ends[1].stats.drop_unknown, 33);
    assert_int_equal(w->ends[1].stats.rx_datagrams, 0);
    close_world(w);
}

/* By routers on the way as well: nobody may hear of it from one that is silent. */
static void outer_packets_may_be_fragmented(void **state)
{
    static const char *const any[] = {"127.0.0.1:0", "[::]:0"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct address a;
        struct udp u;
        int value = -1;
        socklen_t len = sizeof(value);

        assert_int_equal(address_parse(&a, any[i]), 0);
        if (udp_open(&u, &a, UDP_QUIET) != 0) {
            print_message("skipped: no IPv6 here\n");
            continue;
        }
        assert_int_equal(getsockopt(u.fd, IPPROTO_IP, IP_MTU_DISCOVER, &value, &len), 0);
        assert_int_equal(value, IP_PMTUDISC_DONT);
        if (i == 1) {
            assert_int_equal(getsockopt(u.fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &value, &len), 0);
            assert_int_equal(value, IPV6_PMTUDISC_DONT);
        }
        udp_close(&u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_authentic_tells_nothing),
        cmocka_unit_test(what_is_not_authentic_confirms_no_keys),
        cmocka_unit_test(what_is_no_packet_is_dropped),
        cmocka_unit_test(outer_packets_may_be_fragmented),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
