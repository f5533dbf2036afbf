/* test_reader.c: the tunnel's reader of TUN on a pair of sockets in its place. Whatever follows on whatever,
 * the packets that come out are those that segment.c alone cuts from the packet as a whole, each with room
 * around it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>

#include "inner_packet.h"
#include "reader.h"

enum { HEAD = 16, TAIL = 31 };

static uint8_t payload[READER_MOST], packet[READER_MOST + 100], want[READER_MOST];

struct bench {
    int feed; /* the system's side of the device */
    struct tun tun;
    struct stats stats;
    struct reader reader;
    uint8_t *arena;
};

static void open_bench(struct bench *b, int vnet)
{
    int pair[2], size = 1 << 20;

    memset(b, 0, sizeof(*b));
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
    b->feed = pair[0];
    b->tun = (struct tun){.fd = pair[1], .vnet = vnet};
    b->reader = (struct reader){.tun = &b->tun, .stats = &b->stats, .head = HEAD, .tail = TAIL};
    assert_int_equal(reader_init(&b->reader), 0);
    b->arena = malloc(READER_SPAN);
    assert_non_null(b->arena);
}

static void close_bench(struct bench *b)
{
    reader_free(&b->reader);
    free(b->arena);
    close(b->feed);
    close(b->tun.fd);
}

static void feed(struct bench *b, const struct vnet_hdr *vnet, size_t len)
{
    struct iovec spans[2] = {{(void *)(uintptr_t)vnet, sizeof(*vnet)}, {packet, len}};
    int first = b->tun.vnet ? 0 : 1;

    assert_true(writev(b->feed, spans + first, 2 - first) > 0);
}

/* Feeds the packet and takes out what comes, as uplink.c does. */
static void check(struct bench *b, const struct vnet_hdr *vnet, size_t len)
{
    struct segment_plan plan;
    uint8_t *slot = b->arena;
    size_t n = 0;

    assert_int_equal(segment_plan(&plan, packet, len, vnet, READER_MOST), 0);
    feed(b, vnet, len);
    assert_int_equal(reader_read(&b->reader, b->arena), 1);
    for (; reader_more(&b->reader); n++) {
        size_t got = reader_next(&b->reader, slot);

        assert_int_equal(got, segment_len(&plan, n));
        segment_cut(&plan, n, want);
        assert_memory_equal(slot + HEAD, want, got);
        memset(slot, 0x11, HEAD); /* what sealing writes around it harms nobody */
        memset(slot + HEAD + got, 0x22, TAIL);
        slot += reader_step(&b->reader, got);
        assert_true((size_t)(slot - b->arena) <= READER_SPAN || !b->reader.scattered);
        if (!b->reader.scattered)
            slot = b->arena;
    }
    assert_int_equal(n, plan.n);
    assert_int_equal(reader_read(&b->reader, b->arena), 0);
}

static void check_super(struct bench *b, const struct inner *t, size_t payload_len, size_t gso_size)
{
    struct vnet_hdr vnet;
    size_t len = inner_build_super(packet, &vnet, t, payload, payload_len, gso_size);

    check(b, &vnet, len);
}

static void check_plain(struct bench *b, const struct inner *t, size_t payload_len)
{
    struct vnet_hdr none = {0};

    check(b, &none, inner_build(packet, t, payload, payload_len));
}

static const struct inner tcp4 = {
    .version = 4, .ttl = 64, .seq = 7, .flags = INNER_ACK | INNER_PSH, .df = true};
static const struct inner tcp6 = {.version = 6, .ttl = 64, .seq = 8, .flags = INNER_ACK, .options_len = 12};
static const struct inner udp4 = {.version = 4, .ttl = 64, .udp = true};

static void the_same_again_is_not_copied(void **state)
{
    struct bench b;

    (void)state;
    open_bench(&b, 1);
    check_super(&b, &tcp4, 60000, 1380);
    assert_false(b.reader.scattered);
    for (size_t len = 1381; len < 65000; len += 1111) {
        check_super(&b, &tcp4, len, 1380);
        assert_true(b.reader.scattered);
    }
    check_super(&b, &tcp4, 65495, 512); /* the most segments that are scattered */
    check_super(&b, &tcp4, 65495, 512);
    assert_true(b.reader.scattered);
    check_plain(&b, &tcp4, 0);
    assert_true(b.reader.scattered);
    close_bench(&b);
}

static void a_few_plain_packets_are_no_change_of_mind(void **state)
{
    struct bench b;

    (void)state;
    open_bench(&b, 1);
    check_super(&b, &tcp4, 60000, 1380);
    for (unsigned plain = 0; plain <= READER_PLAIN_MOST; plain++) {
        for (unsigned i = 0; i < plain; i++)
            check_plain(&b, &tcp4, 700);
        check_super(&b, &tcp4, 60000, 1380);
        assert_true(b.reader.scattered);
    }
    for (unsigned i = 0; i <= READER_PLAIN_MOST; i++)
        check_plain(&b, &tcp4, 700);
    check_super(&b, &tcp4, 60000, 1380);
    assert_false(b.reader.scattered);
    check_super(&b, &tcp4, 60000, 1380);
    check_plain(&b, &tcp4, 1400); /* longer than the packets expected */
    assert_false(b.reader.scattered);
    check_plain(&b, &tcp4, 1400);
    assert_true(b.reader.scattered);
    close_bench(&b);
}

static void anything_follows_on_anything(void **state)
{
    static const struct inner *const kinds[] = {&tcp4, &tcp6, &udp4};
    static const size_t sizes[] = {100, 536, 1372, 1380, 8900};
    uint64_t rng = 3;
    struct bench b;

    (void)state;
    open_bench(&b, 1);
    for (int i = 0; i < 3000; i++) {
        const struct inner *t = kinds[inner_random(&rng) % 3];
        size_t gso = sizes[inner_random(&rng) % 5], most = READER_MOST - 100;

        if (inner_random(&rng) % 3 == 0)
            check_plain(&b, t, inner_random(&rng) % (i % 50 == 0 ? most : 1500));
        else
            check_super(&b, t, gso + 1 + inner_random(&rng) % (most - gso), gso);
    }
    assert_true(b.stats.tun_reads == 3000 && b.stats.drop_not_ip == 0);
    close_bench(&b);
}

static void an_unfinished_checksum_is_finished(void **state)
{
    struct bench b;
    struct vnet_hdr vnet;

    (void)state;
    open_bench(&b, 1);
    for (int i = 0; i < 2; i++) {
        size_t len = inner_build_super(packet, &vnet, &udp4, payload, 1000, 1000);

        vnet.gso_type = VNET_GSO_NONE;
        vnet.gso_size = 0;
        check(&b, &vnet, len);
        check_super(&b, &tcp4, 60000, 1380);
    }
    close_bench(&b);
}

static void malformed_packets_are_dropped(void **state)
{
    struct bench b;
    struct vnet_hdr vnet;
    size_t len;

    (void)state;
    open_bench(&b, 1);
    for (int i = 0; i < 2; i++) { /* where nothing is expected, and where a super-packet is */
        len = inner_build_super(packet, &vnet, &tcp4, payload, 5000, 1380);
        vnet.gso_size = 0;
        feed(&b, &vnet, len);
        packet[0] = 0x10;
        feed(&b, &vnet, len);
        assert_int_equal(reader_read(&b.reader, b.arena), 0);
        assert_int_equal(b.stats.drop_not_ip, 2 * (i + 1));
        assert_false(reader_more(&b.reader));
        assert_false(b.reader.broken);
        check_super(&b, &tcp4, 5000, 1380);
    }
    close_bench(&b);
}

static void a_device_without_offloads_gives_packets(void **state)
{
    struct bench b;

    (void)state;
    open_bench(&b, 0);
    check_plain(&b, &tcp4, 0);
    check_plain(&b, &tcp6, 1300);
    check_plain(&b, &udp4, 8000);
    close(b.feed);
    assert_int_equal(reader_read(&b.reader, b.arena), 0);
    assert_true(b.reader.broken);
    b.feed = -1;
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_again_is_not_copied),
        cmocka_unit_test(a_few_plain_packets_are_no_change_of_mind),
        cmocka_unit_test(anything_follows_on_anything),
        cmocka_unit_test(an_unfinished_checksum_is_finished),
        cmocka_unit_test(malformed_packets_are_dropped),
        cmocka_unit_test(a_device_without_offloads_gives_packets),
    };
    uint64_t rng = 1;

    inner_random_bytes(&rng, payload, sizeof(payload));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
