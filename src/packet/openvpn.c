/* openvpn.c: OpenVPN's P_DATA_V2 packet with an AEAD cipher, the classic form with the tag in front (OpenVPN
 * wire protocol, "data channel packets"). A row of the table in format.h.
 *
 *   0  opcode 9 << 3 | key id | 1  be24 peer id | 4  be32 packet id | 8  tag | 24  ciphertext
 *
 * Nonce: be32 packet id, eight bytes of implicit IV. AAD: bytes 0 .. 7. */
#include "bytes.h"
#include "format.h"
#include "open_steps.h"
#include "seal_steps.h"

enum { HEADER_LEN = 24, AAD_LEN = 8, OPCODE_DATA_V2 = 9 };

/* A keepalive of the daemon, told from data by its text alone. */
static const uint8_t ping[16] = {0x2a, 0x18, 0x7b, 0xf3, 0x64, 0x1e, 0xb4, 0xcb,
                                 0x07, 0xed, 0x2d, 0x0a, 0x98, 0x1f, 0xc7, 0x48};

/* The first packet id is 1; 0 is never sent. */
static int peek(const uint8_t *header, uint32_t *id)
{
    if (header[0] >> 3 != OPCODE_DATA_V2 || load_be32(header + 4) == 0)
        return SEALANE_EFORMAT;
    *id = load_be32(header) & 0x07ffffff;
    return SEALANE_OK;
}

static void make_nonce(uint8_t nonce[12], const uint8_t iv[12], uint32_t number)
{
    store_be32(nonce, number);
    memcpy(nonce + 4, iv, 8);
}

static uint64_t read_number(const uint8_t *header, uint64_t newest, uint8_t nonce[12], const uint8_t iv[12])
{
    const uint32_t number = load_be32(header + 4);

    (void)newest;
    make_nonce(nonce, iv, number);
    return number;
}

static void write_header(uint8_t *header, uint8_t nonce[12], uint32_t id, const uint8_t iv[12],
                         uint64_t number)
{
    store_be32(header, (uint32_t)OPCODE_DATA_V2 << 27 | id); /* id <= 0x07ffffff */
    store_be32(header + 4, (uint32_t)number);                /* number < 2^32 */
    make_nonce(nonce, iv, (uint32_t)number);
}

static int look_inside(const uint8_t *plain, size_t len, struct packet_inner *inner)
{
    bool is_ping = len == sizeof ping && memcmp(plain, ping, sizeof ping) == 0;

    inner->len = is_ping ? 0 : len;
    inner->kind = is_ping ? SEALANE_KEEPALIVE : SEALANE_DATA;
    return SEALANE_OK;
}

PACKET_SEAL_STEPS(packet_openvpn)
PACKET_OPEN_STEPS(packet_openvpn)

const struct packet_format packet_openvpn = {
    .format = SEALANE_OPENVPN,
    .max_id = 0x07ffffff,
    .kinds = 1u << SEALANE_DATA | 1u << SEALANE_KEEPALIVE,
    .header_len = HEADER_LEN,
    .tag_off = AAD_LEN,
    .aad_len = AAD_LEN,
    .keepalive_len = sizeof ping,
    .keepalive = ping,
    .first_number = 1,
    .rekey_number = 0xff000000,
    .limit_number = UINT64_C(1) << 32,
    .peek = peek,
    .read_number = read_number,
    .write_header = write_header,
    .look_inside = look_inside,
    PACKET_SEAL_STEPS_OF(packet_openvpn),
    PACKET_OPEN_STEPS_OF(packet_openvpn),
};
