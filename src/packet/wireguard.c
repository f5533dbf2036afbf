/* wireguard.c: WireGuard's transport data message (type 4; "WireGuard: Next Generation Kernel Network
 * Tunnel", sections 5.4.6 and 6). Rows of the table in format.h.
 *
 *   0  le32 4 | 4  le32 receiver index | 8  le64 counter | 16  ciphertext | tag
 *
 * Nonce: four zero bytes, le64 counter. No AAD. */
#include "bytes.h"
#include "format.h"
#include "open_steps.h"
#include "seal_steps.h"

enum { HEADER_LEN = 16, TAG_LEN = 16, TYPE_DATA = 4, PAD_TO = 16 };

#define REKEY_AFTER_MESSAGES (UINT64_C(1) << 60)
#define REJECT_AFTER_MESSAGES (UINT64_MAX - (UINT64_C(1) << 13))

static int peek(const uint8_t *header, uint32_t *id)
{
    if (load_le32(header) != TYPE_DATA)
        return SEALANE_EFORMAT;
    *id = load_le32(header + 4);
    return SEALANE_OK;
}

static void make_nonce(uint8_t nonce[12], uint64_t number)
{
    store_le32(nonce, 0);
    store_le64(nonce + 4, number);
}

static uint64_t read_number(const uint8_t *header, uint64_t newest, uint8_t nonce[12], const uint8_t iv[12])
{
    const uint64_t number = load_le64(header + 8);

    (void)newest;
    (void)iv;
    make_nonce(nonce, number);
    return number;
}

static void write_header(uint8_t *header, uint8_t nonce[12], uint32_t id, const uint8_t iv[12],
                         uint64_t number)
{
    (void)iv;
    store_le32(header, TYPE_DATA);
    store_le32(header + 4, id);
    store_le64(header + 8, number);
    make_nonce(nonce, number);
}

static void write_pad(uint8_t *pad, size_t len, uint8_t next_header)
{
    (void)next_header;
    zero_bytes(pad, len);
}

static int look_inside_raw(const uint8_t *plain, size_t len, struct packet_inner *inner)
{
    (void)plain;
    inner->len = len;
    inner->kind = len == 0 ? SEALANE_KEEPALIVE : SEALANE_DATA;
    return SEALANE_OK;
}

/* The IP header says where the packet ends (IPv4: RFC 791 section 3.1; IPv6: RFC 8200 section 3); padding
 * lies behind it. */
static int look_inside(const uint8_t *plain, size_t len, struct packet_inner *inner)
{
    const size_t v4_header = 20, v6_header = 40;
    size_t inner_len = 0;

    if (len >= v4_header && plain[0] >> 4 == 4)
        inner_len = load_be16(plain + 2);
    else if (len >= v6_header && plain[0] >> 4 == 6)
        inner_len = load_be16(plain + 4) + v6_header;
    if (len != 0 && (inner_len < v4_header || inner_len > len))
        return SEALANE_EFORMAT;
    return look_inside_raw(plain, inner_len, inner);
}

PACKET_SEAL_STEPS(packet_wireguard)
PACKET_OPEN_STEPS(packet_wireguard)
PACKET_SEAL_STEPS(packet_wireguard_raw)
PACKET_OPEN_STEPS(packet_wireguard_raw)

#define WIREGUARD_ROW                                                                                        \
    .format = SEALANE_WIREGUARD, .max_id = UINT32_MAX,                                                       \
    .kinds = 1u << SEALANE_DATA | 1u << SEALANE_KEEPALIVE, .header_len = HEADER_LEN, .trailer_len = TAG_LEN, \
    .first_number = 0, .rekey_number = REKEY_AFTER_MESSAGES, .limit_number = REJECT_AFTER_MESSAGES,          \
    .rekey_ms = 120 * 1000, .reject_ms = 180 * 1000, .peek = peek, .read_number = read_number,               \
    .write_header = write_header

const struct packet_format packet_wireguard = {
    WIREGUARD_ROW,
    .max_pad = PAD_TO - 1,
    .pad_to = PAD_TO,
    .write_pad = write_pad,
    .look_inside = look_inside,
    PACKET_SEAL_STEPS_OF(packet_wireguard),
    PACKET_OPEN_STEPS_OF(packet_wireguard),
};

const struct packet_format packet_wireguard_raw = {
    WIREGUARD_ROW,
    .flags = SEALANE_RAW_INNER,
    .look_inside = look_inside_raw,
    PACKET_SEAL_STEPS_OF(packet_wireguard_raw),
    PACKET_OPEN_STEPS_OF(packet_wireguard_raw),
};
