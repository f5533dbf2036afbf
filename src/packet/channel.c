/* channel.c: the channel of one peer. */
#include <sealane/packet.h>

size_t sealane_headroom(uint32_t format, uint32_t flags)
{
    (void)flags;
    return format == SEALANE_WIREGUARD ? 16 : format == SEALANE_OPENVPN ? 24 : 0;
}
