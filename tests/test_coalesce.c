/* test_coalesce.c: the tunnel's coalesce.c: what is merged can be cut by segment.c into the packets that came
 * in, in their order; what must never merge passes through untouched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "coalesce.h"
#include "inner_packet.h"
#include "ip.h"
#include "segment.h"

enum { ALL = COALESCE_TCP4 | COALESCE_TCP6 | COALESCE_UDP, MTU = 1420, SLOT = 1500, MAX = 65535 };

static struct coalesce c;
static uint8_t slots[COALESCE_MAX_PACKETS][SLOT], copies[COALESCE_MAX_PACKETS][SLOT];
static size_t slot_len[COALESCE_MAX_PACKETS], n_slots;
static uint8_t payload[MAX], super[MAX + 100], joined[MAX + 100];

static void start(unsigned offloads)
{
    coalesce_reset(&c, offloads);
    n_slots = 0;
}

/* Adds a packet, whose bytes stay in a slot, and keeps a copy. */
static void add_raw(const uint8_t *packet, size_t len)
{
    memcpy(slots[n_slots], packet, len);
    memcpy(copies[n_slots], packet, len);
    slot_len[n_slots] = len;
    assert_int_equal(coalesce_add(&c, slots[n_slots], len), 0);
    n_slots++;
}

static void add(const struct inner *t, const uint8_t *data, size_t len)
{
    uint8_t packet[SLOT];

    add_raw(packet, inner_build(packet, t, data, len));
}

/* Joins the spans of an item as the TUN device would. Returns the packet's length. */
static size_t join(size_t i, struct vnet_hdr *vnet)
{
    struct iovec iov[COALESCE_MAX_PIECES + 1];
    size_t n = coalesce_finish(&c, i, iov), len = 0;

    assert_in_range(n, 2, COALESCE_MAX_PIECES + 1);
    assert_int_equal(iov[0].iov_len, sizeof *vnet);
    memcpy(vnet, iov[0].iov_base, sizeof *vnet);
    for (size_t k = 1; k < n; k++) {
        assert_true(len + iov[k].iov_len <= sizeof joined);
        memcpy(joined + len, iov[k].iov_base, iov[k].iov_len);
        len += iov[k].iov_len;
    }
    assert_true(n == 2 || len <= MAX);
    assert_true((n == 2) == (vnet->gso_type == VNET_GSO_NONE));
    return len;
}

/* The items are this many, and none of them is merged: each is its packet, untouched. */
static void assert_untouched(size_t n)
{
    struct vnet_hdr vnet;
    static const struct vnet_hdr none;

    assert_int_equal(coalesce_items(&c), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(join(i, &vnet), slot_len[i]);
        assert_memory_equal(&vnet, &none, sizeof vnet);
        assert_memory_equal(joined, copies[i], slot_len[i]);
    }
}

/* Cuts a super-packet, adds the segments, and finds it again, bit for bit. */
static void check_identity(const struct inner *t, size_t payload_len, size_t gso_size)
{
    struct vnet_hdr vnet, again;
    struct segment_plan plan;
    size_t len = inner_build_super(super, &vnet, t, payload, payload_len, gso_size);
    uint8_t packet[SLOT];

    assert_int_equal(segment_plan(&plan, super, len, &vnet, SLOT), 0);
    start(ALL);
    for (size_t i = 0; i < plan.n; i++) {
        segment_cut(&plan, i, packet);
        add_raw(packet, segment_len(&plan, i));
    }
    if (plan.n == 1) {
        assert_untouched(1);
        return;
    }
    assert_int_equal(coalesce_items(&c), 1);
    assert_int_equal(join(0, &again), len);
    assert_memory_equal(&again, &vnet, sizeof vnet);
    assert_memory_equal(joined, super, len);
}

static void segment_then_coalesce_is_identity(void **state)
{
    (void)state;
    uint64_t rng = 11;

    inner_random_bytes(&rng, payload, sizeof payload);
    for (int round = 0; round < 3000; round++) {
        struct inner t = inner_random_flow(&rng);
        if (!t.udp && inner_random(&rng) % 2 != 0)
            t.flags |= INNER_PSH;
        size_t room = MTU - inner_header_len(&t);
        size_t gso_size = round % 3 == 0 ? room : 1 + inner_random(&rng) % room;
        size_t most = gso_size * COALESCE_MAX_PIECES;
        if (most > MAX - inner_header_len(&t))
            most = MAX - inner_header_len(&t);
        size_t payload_len = 1 + inner_random(&rng) % (round % 20 == 0 ? most : most / 16 + 1);
        check_identity(&t, round % 40 == 0 ? most : payload_len, gso_size);
    }
}

static void closing_segments(void **state)
{
    (void)state;
    struct inner t = {.version = 4, .flags = INNER_ACK, .ttl = 64, .df = true, .sport = 1};

    start(ALL);
    add(&t, payload, 1000);
    t.seq += 1000;
    t.flags |= INNER_PSH;
    add(&t, payload, 1000); /* closes */
    t.seq += 1000;
    t.flags = INNER_ACK;
    add(&t, payload, 1000);
    t.seq += 1000;
    add(&t, payload, 999); /* closes */
    t.seq += 999;
    add(&t, payload, 999);
    t.seq += 999;
    add(&t, payload, 1000); /* longer than the first */
    struct vnet_hdr vnet;
    assert_int_equal(coalesce_items(&c), 4);
    assert_int_equal(join(0, &vnet), 2040);
    assert_int_equal(joined[33], INNER_ACK | INNER_PSH);
    assert_int_equal(join(1, &vnet), 2039);
    assert_int_equal(joined[33], INNER_ACK);
    assert_int_equal(join(2, &vnet), 1039);
    assert_int_equal(join(3, &vnet), 1040);

    start(ALL);
    t.flags |= INNER_PSH;
    add(&t, payload, 100);
    t.seq += 100;
    add(&t, payload, 100);
    assert_untouched(2);
}

/* 65,535 bytes may come out, and not one more. */
static void longest_super_packet(void **state)
{
    (void)state;
    struct vnet_hdr vnet;

    for (int version = 4; version <= 6; version += 2) {
        struct inner t = {.version = version, .flags = INNER_ACK, .ttl = 64};
        size_t header = inner_header_len(&t), rest = MAX - header;
        start(ALL);
        for (size_t i = 0; i < 46; i++, t.seq += 1400, t.id++)
            add(&t, payload, 1400);
        add(&t, payload, rest - 46 * 1400);
        assert_int_equal(coalesce_items(&c), 1);
        assert_int_equal(join(0, &vnet), MAX);

        t.seq = t.id = 0;
        start(ALL);
        for (size_t i = 0; i < 46; i++, t.seq += 1400, t.id++)
            add(&t, payload, 1400);
        add(&t, payload, rest - 46 * 1400 + 1);
        assert_int_equal(coalesce_items(&c), 2);
        assert_int_equal(join(0, &vnet), header + 46 * 1400);
    }
}

static void most_pieces(void **state)
{
    (void)state;
    struct inner t = {.version = 6, .flags = INNER_ACK, .ttl = 64};
    struct vnet_hdr vnet;

    start(ALL);
    for (size_t i = 0; i < COALESCE_MAX_PIECES + 1; i++, t.seq++)
        add(&t, payload, 1);
    assert_int_equal(coalesce_items(&c), 2);
    assert_int_equal(join(0, &vnet), 60 + COALESCE_MAX_PIECES);
    assert_int_equal(join(1, &vnet), 61);
}

/* The packet that follows a packet of 500 bytes in its flow. */
static struct inner following(const struct inner *t)
{
    struct inner next = *t;

    next.seq += 500;
    next.id++;
    return next;
}

/* Makes the checksums of a packet right again. */
static void mend(uint8_t *packet, const struct inner *t, size_t len)
{
    uint8_t *l4 = packet + inner_ip_len(t), *field = l4 + inner_csum_offset(t);
    size_t l4_len = len - inner_ip_len(t);

    if (t->version == 4) {
        store_be16(packet + 10, 0);
        store_be16(packet + 10, (uint16_t)~inner_sum(0, packet, 20));
    }
    store_be16(field, 0);
    store_be16(field, (uint16_t)~inner_sum(inner_pseudo(packet, t, l4_len), l4, l4_len));
}

/* Two packets that would merge, but that the second one's description is another: both pass through
 * untouched. */
#define NEVER(change)                                                                                        \
    do {                                                                                                     \
        struct inner t = following(&base);                                                                   \
        change;                                                                                              \
        start(ALL);                                                                                          \
        add(&base, payload, 500);                                                                            \
        add(&t, payload, 500);                                                                               \
        assert_untouched(2);                                                                                 \
    } while (0)

enum mending { DAMAGED, MENDED };

/* The same, with bits of byte at of the built packet flipped; and the third packet, which follows the first,
 * may not overtake the second. */
static void never(const struct inner *base, size_t at, int flip, enum mending mending)
{
    uint8_t packet[SLOT];
    struct inner t = following(base);
    size_t len = inner_build(packet, &t, payload, 500);

    packet[at] ^= (uint8_t)flip;
    if (mending == MENDED)
        mend(packet, &t, len);
    start(ALL);
    add(base, payload, 500);
    add_raw(packet, len);
    add(&t, payload, 500);
    assert_untouched(3);
}

static void assert_merges(const struct inner *base)
{
    struct inner t = following(base);
    struct vnet_hdr vnet;

    start(ALL);
    add(base, payload, 500);
    add(&t, payload, 500);
    assert_int_equal(coalesce_items(&c), 1);
    assert_int_equal(join(0, &vnet), inner_header_len(&t) + 1000);
}

/* One base of each kind. */
static struct inner base_of(int version, bool udp)
{
    return (struct inner){.version = version,
                          .udp = udp,
                          .tos = 0x20,
                          .ttl = 60,
                          .sport = 4000,
                          .dport = 5000,
                          .seq = 77,
                          .ack = 99,
                          .id = 500,
                          .flags = INNER_ACK,
                          .window = 500,
                          .options_len = 12,
                          .option = 1};
}

static void never_merge_ip(void **state)
{
    (void)state;

    for (int kind = 0; kind < 4; kind++) {
        struct inner base = base_of(kind % 2 ? 4 : 6, kind >= 2);
        size_t l4 = inner_ip_len(&base);
        assert_merges(&base);
        NEVER(t.tos ^= 0x10);
        NEVER(t.tos ^= 1); /* ECN */
        NEVER(t.ttl--);
        NEVER(t.host++);
        NEVER(t.sport++);
        NEVER(t.dport++);
        NEVER(t.udp = !t.udp);
        NEVER(t.version = 10 - t.version);
        never(&base, l4 + inner_csum_offset(&base), 1, DAMAGED);
        never(&base, inner_header_len(&base) + 499, 0x80, DAMAGED);
        never(&base, 0, 0x20, MENDED);                      /* another version */
        never(&base, base.version == 4 ? 3 : 5, 1, MENDED); /* another length */
    }
}

/* The pseudo-header is covered: two packets with another address than was summed. */
static void never_merge_address(void **state)
{
    (void)state;
    struct inner base = base_of(6, true);
    uint8_t packet[SLOT];

    start(ALL);
    for (int i = 0; i < 2; i++) {
        size_t len = inner_build(packet, &base, payload, 500);
        packet[39] ^= 1;
        add_raw(packet, len);
    }
    assert_untouched(2);
}

static void never_merge_ip4(void **state)
{
    (void)state;

    for (int udp = 0; udp < 2; udp++) {
        struct inner base = base_of(4, udp != 0);
        NEVER(t.df = !t.df);
        NEVER(t.id++);
        NEVER(t.id--);
        never(&base, 6, 0x20, MENDED); /* more fragments */
        never(&base, 7, 1, MENDED);    /* a later fragment */
        never(&base, 6, 0x80, MENDED); /* the reserved bit */
        never(&base, 10, 1, DAMAGED);
        never(&base, 0, 3, MENDED); /* options: the transport header starts elsewhere */
        base.df = true;             /* then the id means nothing */
        struct inner t = following(&base);
        start(ALL);
        add(&base, payload, 500);
        t.id = 0;
        add(&t, payload, 500);
        assert_int_equal(coalesce_items(&c), 1);
    }
}

static void never_merge_ip6(void **state)
{
    (void)state;

    for (int udp = 0; udp < 2; udp++) {
        struct inner base = base_of(6, udp != 0);
        NEVER(t.flow_label++);
        never(&base, 6, udp ? 17 ^ 44 : 6 ^ 44, MENDED); /* a fragment header */
        never(&base, 6, udp ? 17 ^ 60 : 6 ^ 60, MENDED); /* destination options */
    }
}

static void never_merge_tcp(void **state)
{
    (void)state;

    for (int version = 4; version <= 6; version += 2) {
        struct inner base = base_of(version, false);
        size_t l4 = inner_ip_len(&base);
        NEVER(t.seq++);
        NEVER(t.seq--);
        NEVER(t.seq = base.seq); /* the same again */
        NEVER(t.ack++);
        NEVER(t.window++);
        NEVER(t.option = 0);
        NEVER(t.options_len = 8);
        NEVER(t.options_len = 16);
        for (int bit = 0; bit < 8; bit++) {
            if (1 << bit != INNER_PSH)
                NEVER(t.flags ^= (uint8_t)(1 << bit));
        }
        never(&base, l4 + 12, 1, MENDED);    /* a reserved bit */
        never(&base, l4 + 19, 1, MENDED);    /* urgent pointer */
        never(&base, l4 + 12, 0x80, MENDED); /* 0: shorter than the header */
        /* without payload, and of another kind from the first packet on */
        start(ALL);
        add(&base, payload, 0);
        add(&base, payload, 500);
        assert_untouched(2);
        for (int flag = INNER_FIN; flag <= INNER_CWR; flag <<= 1) {
            base.flags = (uint8_t)(INNER_ACK ^ flag);
            struct inner t = following(&base);
            start(ALL);
            add(&base, payload, 500);
            add(&t, payload, 500);
            if (flag != INNER_PSH)
                assert_untouched(2);
        }
    }
}

static void never_merge_udp(void **state)
{
    (void)state;
    uint8_t packet[SLOT];

    for (int version = 4; version <= 6; version += 2) {
        struct inner base = base_of(version, true);
        size_t l4 = inner_ip_len(&base);
        never(&base, l4 + 5, 1, MENDED); /* another length than IP's */
        start(ALL);
        add(&base, payload, 0);
        add(&base, payload, 0);
        assert_untouched(2);
        start(ALL); /* no checksum, and it would be right if it were one: the sum is 0xffff */
        size_t len = 0;
        uint8_t data[500] = {0};
        for (unsigned v = 0; v < 0x10000 && (len == 0 || load_be16(packet + l4 + 6) != 0xffff); v++) {
            store_be16(data, (uint16_t)v);
            len = inner_build(packet, &base, data, 500);
        }
        assert_int_equal(load_be16(packet + l4 + 6), 0xffff);
        store_be16(packet + l4 + 6, 0);
        add_raw(packet, len);
        base.id++;
        add(&base, payload, 500);
        assert_untouched(2);
    }
}

/* More flows than the table has room for, which would all merge by the rest of their headers. */
static void never_merge_flows_that_share_a_bucket(void **state)
{
    (void)state;

    for (int kind = 0; kind < 4; kind++) {
        struct inner base = base_of(kind < 2 ? 4 : 6, kind % 2);

        base.df = true;
        start(ALL);
        for (int i = 0; i < COALESCE_MAX_PACKETS; i++) {
            base.sport = (uint16_t)(1000 + i);
            base.seq = i < COALESCE_MAX_PACKETS / 2 ? 0 : 100;
            add(&base, payload, 100);
        }
        assert_untouched(COALESCE_MAX_PACKETS);
    }
}

static void never_merge_others(void **state)
{
    (void)state;
    uint8_t packet[SLOT];
    struct inner base = base_of(4, true);

    start(ALL);
    for (int i = 0; i < 2; i++) { /* ICMP */
        size_t len = inner_build(packet, &base, payload, 500);
        packet[9] = 1;
        mend(packet, &base, len);
        add_raw(packet, len);
    }
    add_raw(payload, 1); /* no IP at all */
    add_raw(payload, 100);
    for (size_t ports = 3; ports <= 4; ports++) { /* UDP, cut short in its ports and behind them */
        inner_put_ip(packet, &base, 20 + ports);
        add_raw(packet, 20 + ports);
    }
    base.id++;
    assert_untouched(6);
}

/* What the device does not take passes through; without vnet headers, everything does. */
static void offloads_are_heeded(void **state)
{
    (void)state;

    for (int kind = 0; kind < 4; kind++) {
        struct inner base = base_of(kind % 2 ? 4 : 6, kind >= 2), t = following(&base);
        unsigned own = base.udp ? COALESCE_UDP : base.version == 4 ? COALESCE_TCP4 : COALESCE_TCP6;
        for (unsigned offloads = 0; offloads <= ALL; offloads++) {
            start(offloads);
            add(&base, payload, 500);
            add(&t, payload, 500);
            if ((offloads & own) == 0)
                assert_untouched(2);
            else
                assert_int_equal(coalesce_items(&c), 1);
        }
    }
}

static void full_says_so(void **state)
{
    (void)state;
    struct inner t = base_of(4, true);
    uint8_t packet[SLOT];
    size_t len = inner_build(packet, &t, payload, 500);

    start(ALL);
    for (size_t i = 0; i < COALESCE_MAX_PACKETS; i++)
        add_raw(packet, len); /* the same id again and again: none merges */
    assert_int_equal(coalesce_add(&c, packet, len), -1);
    assert_untouched(COALESCE_MAX_PACKETS);
    start(ALL);
    assert_int_equal(coalesce_items(&c), 0);
    assert_int_equal(coalesce_add(&c, packet, len), 0);
}

/* Which flow is a packet of? The hosts of a round differ. */
static int host_of(const uint8_t *packet)
{
    return packet[0] >> 4 == 4 ? packet[15] : packet[23];
}

/* Takes the items apart again, and finds the packets of each flow, unchanged and in their order. */
static void assert_order_kept(void)
{
    static bool seen[COALESCE_MAX_PACKETS];
    size_t total = 0;

    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < coalesce_items(&c); i++) {
        struct vnet_hdr vnet;
        struct segment_plan plan;
        uint8_t packet[SLOT];
        size_t len = join(i, &vnet);
        assert_int_equal(segment_plan(&plan, joined, len, &vnet, SLOT), 0);
        for (size_t k = 0; k < plan.n; k++, total++) {
            segment_cut(&plan, k, packet);
            size_t at = 0; /* the oldest of this flow that has not come yet */
            while (at < n_slots && (seen[at] || host_of(copies[at]) != host_of(packet)))
                at++;
            assert_true(at < n_slots);
            seen[at] = true;
            assert_int_equal(segment_len(&plan, k), slot_len[at]);
            assert_memory_equal(packet, copies[at], slot_len[at]);
        }
    }
    assert_int_equal(total, n_slots);
}

/* A step of a flow: mostly the next segment, now and then something that may not merge. */
static size_t step(struct inner *t, uint64_t *rng, uint8_t *packet)
{
    size_t len = inner_random(rng) % 16 != 0 ? 100u + t->host % 50u : 1 + inner_random(rng) % 149;
    struct inner s = *t;

    switch (inner_random(rng) % 64) {
    case 0:
        t->ack++;
        break;
    case 1:
        t->window++;
        break;
    case 2:
        t->seq += 5; /* a gap */
        break;
    case 3:
        s.flags |= INNER_FIN;
        break;
    case 4:
        len = 0;
        break;
    case 5:
        s.tos ^= 3;
        break;
    case 6:
        t->option++;
        break;
    default:
        break;
    }
    s.seq = t->seq;
    s.ack = t->ack;
    if (inner_random(rng) % 20 == 0)
        s.flags |= INNER_PSH;
    t->seq += (uint32_t)len;
    t->id++;
    return inner_build(packet, &s, payload, len);
}

static void many_flows_keep_their_order(void **state)
{
    (void)state;
    uint64_t rng = 12;
    enum { FLOWS = 200 };
    struct inner flow[FLOWS];
    size_t merged = 0;

    for (int round = 0; round < 200; round++) {
        size_t n_flows = round % 2 ? 1 + inner_random(&rng) % FLOWS : 1 + inner_random(&rng) % 4;
        for (size_t i = 0; i < n_flows; i++) {
            flow[i] = inner_random_flow(&rng);
            flow[i].host = (uint8_t)i;
        }
        start(ALL);
        for (size_t i = 0, n = 1 + inner_random(&rng) % COALESCE_MAX_PACKETS; i < n; i++) {
            uint8_t packet[SLOT];
            add_raw(packet, step(&flow[inner_random(&rng) % n_flows], &rng, packet));
        }
        merged += n_slots - coalesce_items(&c);
        assert_order_kept();
    }
    assert_true(merged > 10000);
}

/* Packets with random damage, among good ones: no read beyond a packet (the sanitizers watch), nothing lost.
 */
static void garbage_stays_in_bounds(void **state)
{
    (void)state;
    uint64_t rng = 13;
    enum { BURST = 16 };

    for (int round = 0; round < 4000; round++) {
        struct inner t = inner_random_flow(&rng);
        uint8_t *exact[BURST];
        size_t total = 0, payloads = 0;
        coalesce_reset(&c, ALL);
        for (size_t i = 0; i < BURST; i++) {
            uint8_t packet[SLOT];
            size_t len = step(&t, &rng, packet);
            for (unsigned hits = inner_random(&rng) % 3; hits > 0; hits--)
                packet[inner_random(&rng) % 60] = (uint8_t)inner_random(&rng);
            if (inner_random(&rng) % 4 == 0)
                len = inner_random(&rng) % (len + 1);
            exact[i] = malloc(len + (len == 0));
            memcpy(exact[i], packet, len);
            assert_int_equal(coalesce_add(&c, exact[i], len), 0);
            total += len;
        }
        for (size_t i = 0; i < coalesce_items(&c); i++) {
            struct vnet_hdr vnet;
            struct segment_plan plan;
            size_t len = join(i, &vnet);
            payloads += len;
            if (vnet.gso_type != VNET_GSO_NONE) {
                assert_int_equal(segment_plan(&plan, joined, len, &vnet, SLOT), 0);
                payloads += (plan.n - 1) * plan.header_len;
            }
        }
        assert_int_equal(payloads, total);
        for (size_t i = 0; i < BURST; i++)
            free(exact[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segment_then_coalesce_is_identity),
        cmocka_unit_test(closing_segments),
        cmocka_unit_test(longest_super_packet),
        cmocka_unit_test(most_pieces),
        cmocka_unit_test(never_merge_ip),
        cmocka_unit_test(never_merge_address),
        cmocka_unit_test(never_merge_ip4),
        cmocka_unit_test(never_merge_ip6),
        cmocka_unit_test(never_merge_tcp),
        cmocka_unit_test(never_merge_udp),
        cmocka_unit_test(never_merge_flows_that_share_a_bucket),
        cmocka_unit_test(never_merge_others),
        cmocka_unit_test(offloads_are_heeded),
        cmocka_unit_test(full_says_so),
        cmocka_unit_test(many_flows_keep_their_order),
        cmocka_unit_test(garbage_stays_in_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
