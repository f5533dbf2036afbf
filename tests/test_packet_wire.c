/* test_packet_wire.c: the data channel's datagrams byte by byte: WireGuard's transport data and OpenVPN's
 * P_DATA_V2, against datagrams of the real daemons' formats, both ways, in place and from src. */
#include "packet_kit.h"

#include "channel.h"
#include "level.h"

struct vector {
    const char *name;
    uint32_t format;
    uint64_t number;
    uint8_t kind;
    const char *payload, *datagram;
};

static const struct vector vectors[] = {
    {"WireGuard keepalive", SEALANE_WIREGUARD, 0, SEALANE_KEEPALIVE, "",
     "04000000efbeadde000000000000000010324f800a160bd9a1794255be7ec29d"},
    {"WireGuard IPv4 header", SEALANE_WIREGUARD, 1, SEALANE_DATA, "4500001400000000400100000000000000000000",
     "04000000efbeadde0100000000000000da57f34bb52aaf1869b7ae5c52959987c57deb0e476b60adc364b55b8de8dda4"
     "6a5c6a2125563f2dfba9405d7f498fa6"},
    {"WireGuard, the last number", SEALANE_WIREGUARD, UINT64_C(0) - 8194, SEALANE_KEEPALIVE, "",
     "04000000efbeaddefedfffffffffffff94bb12bd15ecdf676bdb49c0f8455459"},
    {"OpenVPN", SEALANE_OPENVPN, 1, SEALANE_DATA,
     "54686520717569636b206c6974746c6520666f78206a756d7073206f76657220746865206275726561756372617469632068"
     "7572646c6573",
     "4800001700000001f2c9320d1ed7eb8a24d70ccb6f0da0981e9df44cbc61e8e65b606504faaf107f3b94da1fa1c9b860fbdf"
     "f86ad8ae6b5fbe762ba5beb3f09ad395efd7b47656ec824bbd83a44bbed5"},
};

enum { N_VECTORS = sizeof vectors / sizeof vectors[0] };

/* The keys of the vectors as tx (end 0) or as rx (end 1). */
static struct sealane_keys vector_keys(uint32_t format, int end)
{
    struct sealane_keys k = {.size = sizeof k, .format = format};
    uint8_t *key = end ? k.rx_key : k.tx_key, *iv = end ? k.rx_iv : k.tx_iv;
    uint32_t *id = end ? &k.rx_id : &k.tx_id;

    for (int i = 0; i < 32; i++)
        key[i] = (uint8_t)i;
    *id = 0xdeadbeef;
    if (format == SEALANE_OPENVPN) {
        const char *seed = "abcdefgh01234567ABCDEFGHjkuchenl";
        for (int i = 0; i < 32; i++)
            key[i] = (uint8_t)(seed[i] ^ i);
        for (int i = 0; i < 8; i++)
            iv[i] = (uint8_t)(seed[i] ^ (64 + i));
        *id = 0x17;
    }
    return k;
}

static struct sealane_channel *vector_channel(uint32_t format, int end)
{
    struct sealane_channel *ch = kit_channel();
    struct sealane_keys k = vector_keys(format, end);

    assert_int_equal(sealane_channel_install(ch, &k, SEALANE_NOW), SEALANE_OK);
    return ch;
}

static void seals_to_the_published_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_VECTORS; i++)
        for (int from_src = 0; from_src < 2; from_src++) {
            const struct vector *v = &vectors[i];
            struct sealane_channel *ch = vector_channel(v->format, 0);
            uint8_t payload[256], datagram[256];
            size_t len = unhex(payload, sizeof payload, v->payload);
            size_t datagram_len = unhex(datagram, sizeof datagram, v->datagram);
            struct kit_packet k;

            print_message("%s\n", v->name);
            channel_slot(ch, SEALANE_CURRENT)->tx_next = v->number;
            kit_fill(&k, ch, payload, len);
            if (from_src) {
                memset(k.buf, 0xa5, sizeof k.buf);
                k.p.src = payload;
            }
            k.p.kind = v->kind;
            assert_int_equal(kit_seal(&k), SEALANE_OK);
            assert_int_equal(k.p.len, datagram_len);
            assert_int_equal(k.p.off, KIT_OFF - sealane_headroom(v->format, 0));
            assert_memory_equal(k.buf + k.p.off, datagram, datagram_len);
            assert_int_equal(k.p.counter, v->number);
            kit_assert_kept(&k, k.p.off, k.p.off + k.p.len);
            sealane_channel_free(ch);
        }
}

static void opens_the_published_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_VECTORS; i++)
        for (int from_src = 0; from_src < 2; from_src++) {
            const struct vector *v = &vectors[i];
            struct sealane_channel *ch = vector_channel(v->format, 1);
            uint8_t payload[256], datagram[256];
            size_t len = unhex(payload, sizeof payload, v->payload);
            size_t datagram_len = unhex(datagram, sizeof datagram, v->datagram);
            struct kit_packet k;

            print_message("%s\n", v->name);
            kit_fill(&k, ch, datagram, datagram_len);
            if (from_src) {
                memset(k.buf, 0xa5, sizeof k.buf);
                memcpy(k.before, k.buf, sizeof k.buf);
                k.p.src = datagram;
            }
            k.p.kind = 99;
            assert_int_equal(kit_open(&k), SEALANE_OK);
            assert_int_equal(k.p.kind, v->kind);
            assert_int_equal(k.p.slot, SEALANE_CURRENT);
            assert_int_equal(k.p.counter, v->number);
            assert_int_equal(k.p.off, KIT_OFF + sealane_headroom(v->format, 0));
            assert_int_equal(k.p.len, len);
            assert_memory_equal(k.buf + k.p.off, payload, len);
            kit_assert_kept(&k, k.p.off, k.p.off + datagram_len - (v->format == SEALANE_WIREGUARD ? 32 : 24));
            sealane_channel_free(ch);
        }
}

static void openvpn_ping_is_a_keepalive(void **state)
{
    const uint8_t ping[16] = {0x2a, 0x18, 0x7b, 0xf3, 0x64, 0x1e, 0xb4, 0xcb,
                              0x07, 0xed, 0x2d, 0x0a, 0x98, 0x1f, 0xc7, 0x48};
    struct sealane_channel *a = kit_end(SEALANE_OPENVPN, 0), *b = kit_end(SEALANE_OPENVPN, 1);
    struct kit_packet k;

    (void)state;
    kit_send(&k, a, b, 0);
    assert_int_equal(k.p.len, 24 + sizeof ping);
    assert_int_equal(kit_open(&k), SEALANE_OK);
    assert_int_equal(k.p.kind, SEALANE_KEEPALIVE);
    assert_int_equal(k.p.len, 0);
    assert_memory_equal(k.buf + k.p.off, ping, sizeof ping);

    for (size_t len = sizeof ping - 1; len <= sizeof ping + 1; len += 2) { /* a byte less or more is data */
        uint8_t text[sizeof ping + 1] = {0}, datagram[KIT_BUF];

        memcpy(text, ping, sizeof ping);
        kit_fill(&k, a, text, len);
        assert_int_equal(kit_seal(&k), SEALANE_OK);
        kit_fill(&k, b, memcpy(datagram, k.buf + k.p.off, k.p.len), k.p.len);
        assert_int_equal(kit_open(&k), SEALANE_OK);
        assert_int_equal(k.p.kind, SEALANE_DATA);
        assert_int_equal(k.p.len, len);
    }
    sealane_channel_free(a);
    sealane_channel_free(b);
}

static size_t sealed_len(struct sealane_channel *ch, size_t len)
{
    struct kit_packet k;

    kit_fill(&k, ch, NULL, len);
    assert_int_equal(kit_seal(&k), SEALANE_OK);
    return k.p.len - 32;
}

/* Zeros up to a multiple of 16, never beyond the MTU, by the rule last = len % mtu, min(round16(last), mtu).
 */
static void wireguard_padding_is_bounded_by_the_mtu(void **state)
{
    const uint32_t mtus[] = {0, 1, 15, 16, 17, 100, 1280, 1420, 1423, 1425, 65535};

    (void)state;
    for (size_t i = 0; i < sizeof mtus / sizeof mtus[0]; i++) {
        struct sealane_channel *ch = kit_channel();
        struct sealane_keys k = kit_keys(SEALANE_WIREGUARD, 0, 0);

        k.mtu = mtus[i];
        assert_int_equal(sealane_channel_install(ch, &k, SEALANE_NOW), SEALANE_OK);
        for (size_t len = 0; len <= 1500; len++) {
            size_t last = k.mtu == 0 ? len : len % k.mtu, padded = (last + 15) / 16 * 16;

            if (k.mtu != 0 && padded > k.mtu)
                padded = k.mtu;
            assert_int_equal(sealed_len(ch, len), len - last + padded);
        }
        sealane_channel_free(ch);
    }
}

static void raw_inner_is_neither_padded_nor_trimmed(void **state)
{
    struct sealane_channel *end[2];
    struct kit_packet k;

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct sealane_keys keys = kit_keys(SEALANE_WIREGUARD, 0, i);
        end[i] = kit_channel();
        keys.flags = SEALANE_RAW_INNER;
        assert_int_equal(sealane_channel_install(end[i], &keys, SEALANE_NOW), SEALANE_OK);
    }
    for (size_t len = 0; len <= 100; len++) {
        uint8_t text[100];
        memset(text, 0xee, sizeof text); /* no IP version */
        kit_fill(&k, end[0], text, len);
        assert_int_equal(kit_seal(&k), SEALANE_OK);
        assert_int_equal(k.p.len, 32 + len);
        kit_fill(&k, end[1], memcpy(k.before, k.buf + k.p.off, k.p.len), k.p.len);
        assert_int_equal(kit_open(&k), SEALANE_OK);
        assert_int_equal(k.p.len, len);
        assert_int_equal(k.p.kind, len == 0 ? SEALANE_KEEPALIVE : SEALANE_DATA);
        assert_memory_equal(k.buf + k.p.off, text, len);
    }
    sealane_channel_free(end[0]);
    sealane_channel_free(end[1]);
}

/* What an authentic WireGuard plaintext is worth: payload length, or EFORMAT. */
struct inner_case {
    const char *name;
    size_t len;
    uint8_t version, high, low; /* first byte; the length field */
    int expected;
};

static const struct inner_case inner_cases[] = {
    {"IPv4, no padding", 20, 0x45, 0, 20, 20},
    {"IPv4, one byte of padding", 21, 0x45, 0, 20, 20},
    {"IPv4, padding of any size", 300, 0x45, 0, 20, 20},
    {"IPv4, long", 300, 0x45, 1, 44, 300},
    {"IPv4, one byte more than there is", 300, 0x45, 1, 45, SEALANE_EFORMAT},
    {"IPv4, total length below its header", 40, 0x45, 0, 19, SEALANE_EFORMAT},
    {"IPv4, total length 0", 40, 0x45, 0, 0, SEALANE_EFORMAT},
    {"IPv4, header cut", 19, 0x45, 0, 19, SEALANE_EFORMAT},
    {"one byte", 1, 0x45, 0, 0, SEALANE_EFORMAT},
    {"IPv6, header alone", 40, 0x60, 0, 0, 40},
    {"IPv6, padded", 64, 0x60, 0, 9, 49},
    {"IPv6, exact", 64, 0x60, 0, 24, 64},
    {"IPv6, one byte more than there is", 64, 0x60, 0, 25, SEALANE_EFORMAT},
    {"IPv6, greatest length", 64, 0x60, 255, 255, SEALANE_EFORMAT},
    {"IPv6, header cut", 39, 0x60, 0, 0, SEALANE_EFORMAT},
    {"no IP version", 64, 0x00, 0, 64, SEALANE_EFORMAT},
    {"version 5", 64, 0x55, 0, 64, SEALANE_EFORMAT},
    {"version 15", 64, 0xff, 0, 64, SEALANE_EFORMAT},
};

/* A peer without padding, or with any: its plaintext is made by raw keys. */
static void wireguard_inner_length_is_trusted_only_within_the_packet(void **state)
{
    struct sealane_channel *a = kit_channel(), *b = kit_end(SEALANE_WIREGUARD, 1);
    struct sealane_keys keys = kit_keys(SEALANE_WIREGUARD, 0, 0);

    (void)state;
    keys.flags = SEALANE_RAW_INNER;
    assert_int_equal(sealane_channel_install(a, &keys, SEALANE_NOW), SEALANE_OK);
    for (size_t i = 0; i < sizeof inner_cases / sizeof inner_cases[0]; i++) {
        const struct inner_case *c = &inner_cases[i];
        uint8_t plain[300];
        struct kit_packet k;

        print_message("%s\n", c->name);
        memset(plain, 0x33, sizeof plain);
        plain[0] = c->version;
        plain[c->version >> 4 == 6 ? 4 : 2] = c->high;
        plain[c->version >> 4 == 6 ? 5 : 3] = c->low;
        kit_fill(&k, a, plain, c->len);
        assert_int_equal(kit_seal(&k), SEALANE_OK);
        kit_fill(&k, b, memcpy(k.before, k.buf + k.p.off, k.p.len), k.p.len);
        if (c->expected >= 0) {
            assert_int_equal(kit_open(&k), SEALANE_OK);
            assert_int_equal(k.p.len, c->expected);
            assert_memory_equal(k.buf + k.p.off, plain, k.p.len);
        } else {
            const uint8_t zero[sizeof plain] = {0};
            assert_int_equal(kit_open(&k), c->expected);
            assert_memory_equal(k.buf + KIT_OFF + 16, zero, c->len);
            kit_assert_kept(&k, KIT_OFF + 16, KIT_OFF + 16 + c->len);
            assert_int_equal(k.p.off, KIT_OFF);
            assert_int_equal(k.p.len, c->len + 32);
        }
    }
    sealane_channel_free(a);
    sealane_channel_free(b);
}

static void openvpn_header_carries_key_and_peer_id(void **state)
{
    (void)state;
    for (uint32_t key_id = 0; key_id < 8; key_id++) {
        struct sealane_channel *ch = kit_channel();
        struct sealane_keys keys = kit_keys(SEALANE_OPENVPN, 0, 0);
        struct kit_packet k;
        uint32_t id = 0;

        keys.tx_id = key_id << 24 | 0xabcdef;
        assert_int_equal(sealane_channel_install(ch, &keys, SEALANE_NOW), SEALANE_OK);
        for (uint8_t number = 1; number < 4; number++) {
            const uint8_t header[8] = {(uint8_t)(0x48 | key_id), 0xab, 0xcd, 0xef, 0, 0, 0, number};
            kit_fill(&k, ch, NULL, 50);
            assert_int_equal(kit_seal(&k), SEALANE_OK);
            assert_memory_equal(k.buf + k.p.off, header, sizeof header);
            assert_int_equal(sealane_peek(SEALANE_OPENVPN, k.buf + k.p.off, k.p.len, &id), SEALANE_OK);
            assert_int_equal(id, keys.tx_id);
        }
        sealane_channel_free(ch);
    }
}

static void peek_reads_ids_and_refuses_the_rest(void **state)
{
    uint8_t wg[32] = {4, 0, 0, 0, 0xef, 0xbe, 0xad, 0xde}, ovpn[24] = {0x4b, 0x12, 0x34, 0x56, 0, 0, 0, 1};
    uint32_t id = 1;

    (void)state;
    assert_int_equal(sealane_peek(SEALANE_WIREGUARD, wg, sizeof wg, &id), SEALANE_OK);
    assert_int_equal(id, 0xdeadbeef);
    assert_int_equal(sealane_peek(SEALANE_OPENVPN, ovpn, sizeof ovpn, &id), SEALANE_OK);
    assert_int_equal(id, 0x03123456);
    assert_int_equal(sealane_peek(SEALANE_WIREGUARD, wg, sizeof wg - 1, &id), SEALANE_ELENGTH);
    assert_int_equal(sealane_peek(SEALANE_OPENVPN, ovpn, sizeof ovpn - 1, &id), SEALANE_ELENGTH);
    assert_int_equal(sealane_peek(SEALANE_WIREGUARD, NULL, 0, &id), SEALANE_ELENGTH);
    assert_int_equal(sealane_peek(SEALANE_WIREGUARD, NULL, 32, &id), SEALANE_EINVAL);
    assert_int_equal(sealane_peek(SEALANE_WIREGUARD, wg, sizeof wg, NULL), SEALANE_EINVAL);
    assert_int_equal(sealane_peek(0, wg, sizeof wg, &id), SEALANE_EINVAL);
    assert_int_equal(sealane_peek(99, wg, sizeof wg, &id), SEALANE_EINVAL);
    for (int bit = 0; bit < 32; bit++) { /* type and reserved bytes are one word */
        wg[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(sealane_peek(SEALANE_WIREGUARD, wg, sizeof wg, &id), SEALANE_EFORMAT);
        wg[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (unsigned opcode = 0; opcode < 32; opcode++) {
        ovpn[0] = (uint8_t)(opcode << 3 | 3);
        assert_int_equal(sealane_peek(SEALANE_OPENVPN, ovpn, sizeof ovpn, &id),
                         opcode == 9 ? SEALANE_OK : SEALANE_EFORMAT);
    }
    ovpn[0] = 0x48;
    ovpn[7] = 0; /* packet id 0 is never valid */
    assert_int_equal(sealane_peek(SEALANE_OPENVPN, ovpn, sizeof ovpn, &id), SEALANE_EFORMAT);
    assert_int_equal(id, 0x03123456);
}

static void rooms_are_those_of_the_formats(void **state)
{
    (void)state;
    assert_int_equal(sealane_headroom(SEALANE_WIREGUARD, 0), 16);
    assert_int_equal(sealane_tailroom(SEALANE_WIREGUARD, 0), 31);
    assert_int_equal(sealane_headroom(SEALANE_WIREGUARD, SEALANE_RAW_INNER), 16);
    assert_int_equal(sealane_tailroom(SEALANE_WIREGUARD, SEALANE_RAW_INNER), 16);
    assert_int_equal(sealane_headroom(SEALANE_OPENVPN, 0), 24);
    assert_int_equal(sealane_tailroom(SEALANE_OPENVPN, 0), 0);
    assert_int_equal(sealane_headroom(99, 0), 0);
    assert_int_equal(sealane_tailroom(99, 0), 0);
    assert_int_equal(sealane_headroom(SEALANE_WIREGUARD, 0x80000000), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seals_to_the_published_bytes),
        cmocka_unit_test(opens_the_published_bytes),
        cmocka_unit_test(openvpn_ping_is_a_keepalive),
        cmocka_unit_test(wireguard_padding_is_bounded_by_the_mtu),
        cmocka_unit_test(raw_inner_is_neither_padded_nor_trimmed),
        cmocka_unit_test(wireguard_inner_length_is_trusted_only_within_the_packet),
        cmocka_unit_test(openvpn_header_carries_key_and_peer_id),
        cmocka_unit_test(peek_reads_ids_and_refuses_the_rest),
        cmocka_unit_test(rooms_are_those_of_the_formats),
    };

    level_from_environment();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
