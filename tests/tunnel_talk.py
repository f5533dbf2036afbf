"""What the tests of the sample tunnel send through it and at it, and the processes in the namespaces that do so."""
import contextlib
import hashlib
import json
import random
import select
import socket
import subprocess
import sys
import time

from tunnel_net import PATIENCE, PORT, check, helper, run, wait_for

WINDOW = 32  # datagrams on their way: no queue is that short, however long the scheduler leaves it to itself


def datagram(number, mtu):
    size = 64 + number * 7919 % (mtu - 48 - 64)
    return random.Random(number).randbytes(size - 8) + number.to_bytes(8, "big")


def hear_datagrams(udp, tcp, count):
    """Takes numbered datagrams, and answers each byte on the connection when all before it are taken, to its end and
    until nothing is missing or coming. How many arrived, and how many more that were wrong or came twice."""
    numbers, wrong, open_, patience = set(), 0, [tcp], PATIENCE
    while ready := select.select([udp, *open_], [], [], patience)[0]:
        if udp in ready:
            d = udp.recv(65536)
            number, mtu = int.from_bytes(d[-8:], "big"), int.from_bytes(d[:2], "big")
            if len(d) > 10 and number not in numbers and d[2:] == datagram(number, mtu):
                numbers.add(number)
            else:
                wrong += 1
        elif tcp.recv(1):
            tcp.sendall(b".")
        else:
            open_ = []
        if not open_:
            patience = 1 if len(numbers) < count else 0
    return len(numbers), wrong


def hear(host, megabytes, datagrams):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    tcp, udp = socket.socket(family, socket.SOCK_STREAM), socket.socket(family, socket.SOCK_DGRAM)
    tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    udp.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)  # SO_RCVBUFFORCE
    tcp.bind((host, 6000))
    udp.bind((host, 6000))
    tcp.listen()
    print("listening", flush=True)
    connection = tcp.accept()[0]
    digest, left = hashlib.sha256(), megabytes << 20
    while left > 0 and (data := connection.recv(min(left, 1 << 20))):
        digest.update(data)
        left -= len(data)
    print(digest.hexdigest(), *hear_datagrams(udp, connection, datagrams))


def tell(host, megabytes, datagrams, mtu):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    tcp, udp = socket.socket(family, socket.SOCK_STREAM), socket.socket(family, socket.SOCK_DGRAM)
    tcp.connect((host, 6000))
    tcp.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    digest = hashlib.sha256()
    r = random.Random(megabytes)
    for _ in range(megabytes):
        data = r.randbytes(1 << 20)
        digest.update(data)
        tcp.sendall(data)
    for i in range(datagrams):
        if i % WINDOW == 0:
            tcp.sendall(b"?")
            tcp.recv(1)  # the other end has all before it
        udp.sendto(mtu.to_bytes(2, "big") + datagram(i, mtu), (host, 6000))
    tcp.close()
    print(digest.hexdigest())


def talk(sender, megabytes, family=4, datagrams=0):
    """Random bytes over TCP, and numbered datagrams over UDP of every length up to the MTU, from this end to the
    other one; what arrives is compared. The datagrams that arrived."""
    other = sender.net.ends[1 - sender.n]
    host = other.inner[0 if family == 4 else 1]
    sizes = str(megabytes), str(datagrams)
    with helper(other.ns, sys.executable, __file__, "--hear", host, *sizes, says="listening") as server:
        told = run(sys.executable, __file__, "--talk", host, *sizes, str(sender.net.mtu - 80), ns=sender.ns).stdout
        heard = server.communicate(timeout=PATIENCE)[0].split()
    check(heard[:1] == told.split(), f"other bytes arrived: {told} {heard}")
    check(heard[2] == "0", f"{heard[2]} datagrams arrived wrong, or twice")
    return int(heard[1])


@contextlib.contextmanager
def iperf_server(end):
    with helper(end.ns, "iperf3", "-s", "-1", stdout=subprocess.DEVNULL):
        wait_for("iperf3", lambda: ":5201" in run("ss", "-lnt", ns=end.ns).stdout)
        yield


def transfer(sender, *more, family=4):
    """An iperf3 run from this end to the other one; what it reports."""
    other = sender.net.ends[1 - sender.n]
    with iperf_server(other):
        done = run("iperf3", "-c", other.inner[0 if family == 4 else 1], "-J", *more, ns=sender.ns)
    return json.loads(done.stdout)["end"]


def tcp_buffers(end):
    """Bytes of a TCP connection that may be on their way: sent, and not read."""
    return sum(int(run("cat", f"/proc/sys/net/ipv4/tcp_{kind}mem", ns=end.ns).stdout.split()[2]) for kind in "rw")


def transfer_bytes(sender, megabytes, family=4):
    """Sends so much by TCP; Gbit/s. The receiver stops counting before the last bytes are read."""
    end = transfer(sender, "-n", f"{megabytes}M", family=family)
    sent, received = end["sum_sent"]["bytes"], end["sum_received"]["bytes"]
    check(sent >= megabytes << 20 and received >= sent - tcp_buffers(sender), f"{sent} bytes sent, {received} received")
    return end["sum_received"]["bits_per_second"] / 1e9


def junk(real, count, seed):
    """Datagrams of random bytes, and real ones cut, stretched, mixed and with flipped bits."""
    r = random.Random(seed)
    for i in range(count):
        size = r.choice((r.randrange(80), r.randrange(1600), r.randrange(1600), r.randrange(65508) if i % 50 == 0 else 32))
        kind = r.randrange(4)
        if kind == 0 or not real:
            yield r.randbytes(size)
            continue
        packet = bytearray(r.choice(real))
        if kind == 1:
            for _ in range(r.randrange(1, 4)):
                packet[r.randrange(len(packet))] ^= 1 << r.randrange(8)
        elif kind == 2:
            packet = packet[:r.randrange(len(packet) + 1)] + r.randbytes(r.randrange(size + 1))
        else:
            packet[:16] = r.choice((b"\4\0\0\0", b"\1\0\0\0", b"\2\0\0\0", packet[:4])) + r.randbytes(12)
        yield bytes(packet[:65507])


def queued(process):
    """Bytes that wait for this process at the tunnel's port."""
    with open(f"/proc/{process}/net/udp", encoding="utf-8") as f:
        rows = [row.split() for row in f]
    return sum(int(row[4].split(":")[1], 16) for row in rows if row[1].endswith(f":{PORT:04X}"))


def send_junk(host, port, count, process):
    real = [bytes.fromhex(line) for line in sys.stdin.read().split()]
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("", PORT))
    for i, datagram in enumerate(junk(real, count, 1)):
        s.sendto(datagram, (host, port))
        while i % 50 == 0 and queued(process) > 1 << 20:
            time.sleep(0.001)  # no test of the receive buffer


def send_all_junk(sender, real, count):
    """Junk from this end to the other one's port, made of these real datagrams."""
    other = sender.net.ends[1 - sender.n]
    with helper(sender.ns, sys.executable, __file__, "--send-junk", other.outer[0], str(PORT), str(count),
                str(other.process.pid), stdout=None) as process:
        process.communicate("\n".join(p.hex() for p in real), timeout=PATIENCE)
        check(process.returncode == 0, "the sender failed")


def main():
    if sys.argv[1] == "--send-junk":
        send_junk(sys.argv[2], *map(int, sys.argv[3:]))
    elif sys.argv[1] == "--hear":
        hear(sys.argv[2], *map(int, sys.argv[3:]))
    elif sys.argv[1] == "--talk":
        tell(sys.argv[2], *map(int, sys.argv[3:]))


if __name__ == "__main__":
    main()
