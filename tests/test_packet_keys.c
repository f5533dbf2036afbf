/* test_packet_keys.c: the life of keys on a channel: generations and their order, what a channel refuses to
 * install, the limits by number, by failed openings and by age, wiping, and the calls that tell about it. */
#include "packet_kit.h"

#include <sealane/cpu.h>

#include "aead_key.h"
#include "channel.h"

enum { WG = SEALANE_WIREGUARD, OVPN = SEALANE_OPENVPN, LEN = 40 };

static int send_status(struct sealane_channel *from, struct sealane_channel *to, struct kit_packet *k)
{
    kit_send(k, from, to, LEN);
    return kit_open(k);
}

/* Is this end able to send, and on keys with which id? */
static uint32_t sending_id(struct sealane_channel *ch, uint32_t format)
{
    struct kit_packet k;
    uint32_t id = 0;

    kit_fill(&k, ch, NULL, LEN);
    assert_int_equal(kit_seal(&k), SEALANE_OK);
    assert_int_equal(sealane_peek(format, k.buf + k.p.off, k.p.len, &id), SEALANE_OK);
    return id;
}

static int seal_status(struct sealane_channel *ch)
{
    struct kit_packet k;
    int status;

    kit_fill(&k, ch, NULL, LEN);
    status = kit_seal(&k);
    if (status != SEALANE_OK)
        kit_assert_untouched(&k, LEN);
    return status;
}

/* A datagram that the other end of generation n sends, made by a channel of its own. */
static int open_from(struct sealane_channel *ch, uint32_t format, uint32_t n, int end, struct kit_packet *k)
{
    struct sealane_channel *peer = kit_channel();
    int status;

    kit_install(peer, format, n, end, SEALANE_NOW);
    status = send_status(peer, ch, k);
    sealane_channel_free(peer);
    return status;
}

static void new_keys_are_current_at_once(void **state)
{
    const uint32_t formats[] = {WG, OVPN};

    (void)state;
    for (size_t f = 0; f < 2; f++) {
        struct sealane_channel *a = kit_channel();
        struct kit_packet k;

        for (uint32_t n = 0; n < 10; n++) {
            kit_install(a, formats[f], n, 0, SEALANE_NOW);
            assert_int_equal(sending_id(a, formats[f]), kit_keys(formats[f], n, 0).tx_id);
            assert_int_equal(kit_stats(a).tx_counter, formats[f] == WG ? 1 : 2); /* numbers start afresh */
            assert_int_equal(open_from(a, formats[f], n, 1, &k), SEALANE_OK);
            assert_int_equal(k.p.slot, SEALANE_CURRENT);
            if (n >= 1) {
                assert_int_equal(kit_stats(a).generations, 3);
                /* a packet of the previous keys that was still under way */
                struct sealane_channel *peer = kit_channel();
                kit_install(peer, formats[f], n - 1, 1, SEALANE_NOW);
                channel_slot(peer, SEALANE_CURRENT)->tx_next = 5 + n;
                assert_int_equal(send_status(peer, a, &k), SEALANE_OK);
                assert_int_equal(k.p.slot, SEALANE_PREVIOUS);
                assert_int_equal(k.p.counter, 5 + n);
                sealane_channel_free(peer);
            }
            if (n >= 2)
                assert_int_equal(open_from(a, formats[f], n - 2, 1, &k), SEALANE_ENOKEY);
        }
        assert_int_equal(kit_stats(a).keys_installed, 10);
        sealane_channel_free(a);
    }
}

/* The responder: keys wait until the peer has shown that it has them too. */
static void keys_wait_for_the_first_authentic_packet(void **state)
{
    const uint32_t formats[] = {WG, OVPN};

    (void)state;
    for (size_t f = 0; f < 2; f++) {
        struct sealane_channel *b = kit_channel(), *peer = kit_channel();
        struct kit_packet k, forged;

        kit_install(b, formats[f], 0, 1, SEALANE_ON_FIRST_PACKET);
        assert_int_equal(seal_status(b), SEALANE_ENOKEY);
        assert_int_equal(kit_stats(b).generations, 4);
        assert_int_equal(open_from(b, formats[f], 0, 0, &k), SEALANE_OK);
        assert_int_equal(k.p.slot, SEALANE_NEXT); /* this packet made them current */
        assert_int_equal(kit_stats(b).generations, 2);

        kit_install(b, formats[f], 1, 1, SEALANE_ON_FIRST_PACKET);
        assert_int_equal(sending_id(b, formats[f]), kit_keys(formats[f], 0, 1).tx_id);
        kit_install(peer, formats[f], 1, 0, SEALANE_NOW);
        kit_send(&forged, peer, b, LEN);
        forged.buf[KIT_OFF + forged.p.len - 1] ^= 1;
        assert_int_equal(kit_open(&forged), SEALANE_EFORGED); /* anyone can send this */
        assert_int_equal(sending_id(b, formats[f]), kit_keys(formats[f], 0, 1).tx_id);
        assert_int_equal(send_status(peer, b, &k), SEALANE_OK);
        assert_int_equal(k.p.slot, SEALANE_NEXT);
        assert_int_equal(sending_id(b, formats[f]), kit_keys(formats[f], 1, 1).tx_id);
        assert_int_equal(send_status(peer, b, &k), SEALANE_OK);
        assert_int_equal(k.p.slot, SEALANE_CURRENT);
        assert_int_equal(kit_stats(b).generations, 3);
        sealane_channel_free(b);
        sealane_channel_free(peer);
    }
}

static void one_packet_of_a_burst_makes_keys_current(void **state)
{
    struct sealane_channel *b = kit_end(WG, 1), *peer = kit_channel();
    struct kit_packet k[4];
    struct sealane_packet burst[4];

    (void)state;
    kit_install(b, WG, 1, 1, SEALANE_ON_FIRST_PACKET);
    kit_install(peer, WG, 1, 0, SEALANE_NOW);
    for (int i = 0; i < 4; i++) {
        kit_send(&k[i], peer, b, LEN);
        burst[i] = k[i].p;
    }
    k[0].buf[KIT_OFF + 20] ^= 1;
    assert_int_equal(sealane_open_packets(burst, 4), 3);
    assert_int_equal(burst[0].status, SEALANE_EFORGED);
    assert_int_equal(burst[1].slot, SEALANE_NEXT);
    assert_int_equal(burst[2].slot, SEALANE_CURRENT);
    assert_int_equal(burst[3].slot, SEALANE_CURRENT);
    sealane_channel_free(b);
    sealane_channel_free(peer);
}

/* Packets of all three generations of a channel, in turns, in one burst. */
static void a_burst_meets_every_generation(void **state)
{
    struct sealane_channel *from[3], *to = kit_channel();
    static struct kit_packet k[12];
    struct sealane_packet burst[12];

    (void)state;
    for (uint32_t g = 0; g < 3; g++) {
        from[g] = kit_channel();
        kit_install(from[g], WG, g, 0, SEALANE_NOW);
        kit_install(to, WG, g, 1, g == 2 ? SEALANE_ON_FIRST_PACKET : SEALANE_NOW);
    }
    for (size_t i = 0; i < 12; i++) {
        kit_send(&k[i], from[i % 3], to, 100);
        burst[i] = k[i].p;
    }
    assert_int_equal(sealane_open_packets(burst, 12), 12);
    for (size_t i = 0; i < 12; i++) {
        assert_int_equal(burst[i].status, SEALANE_OK);
        assert_int_equal(burst[i].len, 100);
        assert_int_equal(burst[i].counter, i / 3);
        assert_int_equal(burst[i].slot, i == 2       ? SEALANE_NEXT
                                        : i % 3 == 0 ? SEALANE_PREVIOUS
                                                     : SEALANE_CURRENT);
    }
    for (uint32_t g = 0; g < 3; g++)
        sealane_channel_free(from[g]);
    sealane_channel_free(to);
}

static void waiting_keys_are_replaced_or_dropped(void **state)
{
    struct sealane_channel *b = kit_end(WG, 1);
    struct kit_packet k;

    (void)state;
    kit_install(b, WG, 1, 1, SEALANE_ON_FIRST_PACKET);
    kit_install(b, WG, 2, 1, SEALANE_ON_FIRST_PACKET);
    assert_int_equal(open_from(b, WG, 1, 0, &k), SEALANE_ENOKEY);
    kit_install(b, WG, 3, 1, SEALANE_NOW);
    assert_int_equal(open_from(b, WG, 2, 0, &k), SEALANE_ENOKEY);
    assert_int_equal(open_from(b, WG, 0, 0, &k), SEALANE_OK);
    assert_int_equal(k.p.slot, SEALANE_PREVIOUS);
    sealane_channel_free(b);
}

static void each_slot_can_be_retired(void **state)
{
    struct kit_packet k;

    (void)state;
    for (int slot = SEALANE_PREVIOUS; slot <= SEALANE_ALL; slot++) {
        struct sealane_channel *b = kit_channel();
        uint32_t left = slot == SEALANE_ALL ? 0 : 7u & ~(1u << (slot - 1));

        for (uint32_t n = 0; n < 3; n++)
            kit_install(b, WG, n, 1, n < 2 ? SEALANE_NOW : SEALANE_ON_FIRST_PACKET);
        assert_int_equal(sealane_channel_retire(b, slot), SEALANE_OK);
        assert_int_equal(kit_stats(b).generations, left);
        assert_int_equal(sealane_channel_retire(b, slot), slot == SEALANE_ALL ? SEALANE_OK : SEALANE_ENOKEY);
        assert_int_equal(open_from(b, WG, 0, 0, &k), left & 1 ? SEALANE_OK : SEALANE_ENOKEY);
        assert_int_equal(open_from(b, WG, 1, 0, &k), left & 2 ? SEALANE_OK : SEALANE_ENOKEY);
        assert_int_equal(seal_status(b), left & 2 ? SEALANE_OK : SEALANE_ENOKEY);
        assert_int_equal(open_from(b, WG, 2, 0, &k), left & 4 ? SEALANE_OK : SEALANE_ENOKEY);
        sealane_channel_free(b);
    }
}

static bool is_wiped(const struct generation *g)
{
    const uint8_t zero[sizeof g->tx] = {0};

    return memcmp(&g->tx, zero, sizeof g->tx) == 0 && memcmp(&g->rx, zero, sizeof g->rx) == 0 &&
           memcmp(g->tx_iv, zero, sizeof g->tx_iv) == 0 && memcmp(g->rx_iv, zero, sizeof g->rx_iv) == 0;
}

/* Whichever way keys end, nothing is left of them; while a call holds them, they stay. */
static void old_keys_are_wiped(void **state)
{
    (void)state;
    for (int way = 0; way < 5; way++)
        for (int held = 0; held < 2; held++) {
            struct sealane_channel *ch = kit_end(WG, 0);
            struct generation *g = channel_slot(ch, SEALANE_CURRENT);

            if (held)
                assert_true(generation_hold(g));
            assert_false(is_wiped(g));
            if (way == 0) {
                assert_int_equal(sealane_channel_retire(ch, SEALANE_CURRENT), SEALANE_OK);
            } else if (way == 1) {
                assert_int_equal(sealane_channel_retire(ch, SEALANE_ALL), SEALANE_OK);
            } else if (way == 2) {
                kit_install(ch, WG, 1, 0, SEALANE_NOW);
                assert_false(is_wiped(g));
                kit_install(ch, WG, 2, 0, SEALANE_NOW);
            } else if (way == 3) {
                assert_int_equal(sealane_channel_tick(ch, 0), SEALANE_OK);
                assert_int_equal(sealane_channel_tick(ch, 180000), SEALANE_OK);
            } else {
                struct kit_packet k;
                kit_install(ch, WG, 1, 0, SEALANE_NOW);
                kit_install(ch, WG, 2, 0, SEALANE_ON_FIRST_PACKET);
                assert_int_equal(open_from(ch, WG, 2, 1, &k), SEALANE_OK);
            }
            assert_int_equal(is_wiped(g), !held);
            assert_false(generation_hold(g));
            if (held)
                generation_release(g);
            assert_true(is_wiped(g));
            sealane_channel_free(ch);
        }
}

/* Memory of retired keys is used again, and only when nobody holds it: a channel does not grow. */
static void rekeying_for_ever_takes_no_memory(void **state)
{
    struct sealane_channel *ch = kit_end(WG, 0);
    struct generation *held = channel_slot(ch, SEALANE_CURRENT);
    int count = 0;

    (void)state;
    assert_true(generation_hold(held));
    for (uint32_t n = 1; n < 1000; n++)
        kit_install(ch, WG, n, 0, n % 3 == 0 ? SEALANE_ON_FIRST_PACKET : SEALANE_NOW);
    assert_false(is_wiped(held));
    for (const struct generation *g = ch->generations; g != NULL; g = g->next)
        count++;
    assert_true(count <= 5); /* three slots, the one held, and the one being filled */
    generation_release(held);
    sealane_channel_free(ch);
}

static int install_status(struct sealane_channel *ch, struct sealane_keys keys, int when)
{
    return sealane_channel_install(ch, &keys, when);
}

static void unsound_keys_are_refused(void **state)
{
    struct sealane_channel *ch = kit_end(WG, 0);
    struct sealane_keys good = kit_keys(WG, 1, 0), ovpn = kit_keys(OVPN, 1, 0), k;

    (void)state;
#define REFUSED(base, change)                                                                                \
    k = base;                                                                                                \
    change;                                                                                                  \
    assert_int_equal(install_status(ch, k, SEALANE_NOW), SEALANE_EINVAL)

    REFUSED(good, k.size = 0);
    REFUSED(good, k.size--);
    REFUSED(good, k.size++);
    REFUSED(good, k.format = 0);
    REFUSED(good, k.format = SEALANE_OPENVPN_EPOCH);
    REFUSED(good, k.format = SEALANE_ESP);
    REFUSED(good, k.format = 5);
    REFUSED(good, k.flags = SEALANE_ESN);
    REFUSED(good, k.flags = SEALANE_IMPLICIT_IV);
    REFUSED(good, k.flags = UINT32_C(1) << 31);
    REFUSED(good, k.flags = SEALANE_RAW_INNER | 8);
    REFUSED(good, memcpy(k.rx_key, k.tx_key, 32));
    REFUSED(good, k.window = 1);
    REFUSED(good, k.window = 63);
    REFUSED(good, k.window = 65536);
    REFUSED(good, k.window = UINT32_MAX);
    REFUSED(ovpn, (void)k); /* another format beside live keys */
    assert_int_equal(install_status(ch, good, 2), SEALANE_EINVAL);
    assert_int_equal(install_status(ch, good, -1), SEALANE_EINVAL);
    assert_int_equal(sealane_channel_install(ch, NULL, SEALANE_NOW), SEALANE_EINVAL);
    assert_int_equal(sealane_channel_install(NULL, &good, SEALANE_NOW), SEALANE_EINVAL);
    assert_int_equal(kit_stats(ch).keys_installed, 1);
    assert_int_equal(kit_stats(ch).generations, 2);

    assert_int_equal(sealane_channel_retire(ch, SEALANE_ALL), SEALANE_OK);
    REFUSED(ovpn, k.tx_id = UINT32_C(8) << 24);
    REFUSED(ovpn, k.rx_id = UINT32_C(8) << 24);
    REFUSED(ovpn, k.flags = SEALANE_RAW_INNER);
    assert_int_equal(install_status(ch, ovpn, SEALANE_NOW), SEALANE_OK); /* no keys of the other are left */
    sealane_channel_free(ch);
}

/* A key belongs to one direction of one generation, or numbers would be used twice under it. */
static void a_live_key_is_not_installed_again(void **state)
{
    (void)state;
    for (int slot = 0; slot < 3; slot++)
        for (int which = 0; which < 4; which++) {
            struct sealane_channel *ch = kit_channel();
            struct sealane_keys live = kit_keys(WG, (uint32_t)slot, 0), k = kit_keys(WG, 9, 0);

            for (uint32_t n = 0; n < 3; n++)
                kit_install(ch, WG, n, 0, n < 2 ? SEALANE_NOW : SEALANE_ON_FIRST_PACKET);
            memcpy(which & 1 ? k.tx_key : k.rx_key, which & 2 ? live.tx_key : live.rx_key, 32);
            assert_int_equal(install_status(ch, k, SEALANE_NOW), SEALANE_EINVAL);
            assert_int_equal(install_status(ch, k, SEALANE_ON_FIRST_PACKET), SEALANE_EINVAL);
            assert_int_equal(kit_stats(ch).generations, 7);
            assert_int_equal(kit_stats(ch).keys_installed, 3);
            for (const struct generation *g = ch->generations; g != NULL;
                 g = g->next) /* nor kept in memory */
                assert_true(generation_is_idle(g) ? is_wiped(g) : !generation_is_retired(g));
            sealane_channel_free(ch);
        }
}

/* An id is free again when the keys that had it are gone. */
static void live_ids_are_not_used_twice(void **state)
{
    struct sealane_channel *ch = kit_channel();
    struct sealane_keys k = kit_keys(WG, 9, 0);

    (void)state;
    for (uint32_t n = 0; n < 3; n++)
        kit_install(ch, WG, n, 0, n < 2 ? SEALANE_NOW : SEALANE_ON_FIRST_PACKET);
    k.rx_id = kit_keys(WG, 1, 0).rx_id; /* current: it stays, as previous or as current */
    assert_int_equal(install_status(ch, k, SEALANE_NOW), SEALANE_EINVAL);
    assert_int_equal(install_status(ch, k, SEALANE_ON_FIRST_PACKET), SEALANE_EINVAL);
    k.rx_id = kit_keys(WG, 0, 0).rx_id; /* previous: it stays while new keys wait */
    assert_int_equal(install_status(ch, k, SEALANE_ON_FIRST_PACKET), SEALANE_EINVAL);
    k.rx_id = kit_keys(WG, 2, 0).rx_id; /* next is replaced */
    assert_int_equal(install_status(ch, k, SEALANE_ON_FIRST_PACKET), SEALANE_OK);
    k = kit_keys(WG, 10, 0);
    k.rx_id = kit_keys(WG, 0, 0).rx_id;
    assert_int_equal(install_status(ch, k, SEALANE_NOW), SEALANE_OK);
    sealane_channel_free(ch);
}

struct limits {
    uint32_t format;
    uint64_t rekey, limit; /* the number that is next */
};

static const struct limits number_limits[] = {
    {WG, UINT64_C(1) << 60, UINT64_MAX - 8192},
    {OVPN, 0xff000000, UINT64_C(1) << 32},
};

static void numbers_end_at_the_limit(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct limits *l = &number_limits[i];
        struct sealane_channel *ch = kit_end(l->format, 0), *to = kit_end(l->format, 1);
        _Atomic uint64_t *next = &channel_slot(ch, SEALANE_CURRENT)->tx_next;
        struct kit_packet k[8];
        struct sealane_packet burst[8];

        assert_int_equal(sealane_channel_due(ch), 0);
        *next = l->rekey - 1;
        assert_int_equal(sealane_channel_due(ch), 0);
        assert_int_equal(seal_status(ch), SEALANE_OK);
        assert_int_equal(sealane_channel_due(ch), SEALANE_REKEY);

        *next = l->limit - 2;
        assert_int_equal(sealane_channel_due(ch), SEALANE_REKEY);
        assert_int_equal(send_status(ch, to, &k[0]), SEALANE_OK); /* the last but one arrives */
        *next = l->limit - 3;
        for (int j = 0; j < 8;
             j++) { /* the limit in the middle of a burst, behind a packet that takes no number */
            kit_fill(&k[j], ch, NULL, LEN);
            burst[j] = k[j].p;
            if (j == 1)
                burst[j].off = 0;
        }
        assert_int_equal(sealane_seal_packets(burst, 8), 3);
        assert_int_equal(burst[1].status, SEALANE_ESPACE);
        for (int j = 0, number = 0; j < 8; j++) {
            if (j == 1)
                continue;
            if (number < 3) {
                assert_int_equal(burst[j].status, SEALANE_OK);
                assert_int_equal(burst[j].counter, l->limit - 3 + (uint64_t)number++);
            } else {
                assert_int_equal(burst[j].status, SEALANE_ELIMIT);
                assert_memory_equal(k[j].buf, k[j].before, sizeof k[j].buf);
                assert_int_equal(burst[j].counter, 0);
            }
        }
        assert_int_equal(sealane_channel_due(ch), SEALANE_EXPIRED);
        for (int j = 0; j < 20000; j++) /* trying on for ever does not wrap */
            assert_int_equal(seal_status(ch), SEALANE_ELIMIT);
        assert_int_equal(*next, l->limit);
        assert_true(kit_stats(ch).limit >= 20004);

        kit_install(ch, l->format, 1, 0, SEALANE_NOW); /* a new key begins anew */
        assert_int_equal(sealane_channel_due(ch), 0);
        assert_int_equal(seal_status(ch), SEALANE_OK);
        sealane_channel_free(ch);
        sealane_channel_free(to);
    }
}

/* One of two numbers left, none and no keys at all, in turns with a channel that has all it needs; of two
 * formats. What is sealed can be opened, so nothing was mixed up. */
static void channels_of_a_burst_keep_their_limits_apart(void **state)
{
    struct sealane_channel *from[4] = {kit_end(WG, 0), kit_end(SEALANE_OPENVPN, 0), kit_channel(),
                                       kit_end(SEALANE_OPENVPN, 0)};
    struct sealane_channel *to[4] = {kit_end(WG, 1), kit_end(SEALANE_OPENVPN, 1), NULL,
                                     kit_end(SEALANE_OPENVPN, 1)};
    static const uint64_t limit = UINT64_C(1) << 32;
    static struct kit_packet k[16];
    struct sealane_packet burst[16];

    (void)state;
    channel_slot(from[1], SEALANE_CURRENT)->tx_next = limit - 2;
    for (size_t i = 0; i < 16; i++) {
        kit_fill(&k[i], from[i % 4], NULL, LEN + i);
        burst[i] = k[i].p;
    }
    assert_int_equal(sealane_seal_packets(burst, 16), 10);
    for (size_t i = 0; i < 16; i++) {
        const int none = i % 4 == 2, out = i % 4 == 1 && i > 8;

        assert_int_equal(burst[i].status, none ? SEALANE_ENOKEY : out ? SEALANE_ELIMIT : SEALANE_OK);
        if (none || out) {
            assert_memory_equal(k[i].buf, k[i].before, sizeof k[i].buf);
            continue;
        }
        burst[i].channel = to[i % 4];
        assert_int_equal(sealane_open_packets(&burst[i], 1), 1);
        assert_int_equal(burst[i].len, LEN + i);
        assert_memory_equal(burst[i].buf + burst[i].off, k[i].before + KIT_OFF, LEN + i);
    }
    assert_int_equal(kit_stats(from[1]).sealed_packets, 2);
    assert_int_equal(kit_stats(from[1]).sealed_bytes, 2 * LEN + 1 + 5);
    assert_int_equal(kit_stats(from[1]).limit, 2);
    for (size_t i = 0; i < 4; i++) {
        sealane_channel_free(from[i]);
        sealane_channel_free(to[i]);
    }
}

static void failed_openings_wear_a_key_out(void **state)
{
    const uint64_t rekey = UINT64_C(1) << 35, limit = UINT64_C(1) << 36;
    struct sealane_channel *a = kit_end(WG, 0), *b = kit_end(WG, 1);
    struct generation *g = channel_slot(b, SEALANE_CURRENT);
    struct kit_packet k, good;

    (void)state;
    kit_send(&good, a, b, LEN);
    for (int past = 0; past < 2; past++) { /* the step from the limit to past it, by one forged packet */
        g->failed = (past ? limit : rekey) - 1;
        assert_int_equal(sealane_channel_due(b), past ? SEALANE_REKEY : 0);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(sealane_channel_due(b), past ? SEALANE_REKEY : 0);
            assert_int_equal(seal_status(b), SEALANE_OK);
            kit_send(&k, a, b, LEN);
            k.buf[KIT_OFF + 20] ^= 1;
            assert_int_equal(kit_open(&k), SEALANE_EFORGED);
        }
        assert_int_equal(sealane_channel_due(b), past ? SEALANE_EXPIRED : SEALANE_REKEY);
    }
    assert_int_equal(g->failed, limit + 1);
    assert_int_equal(kit_stats(b).key_forged, limit + 1);
    assert_int_equal(kit_open(&good), SEALANE_ELIMIT);
    kit_assert_untouched(&good, good.p.len);
    assert_int_equal(seal_status(b), SEALANE_ELIMIT);

    kit_install(b, WG, 1, 1, SEALANE_NOW); /* counted for each key by itself */
    assert_int_equal(sealane_channel_due(b), 0);
    assert_int_equal(kit_stats(b).key_forged, 0);
    assert_int_equal(seal_status(b), SEALANE_OK);
    assert_int_equal(kit_open(&good), SEALANE_ELIMIT);
    assert_int_equal(sealane_channel_retire(b, SEALANE_ALL), SEALANE_OK);
    for (uint32_t n = 2; n < 4; n++) { /* in the memory of the worn-out key too */
        kit_install(b, WG, n, 1, SEALANE_NOW);
        assert_int_equal(kit_stats(b).key_forged, 0);
    }
    assert_true(channel_slot(b, SEALANE_CURRENT) == g || channel_slot(b, SEALANE_PREVIOUS) == g);
    sealane_channel_free(a);
    sealane_channel_free(b);
}

static void tick(struct sealane_channel *ch, uint64_t now_ms)
{
    assert_int_equal(sealane_channel_tick(ch, now_ms), SEALANE_OK);
}

/* From any start of the clock, whether it ticked before the keys came or not. */
static void wireguard_keys_age_by_the_callers_clock(void **state)
{
    const uint64_t starts[] = {0, 1, 123456789, UINT64_MAX - 200000};

    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (int ticked = 0; ticked < 2; ticked++) {
            uint64_t t = starts[i];
            struct sealane_channel *a = kit_channel(), *b;
            struct kit_packet k, late;

            if (ticked)
                tick(a, t);
            kit_install(a, WG, 0, 0, SEALANE_NOW);
            tick(a, t);
            b = kit_end(WG, 1);
            kit_send(&late, b, a, LEN);
            tick(a, t + 119999);
            assert_int_equal(sealane_channel_due(a), 0);
            assert_int_equal(kit_stats(a).key_age_ms, 119999);
            tick(a, t + 120000);
            assert_int_equal(sealane_channel_due(a), SEALANE_REKEY);
            tick(a, t + 60000); /* a clock that runs backwards */
            assert_int_equal(sealane_channel_due(a), SEALANE_REKEY);
            tick(a, t == 0 ? 0 : t - 1); /* and one that runs back behind its start */
            assert_int_equal(kit_stats(a).key_age_ms, 120000);
            assert_int_equal(sealane_channel_due(a), SEALANE_REKEY);
            tick(a, t + 179999);
            assert_int_equal(sealane_channel_due(a), SEALANE_REKEY);
            assert_int_equal(seal_status(a), SEALANE_OK);
            assert_int_equal(send_status(b, a, &k), SEALANE_OK);
            tick(a, t + 180000);
            assert_int_equal(sealane_channel_due(a), SEALANE_EXPIRED);
            assert_int_equal(seal_status(a), SEALANE_ELIMIT);
            assert_int_equal(kit_open(&late), SEALANE_ELIMIT);
            kit_assert_untouched(&late, late.p.len);
            assert_int_equal(kit_stats(a).generations, 0);

            kit_install(a, WG, 1, 0, SEALANE_NOW); /* as old as the last tick */
            assert_int_equal(sealane_channel_due(a), 0);
            assert_int_equal(kit_stats(a).key_age_ms, 0);
            assert_int_equal(seal_status(a), SEALANE_OK);
            assert_int_equal(kit_open(&late), SEALANE_ELIMIT); /* previous by now, and as dead */
            sealane_channel_free(a);
            sealane_channel_free(b);
        }
}

static void keys_in_every_slot_age(void **state)
{
    struct sealane_channel *b = kit_channel();
    struct kit_packet k;

    (void)state;
    tick(b, 1000);
    kit_install(b, WG, 0, 1, SEALANE_NOW);
    tick(b, 101000);
    kit_install(b, WG, 1, 1, SEALANE_NOW);
    kit_install(b, WG, 2, 1, SEALANE_ON_FIRST_PACKET);
    tick(b, 181000);
    assert_int_equal(open_from(b, WG, 0, 0, &k), SEALANE_ELIMIT);
    assert_int_equal(open_from(b, WG, 1, 0, &k), SEALANE_OK);
    tick(b, 281000);
    assert_int_equal(open_from(b, WG, 1, 0, &k), SEALANE_ELIMIT);
    assert_int_equal(open_from(b, WG, 2, 0, &k), SEALANE_ELIMIT); /* too late to become current */
    assert_int_equal(seal_status(b), SEALANE_ELIMIT);
    assert_int_equal(kit_stats(b).generations, 0);
    for (int slot = SEALANE_PREVIOUS; slot <= SEALANE_NEXT; slot++)
        assert_int_equal(sealane_channel_retire(b, slot), SEALANE_OK);
    assert_int_equal(seal_status(b), SEALANE_ENOKEY);
    sealane_channel_free(b);
}

static void openvpn_keys_do_not_age(void **state)
{
    struct sealane_channel *a = kit_end(OVPN, 0);

    (void)state;
    tick(a, 0);
    tick(a, UINT64_MAX);
    assert_int_equal(sealane_channel_due(a), 0);
    assert_int_equal(seal_status(a), SEALANE_OK);
    assert_int_equal(kit_stats(a).key_age_ms, UINT64_MAX);
    sealane_channel_free(a);
}

static void due_without_keys_is_expired(void **state)
{
    struct sealane_channel *ch = kit_channel();

    (void)state;
    assert_int_equal(sealane_channel_due(ch), SEALANE_EXPIRED);
    kit_install(ch, WG, 0, 1, SEALANE_ON_FIRST_PACKET);
    assert_int_equal(sealane_channel_due(ch), SEALANE_EXPIRED);
    assert_int_equal(sealane_channel_retire(ch, SEALANE_ALL), SEALANE_OK);
    assert_int_equal(sealane_channel_due(ch), SEALANE_EXPIRED);
    sealane_channel_free(ch);
}

static bool has_kernels_of(const struct sealane_key *a, const struct sealane_key *b)
{
    return aead_key_of(a)->suite == aead_key_of(b)->suite && aead_key_of(a)->burst == aead_key_of(b)->burst;
}

/* The kernels of keys are those that were asked for when they came, whatever others use. */
static void keys_pin_their_kernels(void **state)
{
    const uint32_t used = sealane_cpu_used();
    const struct {
        uint32_t cpu, expected;
    } cases[] = {{0, used},
                 {SEALANE_CPU_NONE, 0},
                 {SEALANE_LEVEL_SSSE3, SEALANE_LEVEL_SSSE3 & sealane_cpu_found()},
                 {UINT32_MAX, sealane_cpu_found()}};
    struct sealane_channel *peer = kit_end(WG, 1);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sealane_channel *ch = kit_channel();
        struct sealane_keys keys = kit_keys(WG, 0, 0);
        const struct generation *g;
        struct sealane_key expected;
        struct kit_packet k;

        keys.cpu = cases[i].cpu;
        assert_int_equal(sealane_channel_install(ch, &keys, SEALANE_NOW), SEALANE_OK);
        g = channel_slot(ch, SEALANE_CURRENT);
        aead_key_init(&expected, keys.tx_key, cases[i].expected);
        assert_true(has_kernels_of(&g->tx, &expected) && has_kernels_of(&g->rx, &expected));
        channel_slot(ch, SEALANE_CURRENT)->tx_next = i;
        assert_int_equal(send_status(ch, peer, &k), SEALANE_OK);
        sealane_channel_free(ch);
    }
    sealane_channel_free(peer);
}

/* A copy, a freed or a zeroed channel is refused by every call. */
static void a_copied_channel_is_refused(void **state)
{
    static struct sealane_channel copy; /* zero at first */
    struct sealane_channel *ch = kit_end(WG, 0);
    struct sealane_keys keys = kit_keys(WG, 1, 0);
    struct sealane_stats stats = {.size = sizeof stats};
    struct kit_packet k;

    (void)state;
    for (int copied = 0; copied < 2; copied++) {
        if (copied)
            memcpy((void *)&copy, (const void *)ch, sizeof copy);
        assert_int_equal(sealane_channel_install(&copy, &keys, SEALANE_NOW), SEALANE_EINVAL);
        assert_int_equal(sealane_channel_retire(&copy, SEALANE_CURRENT), SEALANE_EINVAL);
        assert_int_equal(sealane_channel_tick(&copy, 1), SEALANE_EINVAL);
        assert_int_equal(sealane_channel_due(&copy), SEALANE_EINVAL);
        assert_int_equal(sealane_channel_stats(&copy, &stats), SEALANE_EINVAL);
        kit_fill(&k, &copy, NULL, LEN);
        assert_int_equal(kit_seal(&k), SEALANE_EINVAL);
        assert_int_equal(kit_open(&k), SEALANE_EINVAL);
        kit_assert_untouched(&k, LEN);
        sealane_channel_free(&copy); /* ignored */
    }
    assert_int_equal(seal_status(ch), SEALANE_OK); /* the original is unharmed */
    sealane_channel_free(ch);
    sealane_channel_free(NULL);
}

static void out_of_range_arguments_are_refused(void **state)
{
    const uint8_t key[32] = {0}, iv[12] = {0};
    struct sealane_channel *ch = kit_end(WG, 0);

    (void)state;
    assert_int_equal(sealane_channel_new(NULL), SEALANE_EINVAL);
    assert_int_equal(sealane_channel_retire(ch, 0), SEALANE_EINVAL);
    assert_int_equal(sealane_channel_retire(ch, -1), SEALANE_EINVAL);
    assert_int_equal(sealane_channel_retire(ch, SEALANE_ALL + 1), SEALANE_EINVAL);
    assert_int_equal(sealane_channel_retire(NULL, SEALANE_ALL), SEALANE_EINVAL);
    assert_int_equal(sealane_channel_tick(NULL, 0), SEALANE_EINVAL);
    assert_int_equal(sealane_channel_due(NULL), SEALANE_EINVAL);
    assert_int_equal(sealane_channel_epoch(ch, 1, key, iv, key, iv), SEALANE_EINVAL);
    assert_int_equal(kit_stats(ch).generations, 2);
    sealane_channel_free(ch);
}

static void stats_fit_the_callers_size(void **state)
{
    struct sealane_channel *a = kit_end(WG, 0), *b = kit_end(WG, 1);
    struct {
        struct sealane_stats s;
        uint64_t behind;
    } out;
    struct kit_packet k;

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(send_status(a, b, &k), SEALANE_OK);
    assert_int_equal(kit_stats(a).sealed_packets, 3);
    assert_int_equal(kit_stats(a).sealed_bytes, 3 * LEN);
    assert_int_equal(kit_stats(b).opened_packets, 3);
    assert_int_equal(kit_stats(b).opened_bytes, 3 * LEN);
    assert_int_equal(kit_stats(b).rx_newest, 2);
    for (uint32_t size = 0; size <= sizeof out; size++) {
        const uint8_t kept = 0xa5;
        memset(&out, kept, sizeof out);
        out.s.size = size;
        if (size < 8) {
            assert_int_equal(sealane_channel_stats(a, &out.s), SEALANE_EINVAL);
            continue;
        }
        assert_int_equal(sealane_channel_stats(a, &out.s), SEALANE_OK);
        assert_int_equal(out.s.size, size < sizeof out.s ? size : sizeof out.s);
        assert_int_equal(out.s.generations, 2);
        for (size_t i = out.s.size; i < sizeof out; i++)
            assert_int_equal(((const uint8_t *)&out)[i], kept);
    }
    assert_int_equal(sealane_channel_stats(a, NULL), SEALANE_EINVAL);
    assert_int_equal(sealane_channel_stats(NULL, &out.s), SEALANE_EINVAL);
    sealane_channel_free(a);
    sealane_channel_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_keys_are_current_at_once),
        cmocka_unit_test(keys_wait_for_the_first_authentic_packet),
        cmocka_unit_test(one_packet_of_a_burst_makes_keys_current),
        cmocka_unit_test(a_burst_meets_every_generation),
        cmocka_unit_test(waiting_keys_are_replaced_or_dropped),
        cmocka_unit_test(each_slot_can_be_retired),
        cmocka_unit_test(old_keys_are_wiped),
        cmocka_unit_test(rekeying_for_ever_takes_no_memory),
        cmocka_unit_test(unsound_keys_are_refused),
        cmocka_unit_test(a_live_key_is_not_installed_again),
        cmocka_unit_test(live_ids_are_not_used_twice),
        cmocka_unit_test(numbers_end_at_the_limit),
        cmocka_unit_test(channels_of_a_burst_keep_their_limits_apart),
        cmocka_unit_test(failed_openings_wear_a_key_out),
        cmocka_unit_test(wireguard_keys_age_by_the_callers_clock),
        cmocka_unit_test(keys_in_every_slot_age),
        cmocka_unit_test(openvpn_keys_do_not_age),
        cmocka_unit_test(due_without_keys_is_expired),
        cmocka_unit_test(keys_pin_their_kernels),
        cmocka_unit_test(a_copied_channel_is_refused),
        cmocka_unit_test(out_of_range_arguments_are_refused),
        cmocka_unit_test(stats_fit_the_callers_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
