/* seal_packet.c: one packet from Alice to Bob, in WireGuard's format. The
 * README shows this file. */
#include <sealane/sealane.h>
#include <stdio.h>
#include <string.h>

static struct sealane_channel *end(int tx, int rx, uint32_t peer, uint32_t own)
{
    struct sealane_keys keys = {
        .size = sizeof keys,
        .format = SEALANE_WIREGUARD,
        .flags = SEALANE_RAW_INNER, /* no IP packet is looked for inside */
        .tx_id = peer,
        .rx_id = own,
    };
    struct sealane_channel *ch;
    int err = sealane_channel_new(&ch);

    memset(keys.tx_key, tx, 32); /* yours come from a key exchange */
    memset(keys.rx_key, rx, 32);
    if (err == 0)
        err = sealane_channel_install(ch, &keys, SEALANE_NOW);
    return err == 0 ? ch : NULL;
}

int main(void)
{
    struct sealane_channel *alice = end(1, 2, 20, 10), *bob = end(2, 1, 10, 20);
    uint8_t buf[128];
    struct sealane_packet p = {.channel = alice, .buf = buf, .cap = sizeof buf};

    p.off = sealane_headroom(SEALANE_WIREGUARD, 0); /* for the header */
    p.len = 5;
    memcpy(buf + p.off, "hello", p.len);
    if (sealane_seal_packets(&p, 1) != 1) /* number, header, encryption, tag */
        return 1;
    printf("sealed: %zu bytes, packet number %d\n", p.len, (int)p.counter);
    p.channel = bob;
    if (sealane_open_packets(&p, 1) != 1) /* authentic, and not seen before */
        return 1;
    printf("opened: %.*s\n", (int)p.len, (const char *)buf + p.off);
    sealane_channel_free(alice);
    sealane_channel_free(bob);
    return 0;
}
