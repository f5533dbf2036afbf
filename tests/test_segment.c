/* test_segment.c: the tunnel's checksum.c, ip.c and segment.c: every segment is compared with a packet built
 * byte by byte for its place, and what does not fit together is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "checksum.h"
#include "inner_packet.h"
#include "ip.h"
#include "segment.h"

enum { MTU = 1420, MAX = 65535 };

static uint8_t payload[MAX], packet[MAX + 100], want[MAX + 100], got[MAX + 100];

static void checksum_equals_naive(void **state)
{
    (void)state;
    uint64_t rng = 1;
    static const uint8_t fills[] = {0, 0xff, 0x80, 0x01};

    for (size_t len = 0; len < 600; len++) { /* past the length from which vectors serve */
        for (size_t at = 0; at < 8; at++) {
            inner_random_bytes(&rng, packet, at + len);
            if (len % 5 != 0)
                memset(packet, fills[len % 4], at + len);
            uint16_t sum = checksum_fold(checksum_add(0, packet + at, len));
            checksum_store(want, sum);
            assert_int_equal(load_be16(want), inner_sum(0, packet + at, len));
        }
    }
    inner_random_bytes(&rng, packet, MAX);
    checksum_store(want, checksum_fold(checksum_add(0, packet, MAX)));
    assert_int_equal(load_be16(want), inner_sum(0, packet, MAX));
    memset(packet, 0xff, MAX);
    assert_int_equal(checksum_fold(checksum_add(UINT64_MAX, packet, MAX - 1)), 0xffff);
    assert_int_equal(checksum_fold(0), 0);
    assert_int_equal(checksum_field(0xffff), 0xffff);
    assert_int_equal(checksum_fold(checksum_plus(UINT64_MAX, UINT64_MAX)), 0xffff);
}

/* Sums in pieces, with words taken out and put in again, are the sum of the whole. */
static void checksum_adds_up(void **state)
{
    (void)state;
    uint64_t rng = 2;

    for (int round = 0; round < 2000; round++) {
        size_t len = 4 + 2 * (inner_random(&rng) % 200), cut = inner_random(&rng) % (len / 2) * 2;
        inner_random_bytes(&rng, packet, len);
        uint64_t sum = checksum_add(checksum_add(0, packet, cut), packet + cut, len - cut);
        assert_int_equal(checksum_fold(sum), checksum_fold(checksum_add(0, packet, len)));
        uint32_t old = load_be32(packet), new = inner_random(&rng);
        store_be32(packet, new);
        sum = checksum_plus(checksum_minus(sum, checksum_word32(old)), checksum_word32(new));
        assert_int_equal(checksum_fold(sum) % 0xffff, checksum_fold(checksum_add(0, packet, len)) % 0xffff);
    }
}

/* No prefix of a packet is taken for a packet; the sanitizers watch what is read of it. */
static void ip_view_of_prefixes(void **state)
{
    (void)state;
    struct ip_view v;

    for (int version = 4; version <= 6; version += 2) {
        struct inner t = {.version = version, .udp = true};
        size_t len = inner_build(packet, &t, payload, 64);
        assert_int_equal(ip_view(&v, packet, len), 0);
        assert_true(v.version == version && v.protocol == 17 && !v.fragment && !v.extras);
        assert_int_equal(v.l4, inner_ip_len(&t));
        for (size_t cut = 0; cut < len; cut++) {
            uint8_t *exact = malloc(cut + (cut == 0));
            memcpy(exact, packet, cut);
            assert_int_equal(ip_view(&v, exact, cut), -1);
            free(exact);
        }
    }
    packet[0] = 0x50;
    assert_int_equal(ip_view(&v, packet, 104), -1);
}

static void ip_view_of_options(void **state)
{
    (void)state;
    struct ip_view v;
    struct inner t = {.version = 4, .udp = true};

    inner_build(packet, &t, payload, 0);
    packet[0] = 0x47; /* all that is left is options */
    assert_int_equal(ip_view(&v, packet, 28), 0);
    assert_true(v.extras && v.l4 == 28);
    assert_int_equal(ip_l4_header(&v, packet, 28), 0);
    packet[0] = 0x48;
    assert_int_equal(ip_view(&v, packet, 28), -1);
    packet[3] = 20; /* nothing behind the header */
    packet[0] = 0x45;
    assert_int_equal(ip_view(&v, packet, 20), 0);
    packet[3] = 19;
    assert_int_equal(ip_view(&v, packet, 19), -1);
}

/* Extension headers of IPv6: 64 bytes behind the header, seen as one of each kind. */
static void ip_view_of_extensions(void **state)
{
    (void)state;
    struct ip_view v;
    struct inner t = {.version = 6, .udp = true};
    static const uint8_t kinds[] = {0, 43, 60};
    size_t len = inner_build(packet, &t, payload, 56);

    for (size_t i = 0; i < sizeof kinds; i++) {
        memset(packet + 40, 0, 64);
        packet[6] = kinds[i];
        packet[40] = 17;
        packet[41] = 6; /* 56 bytes, then nothing but 8 */
        packet[101] = 8;
        assert_int_equal(ip_view(&v, packet, len), 0);
        assert_true(v.extras && !v.fragment && v.protocol == 17 && v.l4 == 96);
        assert_int_equal(ip_l4_header(&v, packet, len), 8);
        packet[40] = kinds[i]; /* a second one, of the 8 bytes that are left */
        packet[96] = 17;
        assert_int_equal(ip_view(&v, packet, len), 0);
        assert_true(v.l4 == len && ip_l4_header(&v, packet, len) == 0);
        packet[97] = 1;
        assert_int_equal(ip_view(&v, packet, len), -1);
        packet[5] = 63; /* and not even those */
        packet[97] = 0;
        assert_int_equal(ip_view(&v, packet, len - 1), -1);
        packet[5] = 64;
    }
    packet[6] = 44;
    packet[40] = 60; /* not looked at: this may be a later fragment */
    assert_int_equal(ip_view(&v, packet, len), 0);
    assert_true(v.fragment && v.protocol == 60 && v.l4 == 48);
    packet[6] = 59; /* no next header */
    assert_int_equal(ip_view(&v, packet, len), 0);
    assert_true(v.protocol == 59 && ip_l4_header(&v, packet, len) == 0);
}

static void l4_header_bounds(void **state)
{
    (void)state;
    uint8_t l4[64] = {0};
    struct ip_view udp = {.protocol = 17}, tcp = {.protocol = 6};

    l4[UDP_LEN + 1] = 8;
    assert_int_equal(ip_l4_header(&udp, l4, 8), 8);
    assert_int_equal(ip_l4_header(&udp, l4, 9), 0);
    l4[UDP_LEN + 1] = 7;
    assert_int_equal(ip_l4_header(&udp, l4, 7), 0);
    l4[TCP_DATA_OFFSET] = 0x50;
    assert_int_equal(ip_l4_header(&tcp, l4, 20), 20);
    assert_int_equal(ip_l4_header(&tcp, l4, 19), 0);
    l4[TCP_DATA_OFFSET] = 0xf0;
    assert_int_equal(ip_l4_header(&tcp, l4, 60), 60);
    assert_int_equal(ip_l4_header(&tcp, l4, 59), 0);
    l4[TCP_DATA_OFFSET] = 0x40;
    assert_int_equal(ip_l4_header(&tcp, l4, 60), 0);
}

static void check_super(const struct inner *t, size_t payload_len, size_t gso_size, bool ecn)
{
    struct vnet_hdr vnet;
    struct segment_plan plan;
    size_t len = inner_build_super(packet, &vnet, t, payload, payload_len, gso_size);
    size_t n = (payload_len + gso_size - 1) / gso_size;

    vnet.gso_type |= ecn ? VNET_GSO_ECN : 0;
    vnet.hdr_len =
        (uint16_t)(payload_len % 100 < len ? payload_len % 100 : 0); /* a hint, not to be believed */
    assert_int_equal(segment_plan(&plan, packet, len, &vnet, MTU), 0);
    assert_int_equal(plan.n, n);
    for (size_t k = 0; k < n; k++) {
        size_t i = n - 1 - k; /* any order will do */
        size_t at = i * gso_size, piece = i + 1 < n ? gso_size : payload_len - at;
        struct inner s = inner_segment(t, i, n, gso_size);
        size_t want_len = inner_build(want, &s, payload + at, piece);
        assert_int_equal(segment_len(&plan, i), want_len);
        got[want_len] = 0xa5;
        segment_cut(&plan, i, got);
        assert_memory_equal(got, want, want_len);
        assert_int_equal(got[want_len], 0xa5);
    }
}

static void super_packets_are_cut(void **state)
{
    (void)state;
    uint64_t rng = 3;

    inner_random_bytes(&rng, payload, sizeof payload);
    for (int round = 0; round < 3000; round++) {
        struct inner t = inner_random_flow(&rng);
        static const uint8_t flags[] = {INNER_ACK, INNER_ACK | INNER_PSH, INNER_ACK | INNER_PSH | INNER_FIN,
                                        INNER_ACK | INNER_CWR | INNER_PSH};
        t.flags = flags[inner_random(&rng) % 4];
        size_t gso_size = 1 + inner_random(&rng) % (MTU - inner_header_len(&t));
        size_t most = round % 50 == 0 ? MAX - inner_header_len(&t) : 5 * gso_size;
        size_t payload_len = 1 + inner_random(&rng) % (most > 20000 && round % 50 != 0 ? 20000 : most);
        check_super(&t, payload_len, gso_size, !t.udp && (t.flags & INNER_CWR) != 0);
    }
}

/* The largest there is: 65,535 bytes; ids and sequence numbers that wrap. */
static void numbers_wrap(void **state)
{
    (void)state;
    struct inner t = {
        .version = 4, .id = 0xfffe, .seq = 0xfffffff0, .flags = INNER_ACK | INNER_PSH, .ttl = 64};

    check_super(&t, MAX - 40, 1380, false);
    t.version = 6;
    check_super(&t, MAX - 60, 1360, false);
}

static void plain_packets_are_finished(void **state)
{
    (void)state;
    uint64_t rng = 4;

    for (int round = 0; round < 1000; round++) {
        struct inner t = inner_random_flow(&rng);
        struct vnet_hdr vnet;
        struct segment_plan plan;
        size_t payload_len = inner_random(&rng) % 1300;
        inner_random_bytes(&rng, payload, payload_len);
        size_t len = inner_build_super(packet, &vnet, &t, payload, payload_len, 1);
        vnet.gso_type = VNET_GSO_NONE;
        vnet.gso_size = 0;
        assert_int_equal(segment_plan(&plan, packet, len, &vnet, MTU), 0);
        assert_true(plan.n == 1 && plan.last_len == len);
        segment_cut(&plan, 0, got);
        inner_build(want, &t, payload, payload_len);
        assert_memory_equal(got, want, len);

        vnet = (struct vnet_hdr){0}; /* nothing to finish: as it is */
        assert_int_equal(segment_plan(&plan, packet, len, &vnet, MTU), 0);
        segment_cut(&plan, 0, got);
        assert_memory_equal(got, packet, len);
    }
}

/* A checksum that comes out as 0 is sent as 0xffff: in UDP 0 would mean "none". */
static void no_checksum_of_zero(void **state)
{
    (void)state;
    struct inner t = {.version = 4, .udp = true, .ttl = 1};
    struct vnet_hdr vnet;
    struct segment_plan plan;
    uint8_t word[2] = {0, 0};

    inner_build(want, &t, word, 2);
    memcpy(word, want + 26, 2); /* with its own checksum as payload the sum is full */
    size_t len = inner_build_super(packet, &vnet, &t, word, 2, 100);
    assert_int_equal(segment_plan(&plan, packet, len, &vnet, MTU), 0);
    segment_cut(&plan, 0, got);
    assert_int_equal(load_be16(got + 26), 0xffff);
}

/* IPv4 options and IPv6 extension headers are copied to every segment. */
static void options_are_copied(void **state)
{
    (void)state;
    struct inner t = {.version = 4, .flags = INNER_ACK, .ttl = 64, .id = 5};
    struct vnet_hdr vnet;
    struct segment_plan plan;
    size_t len = inner_build_super(packet, &vnet, &t, payload, 3000, 1000);

    memmove(packet + 24, packet + 20, len - 20);
    memcpy(packet + 20, (const uint8_t[]){0x94, 4, 0, 0}, 4); /* router alert */
    packet[0] = 0x46;
    store_be16(packet + 2, (uint16_t)(len + 4));
    vnet.csum_start = 24;
    assert_int_equal(segment_plan(&plan, packet, len + 4, &vnet, MTU), 0);
    assert_int_equal(plan.n, 3);
    for (size_t i = 0; i < 3; i++) {
        struct inner s = inner_segment(&t, i, 3, 1000);
        inner_build(want, &s, payload + 1000 * i, 1000);
        segment_cut(&plan, i, got);
        assert_int_equal(inner_sum(0, got, 24), 0xffff);
        assert_memory_equal(got + 20, packet + 20, 4);
        assert_memory_equal(got + 24, want + 20, segment_len(&plan, i) - 24);
    }

    t.version = 6;
    len = inner_build_super(packet, &vnet, &t, payload, 3000, 1000);
    memmove(packet + 48, packet + 40, len - 40);
    memcpy(packet + 40, (const uint8_t[]){6, 0, 1, 4, 0, 0, 0, 0}, 8); /* destination options: padding */
    packet[6] = 60;
    store_be16(packet + 4, (uint16_t)(len + 8 - 40));
    vnet.csum_start = 48;
    assert_int_equal(segment_plan(&plan, packet, len + 8, &vnet, MTU), 0);
    for (size_t i = 0; i < 3; i++) {
        struct inner s = inner_segment(&t, i, 3, 1000);
        inner_build(want, &s, payload + 1000 * i, 1000);
        segment_cut(&plan, i, got);
        assert_memory_equal(got + 48, want + 40, segment_len(&plan, i) - 48);
    }
}

#define REFUSED(change)                                                                                      \
    do {                                                                                                     \
        struct vnet_hdr vnet;                                                                                \
        struct segment_plan plan;                                                                            \
        size_t len = inner_build_super(packet, &vnet, &t, payload, 3000, 1000);                              \
        assert_int_equal(segment_plan(&plan, packet, len, &vnet, MTU), 0);                                   \
        change;                                                                                              \
        assert_int_equal(segment_plan(&plan, packet, len, &vnet, MTU), -1);                                  \
    } while (0)

static void misfits_are_refused(void **state)
{
    (void)state;
    struct inner t = {.version = 4, .flags = INNER_ACK, .ttl = 64};

    for (int kind = 0; kind < 4; kind++) {
        t.version = kind % 2 ? 6 : 4;
        t.udp = kind >= 2;
        size_t ip_len = inner_ip_len(&t);
        REFUSED(vnet.gso_size = 0);
        REFUSED(vnet.flags = 0);
        REFUSED(vnet.gso_type = VNET_GSO_NONE); /* one packet beyond the MTU */
        REFUSED(vnet.gso_type = 3);             /* UFO is gone */
        REFUSED(vnet.gso_type = t.udp ? VNET_GSO_TCPV4 : VNET_GSO_UDP_L4);
        REFUSED(vnet.gso_type = t.version == 4 ? VNET_GSO_TCPV6 : VNET_GSO_TCPV4);
        REFUSED(vnet.gso_type |= 0x40);
        REFUSED(vnet.csum_start++);
        REFUSED(vnet.csum_start = 0xffff);
        REFUSED(vnet.csum_offset = 0xffff);
        REFUSED(vnet.csum_offset = t.udp ? 16 : 6);
        REFUSED(vnet.hdr_len = (uint16_t)(len + 1));
        REFUSED(vnet.gso_size = (uint16_t)(MTU - inner_header_len(&t) + 1));
        REFUSED(len--);
        REFUSED(len++);
        REFUSED(len = 0);
        REFUSED(len = inner_header_len(&t));
        REFUSED(packet[0] = 0x75);
        REFUSED(packet[t.version == 4 ? 9 : 6] = 132);
        if (t.version == 4) {
            REFUSED(packet[0] = 0x44);
            REFUSED(packet[0] = 0x4f);
            REFUSED(packet[6] |= 0x20);
            REFUSED(packet[7] = 1);
        } else {
            REFUSED(packet[6] = 44);
        }
        if (t.udp) {
            REFUSED(packet[ip_len + 5]++);
        } else {
            REFUSED(packet[ip_len + 12] = 0x40);
            REFUSED(packet[ip_len + 13] |= INNER_SYN);
            REFUSED(packet[ip_len + 13] |= INNER_RST);
            REFUSED(packet[ip_len + 13] |= INNER_URG);
        }
    }
    t.udp = true;
    REFUSED(vnet.gso_type |= VNET_GSO_ECN);
}

static void plain_misfits_are_refused(void **state)
{
    (void)state;
    struct inner t = {.version = 4, .udp = true};
    struct vnet_hdr good, vnet;
    struct segment_plan plan;
    size_t len = inner_build_super(packet, &good, &t, payload, 10, 1);

    good.gso_type = VNET_GSO_NONE;
    assert_int_equal(segment_plan(&plan, packet, len, &good, len), 0);
    assert_int_equal(segment_plan(&plan, packet, len, &good, len - 1), -1);
    assert_int_equal(segment_plan(&plan, packet, len - 1, &good, MTU), -1);
    vnet = good;
    vnet.csum_start = 19; /* in the IP header */
    assert_int_equal(segment_plan(&plan, packet, len, &vnet, MTU), -1);
    vnet = good;
    vnet.csum_offset = (uint16_t)(len - vnet.csum_start - 1);
    assert_int_equal(segment_plan(&plan, packet, len, &vnet, MTU), -1);
    vnet.csum_start = vnet.csum_offset = 0xffff;
    assert_int_equal(segment_plan(&plan, packet, len, &vnet, MTU), -1);
    packet[7] = 1; /* a fragment: the checksum is not in it */
    assert_int_equal(segment_plan(&plan, packet, len, &good, MTU), -1);
    good.flags = 0;
    assert_int_equal(segment_plan(&plan, packet, len, &good, MTU), 0);
}

/* Headers and vnet headers with random damage: refused, or cut into packets that are packets; the sanitizers
 * watch the bounds of both. */
static void garbage_stays_in_bounds(void **state)
{
    (void)state;
    uint64_t rng = 5;
    unsigned accepted = 0, refused = 0;

    for (int round = 0; round < 30000; round++) {
        struct inner t = inner_random_flow(&rng);
        struct vnet_hdr vnet;
        struct segment_plan plan;
        size_t len = inner_build_super(packet, &vnet, &t, payload, 1 + inner_random(&rng) % 4000,
                                       1 + inner_random(&rng) % 1400);
        uint8_t *raw = (uint8_t *)&vnet;
        for (unsigned hits = inner_random(&rng) % 4; hits > 0; hits--)
            packet[inner_random(&rng) % 70] = (uint8_t)inner_random(&rng);
        if (inner_random(&rng) % 2 != 0)
            raw[inner_random(&rng) % sizeof vnet] = (uint8_t)inner_random(&rng);
        if (inner_random(&rng) % 8 == 0)
            len = inner_random(&rng) % (len + 1);
        uint8_t *exact = malloc(len + (len == 0));
        memcpy(exact, packet, len);
        if (segment_plan(&plan, exact, len, &vnet, MTU) != 0) {
            refused++;
            free(exact);
            continue;
        }
        accepted++;
        for (size_t i = 0; i < plan.n; i++) {
            struct ip_view v;
            size_t out_len = segment_len(&plan, i);
            uint8_t *out = malloc(out_len);
            assert_true(out_len <= MTU);
            segment_cut(&plan, i, out);
            assert_int_equal(ip_view(&v, out, out_len), 0);
            free(out);
        }
        free(exact);
    }
    assert_true(accepted > 1000 && refused > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksum_equals_naive),      cmocka_unit_test(checksum_adds_up),
        cmocka_unit_test(ip_view_of_prefixes),        cmocka_unit_test(ip_view_of_options),
        cmocka_unit_test(ip_view_of_extensions),      cmocka_unit_test(l4_header_bounds),
        cmocka_unit_test(super_packets_are_cut),      cmocka_unit_test(numbers_wrap),
        cmocka_unit_test(plain_packets_are_finished), cmocka_unit_test(no_checksum_of_zero),
        cmocka_unit_test(options_are_copied),         cmocka_unit_test(misfits_are_refused),
        cmocka_unit_test(plain_misfits_are_refused),  cmocka_unit_test(garbage_stays_in_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
