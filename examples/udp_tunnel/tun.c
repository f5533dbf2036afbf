/* tun.c: see tun.h. Called by tunnel.c. */
#include "tun.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/if_link.h>
#include <linux/if_tun.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "coalesce.h"
#include "log.h"
#include "vnet.h"

/* Packets that wait for us in the device; the kernel's 500 are 5 ms of 1300-byte datagrams at 1 Gbit/s, less
 * than a scheduler may take. */
#define QUEUE_LEN 2000

/* As in linux/ipv6.h, which does not go together with netinet/in.h. */
struct in6_ifreq {
    struct in6_addr ifr6_addr;
    uint32_t ifr6_prefixlen;
    int ifr6_ifindex;
};

static struct ifreq request(const struct tun *t)
{
    struct ifreq r;

    memset(&r, 0, sizeof(r));
    memcpy(r.ifr_name, t->name, sizeof(r.ifr_name));
    return r;
}

static int create(struct tun *t, int offload)
{
    struct ifreq r = request(t);

    r.ifr_flags = (short)(IFF_TUN | IFF_NO_PI | (offload ? IFF_VNET_HDR : 0));
    if (ioctl(t->fd, TUNSETIFF, &r) == 0) {
        memcpy(t->name, r.ifr_name, sizeof(t->name));
        t->vnet = offload;
        return 0;
    }
    if (errno == EINVAL && offload)
        return create(t, 0);
    if (errno == EPERM)
        return log_fail("cannot make TUN device %s: missing privilege (CAP_NET_ADMIN; run as root)", t->name);
    if (errno == EBUSY)
        return log_fail("cannot make TUN device %s: the name is in use", t->name);
    return log_fail("cannot make TUN device %s: %s", t->name, strerror(errno));
}

/* The most that the kernel knows of: UDP segmentation is younger than TCP's. */
static void set_offloads(struct tun *t)
{
    if (!t->vnet)
        return;
    if (ioctl(t->fd, TUNSETOFFLOAD, (unsigned long)VNET_OFFLOAD_ALL) == 0)
        t->offloads = COALESCE_TCP4 | COALESCE_TCP6 | COALESCE_UDP;
    else if (ioctl(t->fd, TUNSETOFFLOAD, (unsigned long)VNET_OFFLOAD_TCP) == 0)
        t->offloads = COALESCE_TCP4 | COALESCE_TCP6;
}

int tun_open(struct tun *t, const char *name, int offload)
{
    memset(t, 0, sizeof(*t));
    snprintf(t->name, sizeof(t->name), "%s", name);
    t->control = -1;
    t->fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (t->fd < 0 && (errno == ENOENT || errno == ENODEV || errno == ENXIO))
        return log_fail("/dev/net/tun is absent: %s (modprobe tun)", strerror(errno));
    if (t->fd < 0 && (errno == EACCES || errno == EPERM))
        return log_fail("cannot open /dev/net/tun: missing privilege: %s (run as root)", strerror(errno));
    if (t->fd < 0)
        return log_fail("cannot open /dev/net/tun: %s", strerror(errno));
    t->control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (t->control < 0 || create(t, offload) != 0) {
        if (t->control < 0)
            log_line("cannot make a socket: %s", strerror(errno));
        tun_close(t);
        return -1;
    }
    set_offloads(t);
    return 0;
}

static int add_address4(const struct tun *t, const struct prefix *p)
{
    struct ifreq r = request(t);
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr = p->u.in4};

    memcpy(&r.ifr_addr, &in, sizeof(in));
    if (ioctl(t->control, SIOCSIFADDR, &r) != 0)
        return -1;
    in.sin_addr.s_addr = p->bits != 0 ? htonl(UINT32_MAX << (32 - p->bits)) : 0;
    memcpy(&r.ifr_netmask, &in, sizeof(in));
    return ioctl(t->control, SIOCSIFNETMASK, &r);
}

static int add_address6(const struct tun *t, const struct prefix *p)
{
    struct in6_ifreq r = {.ifr6_addr = p->u.in6, .ifr6_prefixlen = p->bits};
    int s = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0), result, why;

    if (s < 0)
        return -1;
    r.ifr6_ifindex = (int)if_nametoindex(t->name);
    result = ioctl(s, SIOCSIFADDR, &r);
    why = errno;
    close(s);
    errno = why;
    return result;
}

int tun_configure(const struct tun *t, const struct prefix *prefixes, unsigned n, unsigned mtu)
{
    struct ifreq r = request(t);

    r.ifr_mtu = (int)mtu;
    if (ioctl(t->control, SIOCSIFMTU, &r) != 0)
        return log_fail("cannot set the MTU of %s to %u: %s", t->name, mtu, strerror(errno));
    r = request(t);
    r.ifr_qlen = QUEUE_LEN;
    if (ioctl(t->control, SIOCSIFTXQLEN, &r) != 0)
        return log_fail("cannot set the queue length of %s: %s", t->name, strerror(errno));
    for (unsigned i = 0; i < n; i++) {
        if ((prefixes[i].family == AF_INET ? add_address4 : add_address6)(t, &prefixes[i]) != 0)
            return log_fail("cannot give %s its address: %s", t->name, strerror(errno));
    }
    r = request(t);
    if (ioctl(t->control, SIOCGIFFLAGS, &r) != 0)
        return log_fail("cannot read the flags of %s: %s", t->name, strerror(errno));
    r.ifr_flags |= IFF_UP;
    if (ioctl(t->control, SIOCSIFFLAGS, &r) != 0)
        return log_fail("cannot bring %s up: %s", t->name, strerror(errno));
    return 0;
}

unsigned tun_mtu(const struct tun *t)
{
    struct ifreq r = request(t);

    return ioctl(t->control, SIOCGIFMTU, &r) == 0 ? (unsigned)r.ifr_mtu : 0;
}

uint64_t tun_dropped(const struct tun *t)
{
    struct ifaddrs *all;
    uint64_t dropped = 0;

    if (getifaddrs(&all) != 0)
        return 0;
    for (const struct ifaddrs *a = all; a != NULL; a = a->ifa_next) {
        if (a->ifa_addr != NULL && a->ifa_addr->sa_family == AF_PACKET && a->ifa_data != NULL &&
            strcmp(a->ifa_name, t->name) == 0)
            dropped = ((const struct rtnl_link_stats *)a->ifa_data)->tx_dropped;
    }
    freeifaddrs(all);
    return dropped;
}

void tun_close(struct tun *t)
{
    if (t->fd >= 0)
        close(t->fd);
    if (t->control >= 0)
        close(t->control);
    t->fd = t->control = -1;
}
