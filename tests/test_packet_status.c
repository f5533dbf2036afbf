/* test_packet_status.c: what each status of sealing and opening packets leaves behind: every refusal, in
 * place and from src, alone and between good neighbours. */
#include "packet_kit.h"

#include <stdlib.h>

#include "level.h"

static const uint32_t formats[] = {SEALANE_WIREGUARD, SEALANE_OPENVPN};

enum { N_FORMATS = sizeof formats / sizeof formats[0], LEN = 100 };

struct ends {
    uint32_t format;
    struct sealane_channel *a, *b;
    size_t header, overhead;
};

static struct ends make_ends(uint32_t format)
{
    struct ends e = {format, kit_end(format, 0), kit_end(format, 1), sealane_headroom(format, 0), 0};

    e.overhead = format == SEALANE_WIREGUARD ? 32 : 24;
    return e;
}

static void free_ends(struct ends *e)
{
    sealane_channel_free(e->a);
    sealane_channel_free(e->b);
}

/* Sealing with one thing wrong: nothing but the status changes, and no number is used up. */
typedef void spoil(struct kit_packet *k);

static uint8_t elsewhere[KIT_BUF];

static void no_channel(struct kit_packet *k)
{
    k->p.channel = NULL;
}

static void no_buffer(struct kit_packet *k)
{
    k->p.buf = NULL;
}

static void no_buffer_and_no_size(struct kit_packet *k)
{
    k->p.buf = NULL;
    k->p.cap = k->p.off = k->p.len = 0;
}

static void reserved_first(struct kit_packet *k)
{
    k->p.reserved[0] = 1;
}

static void reserved_last(struct kit_packet *k)
{
    k->p.reserved[sizeof k->p.reserved - 1] = 0x80;
}

static void unknown_kind(struct kit_packet *k)
{
    k->p.kind = SEALANE_DUMMY + 1;
}

static void kind_of_another_word(struct kit_packet *k)
{
    k->p.kind = 32 + SEALANE_DATA;
}

static void greatest_kind(struct kit_packet *k)
{
    k->p.kind = 255;
}

static void kind_of_esp(struct kit_packet *k)
{
    k->p.kind = SEALANE_DUMMY;
}

static void keepalive_with_payload(struct kit_packet *k)
{
    k->p.kind = SEALANE_KEEPALIVE;
}

static void src_shifted_up(struct kit_packet *k)
{
    k->p.src = k->p.buf + k->p.off + 1;
}

static void src_shifted_down(struct kit_packet *k)
{
    k->p.src = k->p.buf + k->p.off - 1;
}

static void src_at_the_buffer_end(struct kit_packet *k)
{
    k->p.src = k->p.buf + k->p.cap - 1;
}

static void src_before_the_buffer(struct kit_packet *k)
{
    k->p.buf += LEN;
    k->p.cap -= LEN;
    k->p.src = k->buf + 1; /* its last byte is the buffer's first */
}

static void headroom_short(struct kit_packet *k)
{
    k->p.off = 15;
}

static void no_headroom(struct kit_packet *k)
{
    k->p.off = 0;
}

static void cap_ends_in_the_payload(struct kit_packet *k)
{
    k->p.cap = KIT_OFF + LEN - 1;
}

static void cap_ends_before_the_tag(struct kit_packet *k)
{
    k->p.len = 10;
    k->p.cap = KIT_OFF + 5;
}

static void cap_ends_in_the_headroom(struct kit_packet *k)
{
    k->p.cap = KIT_OFF - 1;
}

static void off_past_cap(struct kit_packet *k)
{
    k->p.off = k->p.cap + 1;
}

static void off_wraps(struct kit_packet *k)
{
    k->p.off = SIZE_MAX - 10;
}

static void len_wraps(struct kit_packet *k)
{
    k->p.len = SIZE_MAX - KIT_OFF + 1;
}

static void len_past_cap(struct kit_packet *k)
{
    k->p.len = k->p.cap;
}

static void len_past_the_cipher(struct kit_packet *k) /* refused before a byte is looked at */
{
    k->p.cap = SIZE_MAX / 2;
    k->p.len = (size_t)UINT32_MAX * 64 + 1 + 64;
}

static void len_short_of_the_format(struct kit_packet *k)
{
    k->p.len = 23;
}

static void spoil_byte(struct kit_packet *k, size_t at)
{
    k->buf[at] ^= 0x80;
    k->before[at] ^= 0x80;
}

static void
of_another_format(struct kit_packet *k) /* WireGuard's type is four bytes, OpenVPN's in the first */
{
    spoil_byte(k, KIT_OFF);
}

static void of_nobodys_keys(struct kit_packet *k) /* the last byte of either format's id */
{
    spoil_byte(k, KIT_OFF + (k->buf[KIT_OFF] == 4 ? 7 : 3));
}

struct spoiled {
    const char *name;
    spoil *spoil;
    int status;
};

#define SPOILED(what, status)                                                                                \
    {                                                                                                        \
#what, what, status                                                                                  \
    }

static const struct spoiled seal_refusals[] = {
    SPOILED(no_channel, SEALANE_EINVAL),
    SPOILED(no_buffer, SEALANE_EINVAL),
    SPOILED(no_buffer_and_no_size, SEALANE_ESPACE),
    SPOILED(reserved_first, SEALANE_EINVAL),
    SPOILED(reserved_last, SEALANE_EINVAL),
    SPOILED(unknown_kind, SEALANE_EINVAL),
    SPOILED(kind_of_another_word, SEALANE_EINVAL),
    SPOILED(greatest_kind, SEALANE_EINVAL),
    SPOILED(kind_of_esp, SEALANE_EINVAL),
    SPOILED(keepalive_with_payload, SEALANE_EINVAL),
    SPOILED(src_shifted_up, SEALANE_EOVERLAP),
    SPOILED(src_shifted_down, SEALANE_EOVERLAP),
    SPOILED(src_at_the_buffer_end, SEALANE_EOVERLAP),
    SPOILED(src_before_the_buffer, SEALANE_EOVERLAP),
    SPOILED(headroom_short, SEALANE_ESPACE),
    SPOILED(no_headroom, SEALANE_ESPACE),
    SPOILED(cap_ends_in_the_payload, SEALANE_ESPACE),
    SPOILED(cap_ends_before_the_tag, SEALANE_ESPACE),
    SPOILED(cap_ends_in_the_headroom, SEALANE_ESPACE),
    SPOILED(off_past_cap, SEALANE_ESPACE),
    SPOILED(off_wraps, SEALANE_ESPACE),
    SPOILED(len_wraps, SEALANE_ESPACE),
    SPOILED(len_past_cap, SEALANE_ESPACE),
    SPOILED(len_past_the_cipher, SEALANE_ELENGTH),
};

static const struct spoiled open_refusals[] = {
    SPOILED(no_channel, SEALANE_EINVAL),
    SPOILED(no_buffer, SEALANE_EINVAL),
    SPOILED(no_buffer_and_no_size, SEALANE_ELENGTH),
    SPOILED(reserved_first, SEALANE_EINVAL),
    SPOILED(reserved_last, SEALANE_EINVAL),
    SPOILED(src_shifted_up, SEALANE_EOVERLAP),
    SPOILED(src_shifted_down, SEALANE_EOVERLAP),
    SPOILED(src_at_the_buffer_end, SEALANE_EOVERLAP),
    SPOILED(cap_ends_in_the_payload, SEALANE_ESPACE),
    SPOILED(cap_ends_in_the_headroom, SEALANE_ESPACE),
    SPOILED(off_past_cap, SEALANE_ESPACE),
    SPOILED(off_wraps, SEALANE_ESPACE),
    SPOILED(len_wraps, SEALANE_ESPACE),
    SPOILED(len_past_cap, SEALANE_ESPACE),
    SPOILED(len_past_the_cipher, SEALANE_ELENGTH),
    SPOILED(len_short_of_the_format, SEALANE_ELENGTH),
    SPOILED(of_another_format, SEALANE_EFORMAT),
    SPOILED(of_nobodys_keys, SEALANE_ENOKEY),
};

/* The packet is as spoil left it, but for the status. */
static void assert_refused(const struct kit_packet *k, const struct sealane_packet *before, int status)
{
    struct sealane_packet expected = *before;

    expected.status = status;
    assert_memory_equal(&k->p, &expected, sizeof expected);
    assert_memory_equal(k->buf, k->before, sizeof k->buf);
}

/* Packets are refused alone, and behind a good one of their channel, which the library looks up once for
 * both.
 */
static void seal_refusals_leave_everything_as_it_was(void **state)
{
    (void)state;
    for (size_t f = 0; f < N_FORMATS; f++) {
        struct ends e = make_ends(formats[f]);
        uint64_t number = kit_stats(e.a).tx_counter;

        for (size_t i = 0; i < 2 * (sizeof seal_refusals / sizeof seal_refusals[0]); i++) {
            const struct spoiled *s = &seal_refusals[i / 2];
            const size_t good = i % 2;
            struct kit_packet first, k;
            struct sealane_packet burst[2], before;

            print_message("%s%s\n", s->name, good ? ", behind a good one" : "");
            kit_fill(&first, e.a, NULL, LEN);
            kit_fill(&k, e.a, NULL, LEN);
            s->spoil(&k);
            before = k.p;
            burst[0] = first.p;
            burst[good] = k.p;
            assert_int_equal(sealane_seal_packets(burst, good + 1), good);
            k.p = burst[good];
            assert_refused(&k, &before, s->status);
            number += good;
            assert_int_equal(kit_stats(e.a).tx_counter, number);
            assert_int_equal(kit_stats(e.a).sealed_packets, i / 2 + good);
        }
        free_ends(&e);
    }
}

static void open_refusals_leave_everything_as_it_was(void **state)
{
    (void)state;
    for (size_t f = 0; f < N_FORMATS; f++) {
        struct ends e = make_ends(formats[f]);

        for (size_t i = 0; i < 2 * (sizeof open_refusals / sizeof open_refusals[0]); i++) {
            const struct spoiled *s = &open_refusals[i / 2];
            const size_t good = i % 2;
            struct kit_packet first, k;
            struct sealane_packet burst[2], before;

            print_message("%s%s\n", s->name, good ? ", behind a good one" : "");
            kit_send(&first, e.a, e.b, LEN);
            kit_send(&k, e.a, e.b, LEN);
            s->spoil(&k);
            before = k.p;
            burst[0] = first.p;
            burst[good] = k.p;
            assert_int_equal(sealane_open_packets(burst, good + 1), good);
            k.p = burst[good];
            assert_refused(&k, &before, s->status);
            assert_int_equal(kit_stats(e.b).opened_packets, i / 2 + good);
        }
        free_ends(&e);
    }
}

/* Refused by its number, behind a good packet of the same keys. */
static void an_old_number_in_a_burst_is_counted(void **state)
{
    (void)state;
    for (size_t f = 0; f < N_FORMATS; f++) {
        struct ends e = make_ends(formats[f]);
        struct kit_packet old, k[2];
        struct sealane_packet burst[3];

        kit_send(&old, e.a, e.b, LEN);
        burst[1] = old.p;
        assert_int_equal(sealane_open_packets(&old.p, 1), 1);
        memcpy(old.buf, old.before, sizeof old.buf);
        kit_send(&k[0], e.a, e.b, LEN);
        kit_send(&k[1], e.a, e.b, LEN);
        burst[0] = k[0].p;
        burst[2] = k[1].p;
        assert_int_equal(sealane_open_packets(burst, 3), 2);
        assert_int_equal(burst[1].status, SEALANE_EREPLAY);
        assert_memory_equal(old.buf, old.before, sizeof old.buf);
        assert_int_equal(kit_stats(e.b).replayed, 1);
        assert_int_equal(kit_stats(e.b).opened_packets, 3);
        free_ends(&e);
    }
}

#if SIZE_MAX > UINT32_MAX
/* The longest message that the cipher allows, to the byte, refused before a byte of it is looked at: sealing
 * counts the longest padding; opening goes by the ciphertext, and the longest one gets as far as its keys. */
static void lengths_are_checked_to_the_byte(void **state)
{
    const size_t most = (size_t)UINT32_MAX * 64;

    (void)state;
    for (size_t f = 0; f < N_FORMATS; f++) {
        struct ends e = make_ends(formats[f]);
        const int is_wireguard = formats[f] == SEALANE_WIREGUARD;
        struct kit_packet k;

        kit_fill(&k, e.a, NULL, LEN);
        k.p.cap = SIZE_MAX / 2;
        k.p.len = most - (is_wireguard ? 15 : 0) + 1;
        assert_int_equal(kit_seal(&k), SEALANE_ELENGTH);
        kit_send(&k, e.a, e.b, LEN);
        k.buf[KIT_OFF + (is_wireguard ? 4 : 3)] ^= 0x80; /* nobody's id */
        k.p.cap = SIZE_MAX / 2;
        k.p.len = most + (is_wireguard ? 32 : 24);
        assert_int_equal(kit_open(&k), SEALANE_ENOKEY);
        k.p.len++;
        assert_int_equal(kit_open(&k), SEALANE_ELENGTH);
        free_ends(&e);
    }
}
#endif

/* Headroom and tailroom to the byte: what the format asks for is enough, one byte less is not. */
static void rooms_are_checked_to_the_byte(void **state)
{
    (void)state;
    for (size_t f = 0; f < N_FORMATS; f++)
        for (size_t len = 0; len <= 33; len++) {
            struct ends e = make_ends(formats[f]);
            size_t head = e.header, tail = sealane_tailroom(formats[f], 0);
            struct kit_packet k;

            kit_fill(&k, e.a, NULL, len);
            k.p.buf += KIT_OFF - head + 1;
            k.p.off = head - 1;
            assert_int_equal(kit_seal(&k), SEALANE_ESPACE);
            k.p.buf--;
            k.p.off = head;
            k.p.cap = head + len + tail - 1;
            assert_int_equal(kit_seal(&k), SEALANE_ESPACE);
            assert_memory_equal(k.buf, k.before, sizeof k.buf);
            k.p.cap++;
            assert_int_equal(kit_seal(&k), SEALANE_OK);
            assert_int_equal(k.p.off, 0);
            assert_true(k.p.len <= k.p.cap);
            kit_assert_kept(&k, KIT_OFF - head, KIT_OFF - head + k.p.len);
            free_ends(&e);
        }
}

static void an_openvpn_ping_needs_its_sixteen_bytes(void **state)
{
    struct ends e = make_ends(SEALANE_OPENVPN);
    struct kit_packet k;

    (void)state;
    kit_fill(&k, e.a, NULL, 0);
    k.p.kind = SEALANE_KEEPALIVE;
    k.p.cap = KIT_OFF + 15;
    assert_int_equal(kit_seal(&k), SEALANE_ESPACE);
    kit_assert_untouched(&k, 0);
    k.p.cap = KIT_OFF + 16;
    assert_int_equal(kit_seal(&k), SEALANE_OK);
    kit_assert_kept(&k, KIT_OFF - 24, KIT_OFF + 16);
    free_ends(&e);
}

/* src gives the same as in place, and is not written; equal to buf + off it is "in place". */
static void src_and_in_place_agree(void **state)
{
    (void)state;
    for (size_t f = 0; f < N_FORMATS; f++)
        for (size_t len = 20; len <= 120; len++) {
            struct ends in = make_ends(formats[f]), from = make_ends(formats[f]),
                        same = make_ends(formats[f]);
            struct kit_packet k, s, t;

            kit_fill(&k, in.a, NULL, len);
            kit_fill(&s, from.a, NULL, 0);
            kit_fill(&t, same.a, NULL, len);
            s.p.len = len;
            s.p.src = memcpy(elsewhere, k.buf + KIT_OFF, len);
            t.p.src = t.buf + KIT_OFF;
            assert_int_equal(kit_seal(&k), SEALANE_OK);
            assert_int_equal(kit_seal(&s), SEALANE_OK);
            assert_int_equal(kit_seal(&t), SEALANE_OK);
            assert_memory_equal(k.before + KIT_OFF, elsewhere, len);
            assert_memory_equal(k.buf, s.buf, sizeof k.buf);
            assert_memory_equal(k.buf, t.buf, sizeof k.buf);
            assert_int_equal(k.p.off, s.p.off);
            assert_int_equal(k.p.len, s.p.len);

            size_t n = k.p.len;
            memcpy(elsewhere, k.buf + k.p.off, n);
            kit_fill(&k, in.b, elsewhere, n);
            kit_fill(&s, from.b, NULL, 0);
            s.p.len = n;
            s.p.src = elsewhere;
            assert_int_equal(kit_open(&k), SEALANE_OK);
            assert_int_equal(kit_open(&s), SEALANE_OK);
            assert_memory_equal(k.before + KIT_OFF, elsewhere, n);
            assert_int_equal(k.p.off, s.p.off);
            assert_int_equal(k.p.len, len);
            assert_int_equal(s.p.len, len);
            assert_memory_equal(k.buf + k.p.off, s.buf + s.p.off, n - in.overhead);
            kit_assert_kept(&s, s.p.off, s.p.off + n - in.overhead);
            free_ends(&in);
            free_ends(&from);
            free_ends(&same);
        }
}

static void every_length_below_the_format_is_refused(void **state)
{
    (void)state;
    for (size_t f = 0; f < N_FORMATS; f++) {
        struct ends e = make_ends(formats[f]);

        for (size_t len = 0; len < e.overhead; len++) {
            struct kit_packet k;
            uint8_t *exact = malloc(len + (len == 0)); /* so that a read behind it is seen */

            kit_send(&k, e.a, e.b, LEN);
            memcpy(exact, k.buf + KIT_OFF, len);
            k.p.len = len;
            k.p.src = exact;
            assert_int_equal(kit_open(&k), SEALANE_ELENGTH);
            kit_assert_untouched(&k, len);
            free(exact);
        }
        assert_int_equal(kit_stats(e.b).malformed, e.overhead);
        free_ends(&e);
    }
}

/* What a flipped bit of a datagram's header is found as. */
static int expected_of_bit(const struct ends *e, size_t bit)
{
    if (e->format == SEALANE_WIREGUARD)
        return bit < 32 ? SEALANE_EFORMAT : bit < 64 ? SEALANE_ENOKEY : SEALANE_EFORGED;
    if (bit >= 32)
        return SEALANE_EFORGED;
    return bit >= 3 && bit < 8 ? SEALANE_EFORMAT : SEALANE_ENOKEY;
}

/* Any bit: refused, the output range zeroed when it was forged and nothing else written, the window unmoved.
 */
static void every_flipped_bit_is_refused(void **state)
{
    (void)state;
    for (size_t f = 0; f < N_FORMATS; f++)
        for (size_t len = 0; len <= 20; len += 20) {
            struct ends e = make_ends(formats[f]);
            const uint8_t zero[64] = {0};
            uint64_t forged = 0;
            uint8_t datagram[128];
            struct kit_packet k;
            size_t n;

            for (int i = 0; i < 6; i++) /* number 5 or 6: a flipped low bit gives a number not used yet */
                kit_send(&k, e.a, e.b, len);
            n = k.p.len;
            memcpy(datagram, k.buf + KIT_OFF, n);
            for (size_t bit = 0; bit < 8 * n; bit++) {
                int expected = expected_of_bit(&e, bit);

                kit_fill(&k, e.b, datagram, n);
                k.before[KIT_OFF + bit / 8] = k.buf[KIT_OFF + bit / 8] ^= (uint8_t)(1 << bit % 8);
                if (kit_open(&k) != expected)
                    fail_msg("bit %zu: status %d", bit, k.p.status);
                if (expected == SEALANE_EFORGED) {
                    size_t from = KIT_OFF + e.header, to = KIT_OFF + n - (e.overhead - e.header);
                    assert_memory_equal(k.buf + from, zero, to - from);
                    kit_assert_kept(&k, from, to);
                    assert_int_equal(k.p.off, KIT_OFF);
                    assert_int_equal(k.p.len, n);
                    forged++;
                } else {
                    kit_assert_untouched(&k, n);
                }
            }
            assert_int_equal(kit_stats(e.b).forged, forged);
            assert_int_equal(kit_stats(e.b).key_forged, forged);
            assert_int_equal(kit_stats(e.b).rx_newest, 0);
            kit_fill(&k, e.b, datagram, n);
            assert_int_equal(kit_open(&k), SEALANE_OK);
            free_ends(&e);
        }
}

/* Forged from src: the buffer's output range is zeroed, what lies about it and src itself are kept. */
static void forged_from_src_zeroes_the_output_alone(void **state)
{
    (void)state;
    for (size_t f = 0; f < N_FORMATS; f++) {
        struct ends e = make_ends(formats[f]);
        const uint8_t zero[LEN] = {0};
        uint8_t src[256], copy[256];
        struct kit_packet k;
        size_t n;

        kit_send(&k, e.a, e.b, LEN);
        n = k.p.len;
        memcpy(src, k.buf + KIT_OFF, n);
        src[n - 1] ^= 1;
        memcpy(copy, src, n);
        kit_fill(&k, e.b, NULL, n);
        k.p.src = src;
        assert_int_equal(kit_open(&k), SEALANE_EFORGED);
        assert_memory_equal(src, copy, n);
        assert_memory_equal(k.buf + KIT_OFF + e.header, zero, LEN);
        kit_assert_kept(&k, KIT_OFF + e.header, KIT_OFF + e.header + n - e.overhead);
        free_ends(&e);
    }
}

static void set_number(const struct ends *e, uint8_t *datagram, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        if (e->format == SEALANE_WIREGUARD)
            datagram[8 + i] = (uint8_t)(number >> 8 * i);
        else if (i < 4)
            datagram[4 + i] = (uint8_t)(number >> 8 * (3 - i));
}

/* One forged packet with a huge number must not push honest ones out of the window. */
static void a_forged_huge_number_moves_nothing(void **state)
{
    (void)state;
    for (size_t f = 0; f < N_FORMATS; f++) {
        struct ends e = make_ends(formats[f]);
        struct kit_packet honest, forged;
        uint8_t first[256], last[256], out[2 * KIT_BUF];

        kit_send(&honest, e.a, e.b, LEN);
        for (int i = 0; i < 3; i++) {
            kit_send(&forged, e.a, e.b, LEN);
            set_number(&e, forged.buf + KIT_OFF, i == 0 ? 0x7fffffff : i == 1 ? 0xfffffffe : 20000);
            assert_int_equal(kit_open(&forged), SEALANE_EFORGED);
            assert_int_equal(kit_stats(e.b).rx_newest, 0);
        }
        struct sealane_packet burst[3] = {forged.p, honest.p, forged.p}; /* and beside an honest one */
        for (int i = 0; i < 3; i += 2) {
            memcpy(forged.buf, forged.before, sizeof forged.buf);
            set_number(&e, forged.buf + KIT_OFF, 20000);
            burst[i].src = memcpy(i == 0 ? first : last, forged.buf + KIT_OFF, forged.p.len);
            burst[i].buf = i == 0 ? out : out + KIT_BUF;
        }
        assert_int_equal(sealane_open_packets(burst, 3), 1);
        assert_int_equal(burst[0].status, SEALANE_EFORGED);
        assert_int_equal(burst[1].status, SEALANE_OK);
        assert_int_equal(burst[2].status, SEALANE_EFORGED);
        assert_int_equal(kit_stats(e.b).rx_newest, burst[1].counter);
        free_ends(&e);
    }
}

/* A copy that comes later is dropped before verification, one in the same burst after it. */
static void copies_are_accepted_once(void **state)
{
    (void)state;
    for (size_t f = 0; f < N_FORMATS; f++) {
        struct ends e = make_ends(formats[f]);
        const uint8_t zero[LEN] = {0};
        struct kit_packet k[3];
        struct sealane_packet burst[3];

        kit_send(&k[0], e.a, e.b, LEN);
        k[1] = k[2] = k[0];
        for (int i = 0; i < 3; i++) {
            burst[i] = k[i].p;
            burst[i].buf = k[i].buf;
        }
        assert_int_equal(sealane_open_packets(burst, 2), 1);
        assert_int_equal(burst[0].status, SEALANE_OK);
        assert_int_equal(burst[1].status, SEALANE_EREPLAY);
        assert_memory_equal(k[1].buf + KIT_OFF + e.header, zero, LEN);
        kit_assert_kept(&k[1], KIT_OFF + e.header, KIT_OFF + k[2].p.len - (e.overhead - e.header));
        assert_int_equal(burst[1].off, KIT_OFF);
        assert_int_equal(burst[1].counter, 0);

        assert_int_equal(sealane_open_packets(burst + 2, 1), 0);
        assert_int_equal(burst[2].status, SEALANE_EREPLAY);
        assert_memory_equal(k[2].buf, k[2].before, sizeof k[2].buf);
        assert_int_equal(kit_stats(e.b).replayed, 2);
        assert_int_equal(kit_stats(e.b).opened_packets, 1);
        free_ends(&e);
    }
}

static void numbers_beyond_the_limit_are_not_accepted(void **state)
{
    const uint64_t limit = UINT64_MAX - 8192;
    struct ends e = make_ends(SEALANE_WIREGUARD);
    struct kit_packet k;

    (void)state;
    for (uint64_t number = limit; number != 0; number += number == limit + 3 ? UINT64_MAX - number : 1) {
        kit_send(&k, e.a, e.b, LEN);
        set_number(&e, k.buf + KIT_OFF, number);
        memcpy(k.before, k.buf, sizeof k.buf);
        assert_int_equal(kit_open(&k), SEALANE_ELIMIT);
        kit_assert_untouched(&k, k.p.len);
    }
    assert_true(kit_stats(e.b).limit > 4);
    free_ends(&e);

    e = make_ends(SEALANE_OPENVPN); /* number 0 is never valid */
    kit_send(&k, e.a, e.b, LEN);
    set_number(&e, k.buf + KIT_OFF, 0);
    memcpy(k.before, k.buf, sizeof k.buf);
    assert_int_equal(kit_open(&k), SEALANE_EFORMAT);
    kit_assert_untouched(&k, k.p.len);
    free_ends(&e);
}

static void without_keys_there_is_enokey(void **state)
{
    struct sealane_channel *never = kit_channel();

    (void)state;
    for (size_t f = 0; f < N_FORMATS; f++) {
        struct ends e = make_ends(formats[f]);
        struct kit_packet k;

        kit_send(&k, e.a, never, LEN);
        assert_int_equal(kit_open(&k), SEALANE_ENOKEY);
        kit_assert_untouched(&k, k.p.len);
        kit_fill(&k, never, NULL, LEN);
        assert_int_equal(kit_seal(&k), SEALANE_ENOKEY);
        kit_assert_untouched(&k, LEN);

        kit_send(&k, e.a, e.b, LEN);
        assert_int_equal(sealane_channel_retire(e.b, SEALANE_CURRENT), SEALANE_OK);
        assert_int_equal(kit_open(&k), SEALANE_ENOKEY);
        kit_assert_untouched(&k, k.p.len);
        kit_fill(&k, e.b, NULL, LEN);
        assert_int_equal(kit_seal(&k), SEALANE_ENOKEY);
        kit_assert_untouched(&k, LEN);
        assert_int_equal(kit_stats(e.b).no_key, 2);
        free_ends(&e);
    }
    sealane_channel_free(never);
}

/* 200 packets of four channels of both formats, some of them spoiled: each has its own status, and the good
 * ones are numbered in their channel's order, as if each had been sealed alone. */
static void a_burst_over_channels_is_as_single_packets(void **state)
{
    enum { N = 200, CHANNELS = 4 };
    static struct kit_packet k[N];
    static struct sealane_packet burst[N];
    struct ends e[CHANNELS];
    uint64_t number[CHANNELS], count[CHANNELS] = {0};
    size_t good = 0;

    (void)state;
    for (int c = 0; c < CHANNELS; c++) {
        e[c] = make_ends(formats[c % 2]);
        number[c] = formats[c % 2] == SEALANE_OPENVPN;
    }
    for (int i = 0; i < N; i++) {
        kit_fill(&k[i], e[(i * 7 + i / 13) % CHANNELS].a, NULL, (size_t)(20 + i));
        burst[i] = k[i].p;
        if (i % 11 == 5)
            burst[i].off = 3;
    }
    good = sealane_seal_packets(burst, N);
    for (int i = 0; i < N; i++) {
        int c = (i * 7 + i / 13) % CHANNELS;
        if (i % 11 == 5) {
            assert_int_equal(burst[i].status, SEALANE_ESPACE);
            assert_memory_equal(k[i].buf, k[i].before, sizeof k[i].buf);
            continue;
        }
        assert_int_equal(burst[i].status, SEALANE_OK);
        assert_int_equal(burst[i].counter, number[c]++);
        count[c]++;
        good--;
    }
    assert_int_equal(good, 0);

    for (int i = 0; i < N; i++) { /* to the other ends; every tenth is forged, every ninth goes astray */
        if (burst[i].status != SEALANE_OK)
            continue;
        burst[i].channel = e[(i * 7 + i / 13) % CHANNELS].b;
        if (i % 10 == 3)
            burst[i].buf[burst[i].off + burst[i].len - 1] ^= 0x80;
        else if (i % 9 == 2)
            burst[i].channel = e[(i * 7 + i / 13 + 1) % CHANNELS].b;
    }
    good = sealane_open_packets(burst, N);
    for (int i = 0; i < N; i++) {
        if (i % 11 == 5) { /* never sealed: too short or of no format */
            assert_true(burst[i].status < 0);
        } else if (i % 10 == 3) {
            assert_int_equal(burst[i].status, SEALANE_EFORGED);
        } else if (i % 9 == 2) {
            assert_true(burst[i].status == SEALANE_EFORMAT || burst[i].status == SEALANE_ENOKEY);
        } else {
            assert_int_equal(burst[i].status, SEALANE_OK);
            assert_int_equal(burst[i].len, 20 + i);
            assert_memory_equal(burst[i].buf + burst[i].off, k[i].before + KIT_OFF, burst[i].len);
            good--;
        }
    }
    assert_int_equal(good, 0);
    for (int c = 0; c < CHANNELS; c++) {
        assert_int_equal(kit_stats(e[c].a).sealed_packets, count[c]);
        free_ends(&e[c]);
    }
}

static void nothing_at_all_is_legal(void **state)
{
    (void)state;
    assert_int_equal(sealane_seal_packets(NULL, 0), 0);
    assert_int_equal(sealane_open_packets(NULL, 0), 0);
    assert_int_equal(sealane_seal_packets(NULL, 3), 0);
    assert_int_equal(sealane_open_packets(NULL, 3), 0);
}

/* Nothing here is made for 1500 bytes. */
static void jumbo_and_largest_datagrams_pass(void **state)
{
    const size_t lens[] = {1420, 8920, 9000, 65000, 65507 - 32};

    (void)state;
    for (size_t f = 0; f < N_FORMATS; f++)
        for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
            struct ends e = make_ends(formats[f]);
            size_t cap = lens[i] + 64;
            uint8_t *buf = calloc(1, cap);
            struct sealane_packet p = {.channel = e.a, .buf = buf, .cap = cap, .off = 24, .len = lens[i]};

            assert_non_null(buf);
            buf[24] = 0x45;
            buf[26] = (uint8_t)(lens[i] >> 8);
            buf[27] = (uint8_t)lens[i];
            buf[24 + lens[i] - 1] = 0x77;
            assert_int_equal(sealane_seal_packets(&p, 1), 1);
            p.channel = e.b;
            assert_int_equal(sealane_open_packets(&p, 1), 1);
            assert_int_equal(p.len, lens[i]);
            assert_int_equal(buf[p.off + p.len - 1], 0x77);
            free(buf);
            free_ends(&e);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seal_refusals_leave_everything_as_it_was),
        cmocka_unit_test(open_refusals_leave_everything_as_it_was),
        cmocka_unit_test(an_old_number_in_a_burst_is_counted),
#if SIZE_MAX > UINT32_MAX
        cmocka_unit_test(lengths_are_checked_to_the_byte),
#endif
        cmocka_unit_test(rooms_are_checked_to_the_byte),
        cmocka_unit_test(an_openvpn_ping_needs_its_sixteen_bytes),
        cmocka_unit_test(src_and_in_place_agree),
        cmocka_unit_test(every_length_below_the_format_is_refused),
        cmocka_unit_test(every_flipped_bit_is_refused),
        cmocka_unit_test(forged_from_src_zeroes_the_output_alone),
        cmocka_unit_test(a_forged_huge_number_moves_nothing),
        cmocka_unit_test(copies_are_accepted_once),
        cmocka_unit_test(numbers_beyond_the_limit_are_not_accepted),
        cmocka_unit_test(without_keys_there_is_enokey),
        cmocka_unit_test(a_burst_over_channels_is_as_single_packets),
        cmocka_unit_test(nothing_at_all_is_legal),
        cmocka_unit_test(jumbo_and_largest_datagrams_pass),
    };

    level_from_environment();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
