/* fuzz_open_packets.c: libFuzzer target for sealane_open_packets and sealane_peek: datagrams as an attacker
 * sends them, and authentic ones with any inside.
 *
 * The first byte chooses: bit 0 the format, bit 1 the input in src instead of in place, bit 2 raw inner
 * (WireGuard), bit 3 the rest is a plaintext that the peer seals; otherwise the rest is the datagram, but for
 * the receiver's id, so that it finds its keys. A second copy of the datagram goes through in the same burst.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sealane/sealane.h>

enum { ROOM = 48 }; /* before and behind the datagram, to be kept */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct ends {
    uint32_t format, flags;
    struct sealane_channel *peer, *own;
    const uint8_t *plain; /* what the peer sealed; NULL: nothing */
    size_t plain_len;
};

static struct sealane_channel *make_end(const struct ends *e, int end)
{
    struct sealane_keys keys = {.size = sizeof keys, .format = e->format, .flags = e->flags};
    struct sealane_channel *ch;
    int err = sealane_channel_new(&ch);

    assert(err == SEALANE_OK);
    keys.tx_key[0] = (uint8_t)end;
    keys.rx_key[0] = (uint8_t)!end;
    keys.tx_id = keys.rx_id = 5;
    err = sealane_channel_install(ch, &keys, SEALANE_NOW);
    assert(err == SEALANE_OK);
    return ch;
}

/* The datagram, in memory of exactly its size. */
static uint8_t *make_datagram(const struct ends *e, const uint8_t *data, size_t size, size_t *len)
{
    size_t head = sealane_headroom(e->format, e->flags), tail = sealane_tailroom(e->format, e->flags);
    struct sealane_packet p = {.channel = e->peer, .src = data, .off = head, .len = size};
    uint8_t *datagram;
    uint32_t id;

    if (e->plain != NULL) {
        p.cap = head + size + tail;
        p.buf = malloc(p.cap);
        size_t good = sealane_seal_packets(&p, 1);
        assert(good == 1 && p.off == 0);
        *len = p.len;
        datagram = realloc(p.buf, p.len);
        assert(datagram != NULL && sealane_peek(e->format, datagram, *len, &id) == SEALANE_OK && id == 5);
        return datagram;
    }
    *len = size;
    datagram = malloc(size + (size == 0));
    if (size != 0)
        memcpy(datagram, data, size);
    if (sealane_peek(e->format, datagram, size, &id) == SEALANE_OK)
        memcpy(datagram + (e->format == SEALANE_WIREGUARD ? 4 : 1),
               e->format == SEALANE_WIREGUARD ? "\5\0\0\0" : "\0\0\5",
               e->format == SEALANE_WIREGUARD ? 4 : 3);
    return datagram;
}

static int is_zero(const uint8_t *bytes, size_t len)
{
    uint8_t sum = 0;

    for (size_t i = 0; i < len; i++)
        sum |= bytes[i];
    return sum == 0;
}

/* The payload is what the peer sealed: all of it, or of an IP packet what its header says, padding included.
 */
static void check_payload(const struct sealane_packet *p, const struct ends *e)
{
    const uint8_t *payload = p->buf + p->off;
    const size_t common = p->len < e->plain_len ? p->len : e->plain_len;

    if (e->format == SEALANE_OPENVPN || (e->flags & SEALANE_RAW_INNER) != 0)
        assert(p->len == e->plain_len || (p->kind == SEALANE_KEEPALIVE && p->len == 0));
    assert(memcmp(payload, e->plain, common) == 0 && is_zero(payload + common, p->len - common));
}

/* What one packet may have become. */
static void check(const struct sealane_packet *p, const struct ends *e, const uint8_t *before, size_t cap,
                  size_t len)
{
    const int sealed = e->plain != NULL;
    const size_t head = sealane_headroom(e->format, e->flags);
    const size_t overhead = head + (e->format == SEALANE_WIREGUARD ? 16 : 0);
    const int is_same = memcmp(p->buf, before, cap) == 0;

    switch (p->status) {
    case SEALANE_OK:
        assert(sealed);
        assert(p->off == ROOM + head && p->len <= len - overhead);
        check_payload(p, e);
        break;
    case SEALANE_EFORGED:
        assert(!sealed);
        assert(is_zero(p->buf + ROOM + head, len - overhead));
        break;
    case SEALANE_EFORMAT:
    case SEALANE_EREPLAY:
        assert(is_same || is_zero(p->buf + ROOM + head, len - overhead));
        break;
    default:
        assert(p->status == SEALANE_ELENGTH || p->status == SEALANE_ENOKEY || p->status == SEALANE_ELIMIT);
        assert(!sealed && is_same);
    }
    assert(p->status == SEALANE_OK || (p->off == ROOM && p->len == len));
    assert(memcmp(p->buf, before, ROOM) == 0 && memcmp(p->buf + ROOM + len, before + ROOM + len, ROOM) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ends e = {.format = SEALANE_WIREGUARD};
    struct sealane_packet p[2];
    uint8_t *datagram, *before;
    size_t len, cap;
    uint8_t choice;

    if (size == 0)
        return 0;
    choice = data[0];
    if (choice & 1)
        e.format = SEALANE_OPENVPN;
    else if (choice & 4)
        e.flags = SEALANE_RAW_INNER;
    e.peer = make_end(&e, 1);
    e.own = make_end(&e, 0);
    if (choice & 8) {
        e.plain = data + 1;
        e.plain_len = size - 1;
    }
    datagram = make_datagram(&e, data + 1, size - 1, &len);
    cap = len + 2 * ROOM;
    before = calloc(1, cap);
    memset(before, 0xa5, cap);
    if (!(choice & 2))
        memcpy(before + ROOM, datagram, len);
    for (int i = 0; i < 2; i++) {
        p[i] = (struct sealane_packet){
            .channel = e.own, .buf = malloc(cap), .cap = cap, .off = ROOM, .len = len};
        memcpy(p[i].buf, before, cap);
        if (choice & 2)
            p[i].src = datagram;
    }
    sealane_open_packets(p, 2);
    for (int i = 0; i < 2; i++)
        check(&p[i], &e, before, cap, len);
    if (e.plain != NULL && (choice & 5) != 0) /* no IP packet is looked for inside */
        assert(p[0].status == SEALANE_OK && p[1].status == SEALANE_EREPLAY);
    assert(p[1].status != SEALANE_OK); /* the copy */
    free(p[0].buf);
    free(p[1].buf);
    free(before);
    free(datagram);
    sealane_channel_free(e.peer);
    sealane_channel_free(e.own);
    return 0;
}
