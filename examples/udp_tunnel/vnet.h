/* vnet.h: the header in front of every packet of a TUN device opened with IFF_VNET_HDR: the 10 bytes of the
 * virtio network header (virtio 1.2 section 5.1.6, without the field for merged buffers), in the machine's
 * byte order. It says which checksum is unfinished and how a super-packet is to be cut.
 *
 * The names are our own because the kernel headers of 2022 lack UDP_L4, USO4 and USO6. */
#ifndef UDP_TUNNEL_VNET_H
#define UDP_TUNNEL_VNET_H

#include <assert.h>
#include <stdint.h>

struct vnet_hdr {
    uint8_t flags;        /* VNET_NEEDS_CSUM or 0 */
    uint8_t gso_type;     /* enum vnet_gso, perhaps with VNET_GSO_ECN */
    uint16_t hdr_len;     /* IP and transport header; a hint only: take the length from the headers */
    uint16_t gso_size;    /* payload bytes of each segment but the last */
    uint16_t csum_start;  /* where the sum begins, from the start of the packet */
    uint16_t csum_offset; /* where the checksum lies, from csum_start; it holds the pseudo-header's sum */
};
static_assert(sizeof(struct vnet_hdr) == 10, "the TUN device's default vnet header length");

#define VNET_NEEDS_CSUM 1u
#define VNET_GSO_ECN 0x80u /* TCP: CWR is set on the first segment */

enum vnet_gso { VNET_GSO_NONE = 0, VNET_GSO_TCPV4 = 1, VNET_GSO_TCPV6 = 4, VNET_GSO_UDP_L4 = 5 };

/* Arguments of TUNSETOFFLOAD. USO4 and USO6 go together, and all of them need CSUM. */
enum vnet_offload {
    VNET_OFFLOAD_CSUM = 0x01,
    VNET_OFFLOAD_TSO4 = 0x02,
    VNET_OFFLOAD_TSO6 = 0x04,
    VNET_OFFLOAD_USO4 = 0x20,
    VNET_OFFLOAD_USO6 = 0x40
};
#define VNET_OFFLOAD_TCP (VNET_OFFLOAD_CSUM | VNET_OFFLOAD_TSO4 | VNET_OFFLOAD_TSO6)
#define VNET_OFFLOAD_ALL (VNET_OFFLOAD_TCP | VNET_OFFLOAD_USO4 | VNET_OFFLOAD_USO6)

#endif
