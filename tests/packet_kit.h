/* packet_kit.h: two ends of a data channel and packets for them, for the tests of src/packet. */
#ifndef TESTS_PACKET_KIT_H
#define TESTS_PACKET_KIT_H

#include "hex.h"

#include <string.h>

#include <sealane/packet.h>

enum { KIT_BUF = 2048, KIT_OFF = 64 };

/* A packet with a buffer of its own. */
struct kit_packet {
    struct sealane_packet p;
    uint8_t buf[KIT_BUF], before[KIT_BUF];
};

/* The keys of generation n for one end (0 or 1): what one sends with, the other receives with. Every n has
 * other keys and ids; OpenVPN's key ids go 0, 1, .. 7, 1 .. */
static inline struct sealane_keys kit_keys(uint32_t format, uint32_t n, int end)
{
    struct sealane_keys k = {.size = sizeof k, .format = format};
    uint8_t *key[2] = {end ? k.rx_key : k.tx_key, end ? k.tx_key : k.rx_key};
    uint8_t *iv[2] = {end ? k.rx_iv : k.tx_iv, end ? k.tx_iv : k.rx_iv};
    uint32_t id = format == SEALANE_OPENVPN ? (n == 0 ? 0 : 1 + (n - 1) % 7) << 24 | 0x1700 : 0x100 + 2 * n;

    for (int side = 0; side < 2; side++) {
        memset(key[side], 0x40 + side, 32);
        memcpy(key[side], &n, sizeof n);
        memset(iv[side], 0x70 + side, 12);
    }
    k.tx_id = id + (end ? 1 : 0);
    k.rx_id = id + (end ? 0 : 1);
    return k;
}

static inline struct sealane_channel *kit_channel(void)
{
    struct sealane_channel *ch = NULL;

    assert_int_equal(sealane_channel_new(&ch), SEALANE_OK);
    assert_non_null(ch);
    return ch;
}

/* A channel with generation 0 as current keys; change what is needed by more installs. */
static inline struct sealane_channel *kit_end(uint32_t format, int end)
{
    struct sealane_channel *ch = kit_channel();
    struct sealane_keys k = kit_keys(format, 0, end);

    assert_int_equal(sealane_channel_install(ch, &k, SEALANE_NOW), SEALANE_OK);
    return ch;
}

static inline void kit_install(struct sealane_channel *ch, uint32_t format, uint32_t n, int end, int when)
{
    struct sealane_keys k = kit_keys(format, n, end);

    assert_int_equal(sealane_channel_install(ch, &k, when), SEALANE_OK);
}

/* len bytes of input (NULL: a pattern) at KIT_OFF, the rest of the buffer filled with 0xa5; status a value
 * that no call gives. */
static inline void kit_fill(struct kit_packet *k, struct sealane_channel *ch, const void *input, size_t len)
{
    assert_true(len <= KIT_BUF - 2 * KIT_OFF);
    memset(k->buf, 0xa5, sizeof k->buf);
    for (size_t i = 0; i < len; i++)
        k->buf[KIT_OFF + i] = input != NULL ? ((const uint8_t *)input)[i] : (uint8_t)(i == 0 ? 0x45 : i);
    if (input == NULL && len >= 20) { /* an IPv4 packet of this length */
        k->buf[KIT_OFF + 2] = (uint8_t)(len >> 8);
        k->buf[KIT_OFF + 3] = (uint8_t)len;
    }
    memcpy(k->before, k->buf, sizeof k->buf);
    k->p = (struct sealane_packet){.channel = ch,
                                   .buf = k->buf,
                                   .cap = sizeof k->buf,
                                   .off = KIT_OFF,
                                   .len = len,
                                   .user = k,
                                   .status = 77};
}

static inline int kit_seal(struct kit_packet *k)
{
    size_t good = sealane_seal_packets(&k->p, 1);

    assert_int_equal(good, k->p.status == SEALANE_OK);
    assert_ptr_equal(k->p.user, k);
    return k->p.status;
}

static inline int kit_open(struct kit_packet *k)
{
    size_t good = sealane_open_packets(&k->p, 1);

    assert_int_equal(good, k->p.status == SEALANE_OK);
    assert_ptr_equal(k->p.user, k);
    return k->p.status;
}

/* Seals len bytes of the pattern (a keepalive when 0) on from, and hands the datagram to another end to open.
 */
static inline void kit_send(struct kit_packet *k, struct sealane_channel *from, struct sealane_channel *to,
                            size_t len)
{
    uint8_t datagram[KIT_BUF];
    size_t n;

    kit_fill(k, from, NULL, len);
    k->p.kind = len == 0 ? SEALANE_KEEPALIVE : SEALANE_DATA;
    assert_int_equal(kit_seal(k), SEALANE_OK);
    n = k->p.len;
    memcpy(datagram, k->buf + k->p.off, n);
    kit_fill(k, to, datagram, n);
}

/* Only [from, to) may have changed since kit_fill. */
static inline void kit_assert_kept(const struct kit_packet *k, size_t from, size_t to)
{
    assert_memory_equal(k->buf, k->before, from);
    assert_memory_equal(k->buf + to, k->before + to, sizeof k->buf - to);
}

/* Nothing changed: neither the buffer nor the packet, but for the status. */
static inline void kit_assert_untouched(const struct kit_packet *k, size_t len)
{
    assert_memory_equal(k->buf, k->before, sizeof k->buf);
    assert_int_equal(k->p.off, KIT_OFF);
    assert_int_equal(k->p.len, len);
    assert_int_equal(k->p.counter, 0);
    assert_int_equal(k->p.slot, 0);
}

static inline struct sealane_stats kit_stats(const struct sealane_channel *ch)
{
    struct sealane_stats s = {.size = sizeof s};

    assert_int_equal(sealane_channel_stats(ch, &s), SEALANE_OK);
    return s;
}

#endif
