/* segment.c: see segment.h. The sums of all that the segments have in common are taken once, by the plan;
 * each segment adds its lengths, numbers, flags and payload. */
#include "segment.h"

#include <string.h>

#include "checksum.h"
#include "ip.h"

/* Does the vnet header speak of the transport that is there? Super-packets are TCP or UDP, whole, with the
 * checksum left to us in its own place. */
static bool gso_fits(const struct vnet_hdr *vnet, const struct ip_view *ip)
{
    unsigned type = vnet->gso_type & ~VNET_GSO_ECN;
    bool udp = ip->protocol == IP_UDP;

    if (ip->fragment || (vnet->flags & VNET_NEEDS_CSUM) == 0 || vnet->gso_size == 0)
        return false;
    if (vnet->csum_start != ip->l4 || vnet->csum_offset != (udp ? UDP_CHECKSUM : TCP_CHECKSUM))
        return false;
    if (udp)
        return vnet->gso_type == VNET_GSO_UDP_L4;
    return ip->protocol == IP_TCP && type == (ip->version == 4 ? VNET_GSO_TCPV4 : VNET_GSO_TCPV6);
}

static void plan_sums(struct segment_plan *plan, const struct ip_view *ip, size_t len)
{
    const uint8_t *l4 = plan->packet + plan->l4;
    uint64_t sum = checksum_add(0, l4, plan->header_len - plan->l4);

    /* The checksum field holds the pseudo-header's sum with the length of the whole: lengths, and what
     * segment_cut writes anew, are taken out. */
    sum = checksum_minus(sum, checksum_word16((uint16_t)(len - plan->l4)));
    if (ip->protocol == IP_UDP) {
        sum = checksum_minus(sum, checksum_word16(load_be16(l4 + UDP_LEN)));
    } else {
        sum = checksum_minus(sum, checksum_word32(load_be32(l4 + TCP_SEQ)));
        sum = checksum_minus(sum, checksum_word16(load_be16(l4 + TCP_DATA_OFFSET)));
    }
    plan->l4_sum = sum;

    if (ip->version == 4) {
        const uint8_t *p = plan->packet;
        sum = checksum_add(0, p, plan->l4);
        sum = checksum_minus(sum, checksum_word16(load_be16(p + IP4_TOTAL_LEN)));
        sum = checksum_minus(sum, checksum_word16(load_be16(p + IP4_ID)));
        plan->ip_sum = checksum_minus(sum, checksum_word16(load_be16(p + IP4_CHECKSUM)));
    }
}

static int plan_gso(struct segment_plan *plan, const struct ip_view *ip, size_t len,
                    const struct vnet_hdr *vnet, size_t mtu)
{
    size_t header = ip_l4_header(ip, plan->packet, len);

    if (!gso_fits(vnet, ip) || header == 0 || vnet->hdr_len > len)
        return -1;
    if (ip->protocol == IP_TCP && (plan->packet[ip->l4 + TCP_FLAGS] & (TCP_SYN | TCP_RST | TCP_URG)) != 0)
        return -1;
    plan->l4 = ip->l4;
    plan->header_len = ip->l4 + header;
    size_t payload = len - plan->header_len;
    if (payload == 0)
        return -1;
    plan->gso_size = vnet->gso_size;
    plan->n = (payload + plan->gso_size - 1) / plan->gso_size;
    plan->last_len = plan->header_len + payload - (plan->n - 1) * plan->gso_size;
    plan->each_len = plan->n > 1 ? plan->header_len + plan->gso_size : plan->last_len;
    plan->csum_at = (size_t)ip->l4 + vnet->csum_offset;
    plan_sums(plan, ip, len);
    return plan->each_len <= mtu ? 0 : -1;
}

/* One packet, perhaps with a checksum to finish, of whatever protocol. gso_size is 0. */
static int plan_plain(struct segment_plan *plan, const struct ip_view *ip, size_t len,
                      const struct vnet_hdr *vnet, size_t mtu)
{
    plan->n = 1;
    plan->each_len = plan->last_len = len;
    if ((vnet->flags & VNET_NEEDS_CSUM) != 0) {
        size_t at = (size_t)vnet->csum_start + vnet->csum_offset; /* at most 2^17: no wrap */
        if (ip->fragment || vnet->csum_start < ip->l4 || at + 2 > len)
            return -1;
        plan->l4 = vnet->csum_start;
        plan->csum_at = at;
    }
    return len <= mtu ? 0 : -1;
}

int segment_plan(struct segment_plan *plan, const uint8_t *packet, size_t len, const struct vnet_hdr *vnet,
                 size_t mtu)
{
    struct ip_view ip;

    *plan = (struct segment_plan){.packet = packet};
    if (ip_view(&ip, packet, len) != 0)
        return -1;
    if (vnet->gso_type != VNET_GSO_NONE)
        return plan_gso(plan, &ip, len, vnet, mtu);
    return plan_plain(plan, &ip, len, vnet, mtu);
}

/* Finishes the checksum of a packet that is no super-packet. */
static void finish_plain(const struct segment_plan *plan, uint8_t *out)
{
    if (plan->csum_at != 0)
        checksum_store(out + plan->csum_at,
                       checksum_field(checksum_add(0, out + plan->l4, plan->last_len - plan->l4)));
}

static void cut_ip(const struct segment_plan *plan, size_t i, uint8_t *out)
{
    uint16_t len = (uint16_t)segment_len(plan, i);

    if (out[0] >> 4 == 6) {
        store_be16(out + IP6_PAYLOAD_LEN, (uint16_t)(len - IP6_HEADER));
        return;
    }
    uint16_t id = (uint16_t)(load_be16(out + IP4_ID) + i);
    uint64_t sum = checksum_plus(plan->ip_sum, checksum_word16(len) + checksum_word16(id));
    store_be16(out + IP4_TOTAL_LEN, len);
    store_be16(out + IP4_ID, id);
    checksum_store(out + IP4_CHECKSUM, (uint16_t)~checksum_fold(sum));
}

/* Writes what differs between the segments' transport headers, and returns its sum. FIN and PSH belong to the
 * last segment, CWR to the first (RFC 3168 section 6.1.2). */
static uint64_t cut_l4(const struct segment_plan *plan, size_t i, uint8_t *out)
{
    uint8_t *l4 = out + plan->l4;
    uint16_t len = (uint16_t)(segment_len(plan, i) - plan->l4);

    if (plan->csum_at == plan->l4 + UDP_CHECKSUM) {
        store_be16(l4 + UDP_LEN, len);
        return 2 * checksum_word16(len); /* once in the pseudo-header */
    }
    uint32_t seq = (uint32_t)(load_be32(l4 + TCP_SEQ) + i * plan->gso_size);
    store_be32(l4 + TCP_SEQ, seq);
    if (i + 1 < plan->n)
        l4[TCP_FLAGS] &= (uint8_t) ~(TCP_FIN | TCP_PSH);
    if (i > 0)
        l4[TCP_FLAGS] &= (uint8_t)~TCP_CWR;
    return checksum_word16(len) + checksum_word32(seq) + checksum_word16(load_be16(l4 + TCP_DATA_OFFSET));
}

void segment_head(const struct segment_plan *plan, size_t i, uint8_t *out)
{
    if (plan->gso_size == 0) {
        finish_plain(plan, out);
        return;
    }
    size_t payload_len = segment_len(plan, i) - plan->header_len;

    memcpy(out, plan->packet, plan->header_len);
    cut_ip(plan, i, out);
    uint64_t sum = checksum_plus(plan->l4_sum, cut_l4(plan, i, out));
    checksum_store(out + plan->csum_at,
                   checksum_field(checksum_add(sum, out + plan->header_len, payload_len)));
}

void segment_cut(const struct segment_plan *plan, size_t i, uint8_t *out)
{
    size_t header = plan->gso_size != 0 ? plan->header_len : 0;

    memcpy(out + header, plan->packet + header + i * plan->gso_size, segment_len(plan, i) - header);
    segment_head(plan, i, out);
}
