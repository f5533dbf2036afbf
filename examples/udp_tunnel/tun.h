/* tun.h: the TUN device: made, with segmentation offloads where the kernel has them, and given addresses and
 * MTU. Linux. */
#ifndef TUNNEL_TUN_H
#define TUNNEL_TUN_H

#include <net/if.h>
#include <stdint.h>

#include "address.h"

struct tun {
    int fd;
    int control;       /* a socket to ask about the device */
    int vnet;          /* each packet has a struct vnet_hdr in front */
    unsigned offloads; /* what it takes: enum coalesce_offload, or-ed */
    char name[IFNAMSIZ];
};

/* Makes the device; not up yet. offload: with what offloads there are. 0, or -1 after a message. */
int tun_open(struct tun *t, const char *name, int offload);

/* Gives it addresses and MTU and brings it up. 0, or -1 after a message. */
int tun_configure(const struct tun *t, const struct prefix *prefixes, unsigned n, unsigned mtu);

/* Its MTU now; 0 when it cannot be asked. */
unsigned tun_mtu(const struct tun *t);

/* Packets that the system had for the device and that it dropped, because nobody read them in time. */
uint64_t tun_dropped(const struct tun *t);

void tun_close(struct tun *t);

#endif
