"""seeds.py FOLDER: writes inputs to start the fuzz targets from, FOLDER/TARGET/NAME: packets of the protocols, which
random bytes would not become for a long time. Called by CMakeLists.txt; the first byte of each input chooses what its
target does with it, see there."""
import pathlib
import struct
import sys

TCP, UDP = 6, 17
ACK, PSH, ENDS = 0x10, 0x18, 0x99  # ENDS: CWR, which the first segment keeps, PSH and FIN, which the last one does
ADDRESSES = {4: bytes([10, 9, 0, 1, 10, 9, 0, 2]), 6: bytes(range(32))}


def transport(protocol, seq, flags, payload):
    if protocol == UDP:
        return struct.pack('>HHHH', 5001, 5002, 8 + len(payload), 0) + payload
    return struct.pack('>HHIIBBHHH', 5001, 5002, seq, 77, 5 << 4, flags, 512, 0, 0) + payload


def ip(version, protocol, body, ident=0):
    if version == 4:
        return struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(body), ident, 0x4000, 64, protocol, 0) + ADDRESSES[4] + body
    return struct.pack('>IHBB', 6 << 28, len(body), protocol, 64) + ADDRESSES[6] + body


def packet(version, protocol, seq, size, flags=ACK, ident=0):
    return ip(version, protocol, transport(protocol, seq, flags, bytes(i & 255 for i in range(size))), ident)


def vnet(version, protocol, gso_type, gso_size):
    head, offset = {4: 20, 6: 40}[version], {TCP: 16, UDP: 6}[protocol]
    return struct.pack('<BBHHHH', 1, gso_type, head + (20 if protocol == TCP else 8), gso_size, head, offset)


def offload():
    """Super-packets to cut (2), and packets to merge (3), whose checksums the target mends; plain ones (0)."""
    for version, protocol, gso_type in (4, TCP, 1), (6, TCP, 4), (4, UDP, 5), (6, UDP, 5):
        name = {TCP: 'tcp', UDP: 'udp'}[protocol] + str(version)
        yield name + '_super', b'\2' + vnet(version, protocol, gso_type, 100) + packet(version, protocol, 9, 350, ENDS)
        for order, seqs in ('in_order', (0, 100, 200)), ('gap', (0, 200, 300)), ('again', (0, 0, 100)):
            merged = [packet(version, protocol, s, 100 if s != 200 else 60, PSH if s == 200 else ACK, n)
                      for n, s in enumerate(seqs)]
            yield name + '_' + order, b'\3' + b''.join(struct.pack('>H', len(p)) + p for p in merged)
    yield 'plain', b'\0' + bytes(10) + packet(4, TCP, 1, 40)
    yield 'checksum', b'\0' + vnet(4, TCP, 0, 0) + packet(4, TCP, 1, 40)


def open_packets():
    """Plaintexts that the peer seals (8; OpenVPN 9, raw inner 12), with right and wrong inner lengths; datagrams."""
    inner = packet(4, UDP, 0, 13), packet(6, UDP, 0, 13)
    for place, choice in ('in_place', 0), ('apart', 2):
        for version, good in zip((4, 6), inner):
            yield f'wireguard_ip{version}_{place}', bytes([8 | choice]) + good
            yield f'wireguard_ip{version}_cut_{place}', bytes([8 | choice]) + good[:-3]
            yield f'wireguard_ip{version}_short_{place}', bytes([8 | choice]) + good[:-10]
        yield f'wireguard_keepalive_{place}', bytes([8 | choice])
        yield f'wireguard_raw_{place}', bytes([12 | choice]) + b'no packet'
        yield f'openvpn_{place}', bytes([9 | choice]) + inner[0]
        yield f'wireguard_forged_{place}', bytes([choice, 4, 0, 0, 0]) + bytes(60)
        yield f'openvpn_forged_{place}', bytes([1 | choice, 9 << 3, 0, 0, 5, 0, 0, 0, 1]) + bytes(60)


def burst():
    """A level, then eight bytes a job: length (2), AAD, key, forged or in place, nonce, where, fill."""
    for level in range(7):
        for name, lens in ('alike', [300] * 20), ('mixed', [0, 64, 100, 1420, 2000, 16, 17] * 4):
            jobs = b''.join(struct.pack('<HBBBBBB', n, 13, i, 1 + i % 7, i, i, i) for i, n in enumerate(lens))
            yield f'{name}_{level}', bytes([level]) + jobs


def main():
    for target, seeds in ('fuzz_offload', offload), ('fuzz_open_packets', open_packets), ('fuzz_burst', burst):
        folder = pathlib.Path(sys.argv[1], target)
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in seeds():
            (folder / name).write_bytes(content)


if __name__ == '__main__':
    main()
