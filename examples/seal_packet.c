/* seal_packet.c: one packet from Alice to Bob, in WireGuard's format. The README shows this file. */
#include <sealane/sealane.h>
#include <stdio.h>
#include <string.h>

static struct sealane_channel *channel(uint8_t send_key, uint8_t receive_key, uint32_t peer_id, uint32_t own_id)
{
    struct sealane_keys keys = {.size = sizeof keys, .format = SEALANE_WIREGUARD, .flags = SEALANE_RAW_INNER,
                                .tx_id = peer_id, .rx_id = own_id};
    struct sealane_channel *ch;

    memset(keys.tx_key, send_key, 32); /* yours come from a key exchange */
    memset(keys.rx_key, receive_key, 32);
    return sealane_channel_new(&ch) == 0 && sealane_channel_install(ch, &keys, SEALANE_NOW) == 0 ? ch : NULL;
}

int main(void)
{
    struct sealane_channel *alice = channel(1, 2, 20, 10), *bob = channel(2, 1, 10, 20);
    uint8_t buf[128] = {0};
    struct sealane_packet p = {.channel = alice, .buf = buf, .cap = sizeof buf, .len = 5};

    p.off = sealane_headroom(SEALANE_WIREGUARD, 0); /* the header goes in front of the payload */
    memcpy(buf + p.off, "hello", 5);
    if (sealane_seal_packets(&p, 1) != 1) /* number, nonce, header, encryption, tag */
        return 1;
    printf("sealed: %zu bytes, packet number %llu\n", p.len, (unsigned long long)p.counter);
    p.channel = bob;
    if (sealane_open_packets(&p, 1) != 1) /* authentic, and not seen before */
        return 1;
    printf("opened: %.*s\n", (int)p.len, (const char *)buf + p.off);
    sealane_channel_free(alice);
    sealane_channel_free(bob);
    return 0;
}
