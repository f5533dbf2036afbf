/* format.c: the table of wire formats, and the public calls that need nothing else. */
#include "format.h"

#define N_FORMATS (sizeof formats / sizeof formats[0])

static const struct packet_format *const formats[] = {
    &packet_wireguard,
    &packet_wireguard_raw,
    &packet_openvpn,
};

const struct packet_format *packet_format_for(uint32_t format, uint32_t flags)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if (formats[i]->format == format && formats[i]->flags == flags)
            return formats[i];
    return NULL;
}

int packet_format_peek(const struct packet_format *f, const uint8_t *datagram, size_t len, uint32_t *id)
{
    return len < packet_overhead(f) ? SEALANE_ELENGTH : f->peek(datagram, id);
}

int sealane_peek(uint32_t format, const uint8_t *datagram, size_t len, uint32_t *id)
{
    const struct packet_format *f = packet_format_for(format, 0);

    if (f == NULL || id == NULL || (datagram == NULL && len != 0))
        return SEALANE_EINVAL;
    return packet_format_peek(f, datagram, len, id);
}

size_t sealane_headroom(uint32_t format, uint32_t flags)
{
    const struct packet_format *f = packet_format_for(format, flags);

    return f == NULL ? 0 : f->header_len;
}

size_t sealane_tailroom(uint32_t format, uint32_t flags)
{
    const struct packet_format *f = packet_format_for(format, flags);

    return f == NULL ? 0 : (size_t)f->max_pad + f->trailer_len;
}
