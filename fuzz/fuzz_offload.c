/* fuzz_offload.c: the tunnel's segment.c and coalesce.c. The first byte of the input chooses: a vnet header
 * and a packet, as read from TUN; or packets, each behind two bytes of length, as opened from datagrams.
 * Every packet that is cut has to be what its super-packet says, and every packet that is merged has to come
 * out again as it went in. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "coalesce.h"
#include "ip.h"
#include "segment.h"

enum { MTU = 9000, COALESCE = 1, MEND = 2 };

/* One that was opened, as the coalescer may change it and as it was. */
struct packet {
    uint8_t *data, *original;
    size_t len;
    int is_out;
};

static struct packet packets[64];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* A copy of exactly len bytes, so that the sanitizer sees every read beyond. */
static uint8_t *exact_copy(const uint8_t *data, size_t len)
{
    uint8_t *copy = malloc(len + (len == 0));

    assert(copy != NULL);
    if (len != 0)
        memcpy(copy, data, len);
    return copy;
}

static uint8_t *l4_checksum(const struct ip_view *v, uint8_t *packet)
{
    return packet + v->l4 + (v->protocol == IP_UDP ? UDP_CHECKSUM : TCP_CHECKSUM);
}

static uint64_t pseudo_sum(const struct ip_view *v, const uint8_t *packet, size_t len)
{
    return checksum_plus(ip_pseudo_sum(v, packet), checksum_word16((uint16_t)(len - v->l4)));
}

/* Makes the checksums of a packet right, which the fuzzer cannot guess; of a super-packet the part that the
 * sender leaves there. */
static void mend(uint8_t *packet, size_t len, int super)
{
    struct ip_view v;

    if (ip_view(&v, packet, len) != 0 || ip_l4_header(&v, packet, len) == 0)
        return;
    if (v.version == 4) {
        checksum_store(packet + IP4_CHECKSUM, 0);
        checksum_store(packet + IP4_CHECKSUM, checksum_field(checksum_add(0, packet, v.l4)));
    }
    checksum_store(l4_checksum(&v, packet), 0);
    uint64_t sum = pseudo_sum(&v, packet, len);
    checksum_store(l4_checksum(&v, packet),
                   super ? checksum_fold(sum) : checksum_field(checksum_add(sum, packet + v.l4, len - v.l4)));
}

/* Both checksums are right; then they are taken out, for 0 and 0xffff are the same. */
static void take_checksums(uint8_t *packet, size_t len, int l4_too)
{
    struct ip_view v;
    int bad = ip_view(&v, packet, len);

    assert(!bad);
    if (v.version == 4) {
        assert(checksum_fold(checksum_add(0, packet, v.l4)) == 0xffff);
        checksum_store(packet + IP4_CHECKSUM, 0);
    }
    if (l4_too) {
        assert(checksum_fold(checksum_add(pseudo_sum(&v, packet, len), packet + v.l4, len - v.l4)) == 0xffff);
        assert(v.protocol != IP_UDP || load_be16(l4_checksum(&v, packet)) != 0);
    }
    checksum_store(l4_checksum(&v, packet), 0);
}

/* Is out, of the super-packet in plan, its packet i? */
static void check_cut(const struct segment_plan *plan, size_t i, uint8_t *out, size_t len, int mended)
{
    uint8_t head[512], *l4 = head + plan->l4;
    const uint8_t *payload = plan->packet + plan->header_len + i * plan->gso_size;

    assert(memcmp(out + plan->header_len, payload, len - plan->header_len) == 0);
    if (plan->header_len > sizeof head)
        return;
    take_checksums(out, len, mended);
    memcpy(head, plan->packet, plan->header_len);
    checksum_store(head + plan->csum_at, 0);
    if (head[0] >> 4 == 4) {
        store_be16(head + IP4_TOTAL_LEN, (uint16_t)len);
        store_be16(head + IP4_ID, (uint16_t)(load_be16(head + IP4_ID) + i));
        checksum_store(head + IP4_CHECKSUM, 0);
    } else {
        store_be16(head + IP6_PAYLOAD_LEN, (uint16_t)(len - IP6_HEADER));
    }
    if (plan->csum_at == plan->l4 + UDP_CHECKSUM) {
        store_be16(l4 + UDP_LEN, (uint16_t)(len - plan->l4));
    } else {
        store_be32(l4 + TCP_SEQ, (uint32_t)(load_be32(l4 + TCP_SEQ) + i * plan->gso_size));
        l4[TCP_FLAGS] &= (uint8_t)(i + 1 < plan->n ? ~(TCP_FIN | TCP_PSH) : 0xff);
        l4[TCP_FLAGS] &= (uint8_t)(i > 0 ? ~TCP_CWR : 0xff);
    }
    assert(memcmp(out, head, plan->header_len) == 0);
}

/* A packet that is none: only its checksum was finished. */
static void check_plain(const struct segment_plan *plan, uint8_t *out, size_t len)
{
    size_t at = plan->csum_at != 0 ? plan->csum_at : len, behind = at < len ? at + 2 : len;

    assert(memcmp(out, plan->packet, at) == 0);
    assert(memcmp(out + behind, plan->packet + behind, len - behind) == 0);
}

static void fuzz_segment(const uint8_t *data, size_t len, int mending)
{
    struct vnet_hdr vnet;
    struct segment_plan plan;
    size_t left = len - sizeof vnet;

    if (len < sizeof vnet)
        return;
    memcpy(&vnet, data, sizeof vnet);
    uint8_t *packet = exact_copy(data + sizeof vnet, left);
    if (mending)
        mend(packet, left, 1);
    int refused = segment_plan(&plan, packet, left, &vnet, MTU);
    left -= plan.header_len; /* 0 for one that is not cut */
    for (size_t i = 0; !refused && i < plan.n; i++) {
        size_t out_len = segment_len(&plan, i);
        uint8_t *out = malloc(out_len);

        assert(out != NULL && out_len <= MTU && out_len - plan.header_len <= left);
        left -= out_len - plan.header_len;
        segment_cut(&plan, i, out);
        if (plan.gso_size != 0)
            check_cut(&plan, i, out, out_len, mending);
        else
            check_plain(&plan, out, out_len);
        free(out);
    }
    assert(refused || left == 0);
    free(packet);
}

/* The packet that a piece of an item is from, which is its first. */
static struct packet *take_packet(const uint8_t *piece, size_t n)
{
    struct packet *p = packets;

    while (p < packets + n && !(piece >= p->data && piece < p->data + p->len + (p->len == 0)))
        p++;
    assert(p < packets + n && !p->is_out);
    p->is_out = 1;
    return p;
}

/* Is out the packet as it was before it was merged? Where it must not be fragmented, its id means nothing. */
static void check_original(uint8_t *out, const struct packet *p)
{
    take_checksums(p->original, p->len, 1);
    take_checksums(out, p->len, 1);
    if (out[0] >> 4 == 4 && (load_be16(out + IP4_FRAGMENT) & IP4_DONT_FRAGMENT) != 0)
        memcpy(out + IP4_ID, p->original + IP4_ID, 2);
    assert(memcmp(out, p->original, p->len) == 0);
}

/* Cuts a super-packet again. */
static void check_super(const struct iovec *iov, size_t n_iov, size_t n)
{
    static uint8_t joined[1 << 17], out[IP_MAX_LEN];
    struct segment_plan plan;
    const struct packet *before = packets;
    size_t len = 0;

    for (size_t k = 1; k < n_iov; k++) {
        memcpy(joined + len, iov[k].iov_base, iov[k].iov_len);
        len += iov[k].iov_len;
        assert(len <= IP_MAX_LEN);
    }
    int refused = segment_plan(&plan, joined, len, iov[0].iov_base, IP_MAX_LEN);
    assert(!refused && plan.n == n_iov - 1);
    for (size_t i = 0; i < plan.n; i++) {
        const struct packet *p = take_packet(iov[i + 1].iov_base, n);

        assert(p >= before && segment_len(&plan, i) == p->len);
        before = p;
        segment_cut(&plan, i, out);
        check_original(out, p);
    }
}

/* A packet that was left alone. */
static void check_alone(const struct iovec *iov, size_t n)
{
    static const struct vnet_hdr none;
    const struct packet *p = take_packet(iov[1].iov_base, n);

    assert(memcmp(iov[0].iov_base, &none, sizeof none) == 0 && iov[1].iov_len == p->len);
    assert(memcmp(p->data, p->original, p->len) == 0);
}

static void fuzz_coalesce(const uint8_t *data, size_t len, int mending)
{
    static struct coalesce c;
    struct iovec iov[COALESCE_MAX_PIECES + 1];
    size_t n = 0, n_out = 0;

    coalesce_reset(&c, COALESCE_TCP4 | COALESCE_TCP6 | COALESCE_UDP);
    while (n < sizeof packets / sizeof packets[0] && len >= 2) {
        size_t packet_len = load_be16(data);
        struct packet *p = &packets[n];

        data += 2;
        len -= 2;
        packet_len = packet_len < len ? packet_len : len;
        *p = (struct packet){.data = exact_copy(data, packet_len), .len = packet_len};
        if (mending)
            mend(p->data, packet_len, 0);
        p->original = exact_copy(p->data, packet_len);
        int refused = coalesce_add(&c, p->data, packet_len);
        assert(!refused);
        n++;
        data += packet_len;
        len -= packet_len;
    }
    for (size_t i = 0; i < coalesce_items(&c); i++) {
        size_t n_iov = coalesce_finish(&c, i, iov);

        n_out += n_iov - 1;
        if (n_iov > 2)
            check_super(iov, n_iov, n);
        else
            check_alone(iov, n);
    }
    assert(n_out == n);
    while (n-- > 0) {
        free(packets[n].data);
        free(packets[n].original);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (len == 0)
        return 0;
    if (data[0] & COALESCE)
        fuzz_coalesce(data + 1, len - 1, data[0] & MEND);
    else
        fuzz_segment(data + 1, len - 1, data[0] & MEND);
    return 0;
}
