/* fuzz_offload.c: the tunnel's segment.c and coalesce.c. The first byte of the input chooses: a vnet header
 * and a packet, as read from TUN; or packets, each behind two bytes of length, as opened from datagrams. What
 * is cut has to look like packets, what is merged has to be cuttable again, and no byte may be lost. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "coalesce.h"
#include "ip.h"
#include "segment.h"

enum { MTU = 9000, COALESCE = 1, MEND = 2 };

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

static size_t cut_all(const uint8_t *packet, size_t len, const struct vnet_hdr *vnet, size_t mtu)
{
    struct segment_plan plan;
    size_t payloads = 0;

    if (segment_plan(&plan, packet, len, vnet, mtu) != 0)
        return 0;
    for (size_t i = 0; i < plan.n; i++) {
        struct ip_view v;
        size_t out_len = segment_len(&plan, i);
        assert(out_len <= mtu);
        uint8_t *out = malloc(out_len);
        assert(out != NULL);
        segment_cut(&plan, i, out);
        assert(ip_view(&v, out, out_len) == 0);
        free(out);
        payloads += out_len - plan.header_len;
    }
    assert(payloads + plan.header_len == len);
    return plan.n;
}

static void fuzz_segment(const uint8_t *data, size_t len)
{
    struct vnet_hdr vnet;

    if (len < sizeof vnet)
        return;
    memcpy(&vnet, data, sizeof vnet);
    uint8_t *packet = exact_copy(data + sizeof vnet, len - sizeof vnet);
    cut_all(packet, len - sizeof vnet, &vnet, MTU);
    free(packet);
}

/* Makes the checksums of a packet right, which the fuzzer cannot guess. */
static void mend(uint8_t *packet, size_t len)
{
    struct ip_view v;

    if (ip_view(&v, packet, len) != 0 || ip_l4_header(&v, packet, len) == 0)
        return;
    if (v.version == 4) {
        checksum_store(packet + IP4_CHECKSUM, 0);
        checksum_store(packet + IP4_CHECKSUM, checksum_field(checksum_add(0, packet, v.l4)));
    }
    uint8_t *field = packet + v.l4 + (v.protocol == IP_UDP ? UDP_CHECKSUM : TCP_CHECKSUM);
    uint64_t pseudo = checksum_plus(ip_pseudo_sum(&v, packet), checksum_word16((uint16_t)(len - v.l4)));
    checksum_store(field, 0);
    checksum_store(field, checksum_field(checksum_add(pseudo, packet + v.l4, len - v.l4)));
}

static void check_item(struct coalesce *c, size_t i, size_t *packets)
{
    static uint8_t joined[1 << 17];
    struct iovec iov[COALESCE_MAX_PIECES + 1];
    size_t n = coalesce_finish(c, i, iov), len = 0;
    const struct vnet_hdr *vnet = iov[0].iov_base;

    for (size_t k = 1; k < n; k++) {
        memcpy(joined + len, iov[k].iov_base, iov[k].iov_len);
        len += iov[k].iov_len;
    }
    *packets += n - 1;
    if (n > 2)
        assert(len <= IP_MAX_LEN && cut_all(joined, len, vnet, IP_MAX_LEN) == n - 1);
}

static void fuzz_coalesce(const uint8_t *data, size_t len, int mending)
{
    static struct coalesce c;
    uint8_t *packet[64];
    size_t n = 0, packets = 0;

    coalesce_reset(&c, COALESCE_TCP4 | COALESCE_TCP6 | COALESCE_UDP);
    while (n < sizeof packet / sizeof packet[0] && len >= 2) {
        size_t packet_len = load_be16(data);
        data += 2;
        len -= 2;
        packet_len = packet_len < len ? packet_len : len;
        packet[n] = exact_copy(data, packet_len);
        if (mending)
            mend(packet[n], packet_len);
        int refused = coalesce_add(&c, packet[n], packet_len);
        assert(!refused);
        n++;
        data += packet_len;
        len -= packet_len;
    }
    for (size_t i = 0; i < coalesce_items(&c); i++)
        check_item(&c, i, &packets);
    assert(packets == n);
    while (n > 0)
        free(packet[--n]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (len == 0)
        return 0;
    if (data[0] & COALESCE)
        fuzz_coalesce(data + 1, len - 1, data[0] & MEND);
    else
        fuzz_segment(data + 1, len - 1);
    return 0;
}
