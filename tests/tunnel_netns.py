#!/usr/bin/env python3
"""Tests of the sample tunnel with real devices: two network namespaces, a veth pair between them, an end of the
tunnel in each.

    tunnel_netns.py UDP_TUNNEL CASE...

Exit status 0: passed; 1: failed; 77: skipped, and says why. Run by ctest; needs root, ip, ping, iperf3.
"""
import contextlib
import hashlib
import itertools
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SKIP = 77
PORT = 5000


class Failure(Exception):
    pass


def check(condition, what):
    if not condition:
        raise Failure(what)


def run(*command, ns=None, ok=True, timeout=60, **kw):
    if ns:
        command = ("ip", "netns", "exec", ns) + command
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, **kw)
    if ok and done.returncode != 0:
        raise Failure(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def wait_for(what, condition, seconds):
    """Seconds until the condition holds."""
    start = time.monotonic()
    while not condition():
        check(time.monotonic() - start < seconds, f"{what}: not within {seconds} s")
        time.sleep(0.05)
    return time.monotonic() - start


class End:
    """One end of the tunnel: a namespace, and the process while it runs."""

    def __init__(self, net, n):
        self.net, self.n = net, n
        self.ns = f"sl{os.getpid()}{'ab'[n]}"
        self.outer = (f"192.0.2.{n + 1}", f"2001:db8::{n + 1}")
        self.inner = (f"10.77.0.{n + 1}", f"fd77::{n + 1}")
        self.process = self.log = None
        self.key = net.key

    def endpoint(self, family):
        return f"{self.outer[0]}:{PORT}" if family == 4 else f"[{self.outer[1]}]:{PORT}"

    def start(self, *more, peer=True, outer=4):
        command = ["ip", "netns", "exec", self.ns, *self.net.wrap, self.net.program, "--key", self.key,
                   "--bind", self.endpoint(outer), "--tun", "tun0", "--address", f"{self.inner[0]}/24",
                   "--address", f"{self.inner[1]}/64", "--mtu", str(self.net.mtu - 80), *more]
        if peer:
            command += ["--peer", self.net.ends[1 - self.n].endpoint(outer)]
        env = dict(os.environ, **self.net.environment)
        self.log = open(os.path.join(self.net.folder, f"log{self.n}-{time.monotonic()}"), "w+")
        self.process = subprocess.Popen(command, stdout=self.log, stderr=subprocess.STDOUT, env=env)
        return self

    def text(self):
        with open(self.log.name) as f:
            return f.read()

    def ready(self, seconds=10):
        def is_ready():
            check(self.process.poll() is None, f"end {self.n} ended:\n{self.text()}")
            return "ready" in self.text().split()
        return wait_for(f"end {self.n} is ready", is_ready, seconds)

    def stop(self, number=signal.SIGTERM):
        """Ends the process; its exit status."""
        self.process.send_signal(number)
        status = self.process.wait(timeout=10)
        self.process = None
        return status

    def statistics(self):
        """What SIGUSR1 prints, by cause."""
        before = len(self.text())
        self.process.send_signal(signal.SIGUSR1)
        wait_for("statistics", lambda: "session " in self.text()[before:], 5)
        time.sleep(0.05)
        rows = {}
        for line in self.text()[before:].splitlines():
            number, _, cause = line.strip().partition("  ")
            if number.isdigit():
                rows[cause] = int(number)
        return rows

    def delivered(self):
        """Packets that the tunnel gave to the system."""
        return int(run("cat", "/sys/class/net/tun0/statistics/rx_packets", ns=self.ns).stdout)

    def ping(self, count=3, family=4, size=56, ok=True):
        to = self.net.ends[1 - self.n].inner[0 if family == 4 else 1]
        done = run("ping", f"-{family}", "-c", str(count), "-i", "0.1", "-W", "1", "-s", str(size), to, ns=self.ns,
                   ok=False)
        if ok:
            check(done.returncode == 0 and " 0% packet loss" in done.stdout, f"ping: {done.stdout}{done.stderr}")
        return done.returncode == 0


class Net:
    """Two namespaces with a link of this MTU between them."""

    def __init__(self, program, mtu):
        self.program, self.mtu = program, mtu
        self.wrap = os.environ.get("SEALANE_TEST_WRAP", "").split()
        self.environment = {}
        self.folder = tempfile.mkdtemp(prefix="sealane-netns-")
        self.key = os.path.join(self.folder, "key")
        run(program, "keygen", self.key)
        self.ends = [End(self, 0), End(self, 1)]

    def __enter__(self):
        a, b = self.ends
        for end in self.ends:
            run("ip", "netns", "add", end.ns)
        run("ip", "link", "add", "veth0", "mtu", str(self.mtu), "netns", a.ns, "type", "veth", "peer", "name", "veth0",
            "mtu", str(self.mtu), "netns", b.ns)
        for end in self.ends:
            run("ip", "-n", end.ns, "addr", "add", f"{end.outer[0]}/24", "dev", "veth0")
            run("ip", "-n", end.ns, "addr", "add", f"{end.outer[1]}/64", "dev", "veth0", "nodad")
            run("ip", "-n", end.ns, "link", "set", "veth0", "up")
            run("ip", "-n", end.ns, "link", "set", "lo", "up")
        return self

    def __exit__(self, kind, value, trace):
        for end in self.ends:
            if end.process is not None:
                if kind is not None:
                    print(f"--- end {end.n}:\n{end.text()}")
                end.process.kill()
                end.process.wait()
            run("ip", "netns", "del", end.ns, ok=False)
        shutil.rmtree(self.folder)

    def start(self, *more, outer=4, both=False):
        """Both ends; the second one knows the first one's address only with both."""
        self.ends[1].start(*more, peer=both, outer=outer)
        self.ends[0].start(*more, outer=outer)
        for end in self.ends:
            end.ready()
        return self.ends

    def stop(self):
        for end in self.ends:
            check(end.stop() == 0, f"end {end.n} ended with an error:\n{end.text()}")


@contextlib.contextmanager
def iperf_server(end):
    server = subprocess.Popen(["ip", "netns", "exec", end.ns, "iperf3", "-s", "-1"], stdout=subprocess.DEVNULL)
    try:
        wait_for("iperf3", lambda: ":5201" in run("ss", "-lnt", ns=end.ns).stdout, 5)
        yield
    finally:
        server.kill()
        server.wait()


def transfer(sender, *more, family=4, timeout=60):
    """An iperf3 run from this end to the other one; what it reports."""
    other = sender.net.ends[1 - sender.n]
    with iperf_server(other):
        done = run("iperf3", "-c", other.inner[0 if family == 4 else 1], "-J", *more, ns=sender.ns, timeout=timeout)
    return json.loads(done.stdout)["end"]


def transfer_bytes(sender, megabytes, family=4):
    """Sends so much by TCP; Gbit/s. The receiver stops counting a moment before the last bytes are read."""
    end = transfer(sender, "-n", f"{megabytes}M", family=family)
    sent, received = end["sum_sent"]["bytes"], end["sum_received"]["bytes"]
    check(sent >= megabytes << 20 and received >= sent - (8 << 20), f"{sent} bytes sent, {received} received")
    return end["sum_received"]["bits_per_second"] / 1e9


def csum_errors(end):
    """Packets with a wrong checksum that the system of this end saw inside or outside of the tunnel."""
    rows = run("cat", "/proc/net/snmp", "/proc/net/snmp6", "/proc/net/netstat", ns=end.ns).stdout.splitlines()
    wrong = 0
    for names, values in zip(rows, rows[1:]):
        if names.split()[0] == values.split()[0] and "InCsumErrors" in names:
            wrong += int(values.split()[names.split().index("InCsumErrors")])
    return wrong + sum(int(row.split()[1]) for row in rows if row.split()[0].endswith("InCsumErrors"))


def talk(sender, megabytes, family=4, datagrams=0):
    """Random bytes over TCP, and numbered datagrams over UDP of every length up to the MTU, from this end to the
    other one; what arrives is compared. The datagrams that arrived."""
    other = sender.net.ends[1 - sender.n]
    host = other.inner[0 if family == 4 else 1]
    server = subprocess.Popen(["ip", "netns", "exec", other.ns, sys.executable, __file__, "--hear", host],
                              stdout=subprocess.PIPE, text=True)
    check(server.stdout.readline() == "listening\n", "nobody listens")
    client = run(sys.executable, __file__, "--talk", host, str(megabytes), str(datagrams), str(sender.net.mtu - 80),
                 ns=sender.ns)
    told, heard = client.stdout.split(), server.communicate(timeout=60)[0].split()
    check(told[0] == heard[0], f"other bytes arrived: {told} {heard}")
    check(heard[2] == "0", f"{heard[2]} wrong datagrams arrived")
    return int(heard[1])


def datagram(number, mtu):
    size = 64 + number * 7919 % (mtu - 48 - 64)
    return random.Random(number).randbytes(size - 8) + number.to_bytes(8, "big")


def hear(host):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    tcp, udp = socket.socket(family, socket.SOCK_STREAM), socket.socket(family, socket.SOCK_DGRAM)
    tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    udp.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)  # SO_RCVBUFFORCE
    tcp.bind((host, 6000))
    udp.bind((host, 6000))
    tcp.listen()
    print("listening", flush=True)
    c = tcp.accept()[0]
    digest = hashlib.sha256()
    while data := c.recv(1 << 20):
        digest.update(data)
    c.close()
    udp.settimeout(5)
    got, wrong = 0, 0
    with contextlib.suppress(TimeoutError):
        while True:
            d = udp.recv(65536)
            if d == b"end":
                break
            mtu = int.from_bytes(d[:2], "big")
            good = len(d) > 10 and d[2:] == datagram(int.from_bytes(d[-8:], "big"), mtu)
            got, wrong = got + good, wrong + (not good)
    print(digest.hexdigest(), got, wrong)


def tell(host, megabytes, datagrams, mtu):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    tcp, udp = socket.socket(family, socket.SOCK_STREAM), socket.socket(family, socket.SOCK_DGRAM)
    tcp.connect((host, 6000))
    digest = hashlib.sha256()
    r = random.Random(megabytes)
    for _ in range(megabytes):
        data = r.randbytes(1 << 20)
        digest.update(data)
        tcp.sendall(data)
    tcp.shutdown(socket.SHUT_WR)
    tcp.recv(1)  # the other end has read everything
    udp.connect((host, 6000))
    for i in range(datagrams):
        udp.send(mtu.to_bytes(2, "big") + datagram(i, mtu))
        if i % 32 == 0:
            time.sleep(0.001)
    for _ in range(3):
        udp.send(b"end")
    print(digest.hexdigest())


def case_cli(program):
    """Every wrong command line, file, port and device: a message, a status, nothing left behind."""
    with Net(program, 1500) as net:
        a = net.ends[0]
        good = {"--key": net.key, "--bind": "127.0.0.1:0", "--tun": "tun9"}

        def attempt(status, message, *args, prefix=(), **changes):
            words = dict(good, **{"--" + k: v for k, v in changes.items()})
            line = [w for pair in words.items() if pair[1] is not None for w in pair] if not args else list(args)
            done = run(*prefix, program, *line, ns=a.ns, ok=False, timeout=10)
            shown = f"{' '.join(line)}: status {done.returncode}, {done.stderr}"
            check(done.returncode == status, shown)
            check(message in done.stderr, f"'{message}' is not in: {shown}")
            check(done.stdout == "", f"{line}: prints {done.stdout}")

        for name in "key", "bind", "tun":
            attempt(2, f"--{name} ", **{name: None})
        for name, values in {
            "bind": ["", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:x", "host.example:1", "::1:1", "[::1]"],
            "peer": ["192.0.2.2:0", "192.0.2.2", "[2001:db8::2]:5000"],
            "tun": ["", "a/b", "sixteen-letters-"],
            "mtu": ["", "0", "575", "65476", "1e3", "-1420", "99999999999999999999"],
            "level": ["", "sse2", "AVX2"],
            "address": ["", "10.0.0.1", "10.0.0.1/33", "fd00::1/129", "10.0.0/8", "10.0.0.1/x"],
            "rekey": ["0", "121", "x"],
        }.items():
            for value in values:
                attempt(2, f"--{name}" if "different" not in value else "families", **{name: value})
        attempt(2, "unrecognized option", "--frobnicate")
        attempt(2, "requires an argument", "--key")
        attempt(2, "not understood", "--demo", "more")
        attempt(2, "not understood", "--help", "more")
        attempt(2, "keygen takes one FILE", "keygen")
        attempt(2, "keygen takes one FILE", "keygen", "a", "b")

        attempt(1, "File exists", "keygen", net.key)
        attempt(1, "No such file", "keygen", "/nonexistent/key")
        attempt(1, "No such file", key="/nonexistent")
        attempt(1, "no regular file", key="/dev/null")
        with open(net.key) as f:
            text = f.read()
        for mode, content, message in ((0o644, text, "open to others"), (0o640, text, "open to others"),
                                       (0o600, text[:-2], "wrong length"), (0o600, "", "wrong length"),
                                       (0o600, text + "00", "wrong length"), (0o600, "x" + text[1:], "hexadecimal")):
            path = os.path.join(net.folder, "bad")
            with open(path, "w") as f:
                f.write(content)
            os.chmod(path, mode)
            attempt(1, message, key=path)

        attempt(1, "Cannot assign requested address", bind="203.0.113.1:0")
        with socket_in(a.ns) as busy:
            attempt(1, "Address already in use", bind=f"127.0.0.1:{busy}")
        run("ip", "-n", a.ns, "tuntap", "add", "tun9", "mode", "tap")
        attempt(1, "tun9")
        run("ip", "-n", a.ns, "tuntap", "del", "tun9", "mode", "tap")
        attempt(1, "/dev/net/tun is absent", prefix=("unshare", "-m", "sh", "-c",
                                                     'mount -t tmpfs none /dev/net && exec "$@"', "sh"))
        os.chmod(net.folder, 0o755)
        path = os.path.join(net.folder, "nobody")
        shutil.copy(net.key, path)
        os.chmod(path, 0o600)
        attempt(1, "Permission denied", key=path, prefix=nobody()) if os.stat(path).st_uid != 65534 else None
        os.chown(path, 65534, 65534)
        attempt(1, "missing privilege", key=path, prefix=nobody())
        check("tun9" not in run("ip", "link", ns=a.ns).stdout, "a device is left behind")


def nobody():
    return ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all")


@contextlib.contextmanager
def socket_in(ns):
    """A UDP port of 127.0.0.1 in a namespace that somebody else has."""
    code = ("import socket, sys; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('127.0.0.1', 0));"
            "print(s.getsockname()[1], flush=True); sys.stdin.read()")
    holder = subprocess.Popen(["ip", "netns", "exec", ns, sys.executable, "-c", code], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    try:
        yield int(holder.stdout.readline())
    finally:
        holder.stdin.close()
        holder.stdout.close()
        holder.wait()


def case_traffic(program):
    """Ping and 100 MB of TCP at both MTUs; SIGINT and SIGTERM end both sides cleanly."""
    for mtu in 1500, 9000:
        with Net(program, mtu) as net:
            a, b = net.start()
            for family, headers in ((4, 28), (6, 48)):
                a.ping(family=family)
                b.ping(family=family, size=mtu - 80 - headers)
                a.ping(family=family, size=20000)
            for sender in a, b:
                print(f"MTU {mtu}: 100 MB at {transfer_bytes(sender, 100):.2f} Gbit/s")
            rows = b.statistics()
            wrong = {k: v for k, v in rows.items() if k.startswith("dropped") and "no session" not in k}
            check(not wrong, f"losses on a clean link: {wrong}")
            check(a.stop(signal.SIGINT) == 0 and b.stop(signal.SIGTERM) == 0, "not a clean exit")
            check("tun0" not in run("ip", "link", ns=a.ns).stdout, "a device is left behind")


def case_outer6(program):
    """IPv6 outside, both sides knowing each other, both beginning at once."""
    with Net(program, 1500) as net:
        a, b = net.start(outer=6, both=True)
        a.ping()
        b.ping(family=6, size=1420 - 48)
        transfer_bytes(a, 20, family=6)
        net.stop()


def case_wrong_key(program):
    """Nothing passes between two different keys."""
    with Net(program, 1500) as net:
        a, b = net.ends
        b.key = os.path.join(net.folder, "other")
        run(program, "keygen", b.key)
        b.start()
        a.start()
        time.sleep(3)
        check(not a.ping(ok=False) and not b.ping(ok=False), "ping passes")
        check(a.delivered() == 0 and b.delivered() == 0, "something was delivered")
        check("ready" not in a.text() + b.text(), "ready was printed")
        check(b.statistics().get("handshake messages forged", 0) > 0, "no forged hello was counted")
        net.stop()


def case_restart(program):
    """Either side is killed and started again: traffic flows within 10 s of it listening."""
    with Net(program, 1500) as net:
        a, b = net.start()
        for end in b, a, b, a:
            a.ping()
            end.stop(signal.SIGKILL)
            time.sleep(1)
            end.start(peer=end is a)
            wait_for("it listens", lambda: f":{PORT}" in run("ss", "-lnu", ns=end.ns).stdout, 5)
            seconds = wait_for("recovery", lambda: a.ping(count=1, ok=False) and b.ping(count=1, ok=False), 10)
            print(f"end {end.n} is back after {seconds:.1f} s")
        net.stop()


def capture(end, seconds, make_traffic):
    """Real datagrams of the tunnel, taken from the link while there is traffic."""
    code = ("import socket, sys, time; s = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3));"
            "s.bind(('veth0', 3)); s.settimeout(0.1); end = time.time() + float(sys.argv[1])\n"
            "while time.time() < end:\n"
            "    try: p = s.recv(65536)\n"
            "    except TimeoutError: continue\n"
            "    if p[0] >> 4 == 4 and p[9] == 17: print(p[28:].hex(), flush=True)\n")
    taker = subprocess.Popen(["ip", "netns", "exec", end.ns, sys.executable, "-c", code, str(seconds)],
                             stdout=subprocess.PIPE, text=True)
    time.sleep(0.3)
    make_traffic()
    return [bytes.fromhex(line) for line in taker.communicate()[0].split()]


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


def case_junk(program, count=100000):
    """Random and mutated datagrams crash nothing and deliver nothing, before, during and after a session."""
    with Net(program, 1500) as net:
        a, b = net.start()
        real = capture(a, 2, lambda: (a.ping(count=10), b.ping(count=5, size=1300)))
        check(len(real) >= 30, f"only {len(real)} datagrams were captured")
        a.stop(signal.SIGKILL)
        before = b.delivered()
        sender = subprocess.Popen(["ip", "netns", "exec", a.ns, sys.executable, __file__, "--send-junk",
                                   b.outer[0], str(PORT), str(count)], stdin=subprocess.PIPE, text=True)
        sender.communicate("\n".join(p.hex() for p in real), timeout=120)
        check(sender.returncode == 0, "the sender failed")
        time.sleep(0.5)
        check(b.process.poll() is None, f"end 1 crashed:\n{b.text()}")
        check(b.delivered() == before, f"{b.delivered() - before} packets were delivered")
        rows = b.statistics()
        seen = sum(v for k, v in rows.items() if k.startswith("dropped") or "forged" in k or "hellos" in k)
        check(seen >= count * 0.9, f"only {seen} of {count} were counted: {rows}")
        check(len(b.text().splitlines()) < 200, "the log fills the disk")
        a.start()
        a.ready()
        a.ping()
        net.stop()


def send_junk(host, port, count):
    real = [bytes.fromhex(line) for line in sys.stdin.read().split()]
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("", PORT))
    for i, datagram in enumerate(junk(real, count, 1)):
        s.sendto(datagram, (host, port))
        if i % 100 == 0:
            time.sleep(0.001)  # no test of the receive buffer


OFFLOADS = "--no-gso", "--no-gro", "--no-tun-offload"


def case_mixes(program):
    """Every mix of offloads on one side with every mix on the other, both ways, TCP and UDP, IPv4 and IPv6."""
    mixes = [[o for o, on in zip(OFFLOADS, bits) if on] for bits in itertools.product((0, 1), repeat=3)]
    for n, (mine, theirs) in enumerate(itertools.combinations_with_replacement(mixes, 2)):
        with Net(program, (1500, 9000)[n % 2]) as net:
            a, b = net.ends
            b.start(*theirs, peer=False)
            a.start(*mine)
            a.ready()
            for sender, family in ((a, 4 + 2 * (n // 2 % 2)), (b, 6 - 2 * (n // 2 % 2))):
                arrived = talk(sender, 4, family=family, datagrams=100)
                check(arrived == 100, f"{mine} {theirs}: {100 - arrived} datagrams of 100 were lost")
            check(csum_errors(a) + csum_errors(b) == 0, f"{mine} {theirs}: wrong checksums")
            net.stop()
    print(f"{n + 1} mixes")


def case_refused(program):
    """A kernel that refuses offloads, or takes a part of a burst: nothing is lost, nothing comes twice."""
    library = os.environ["SEALANE_REFUSE_LIBRARY"]
    for how in "EIO", "EINVAL", "EMSGSIZE", "tun", "some":
        with Net(program, 1500) as net:
            net.environment = {"LD_PRELOAD": library, "SEALANE_REFUSE": how}
            a, b = net.start()
            for sender in a, b:
                check(talk(sender, 8, datagrams=200) == 200, f"{how}: datagrams were lost")
            sent, got = a.statistics(), b.statistics()
            refused = {"tun": "super-packets refused by the TUN device and written one by one",
                       "some": "waits for memory of the network device"}.get(
                           how, "segmented messages refused by the kernel and sent one by one")
            check(sent.get(refused, 0) > 0, f"{how}: nothing was refused: {sent}")
            dropped = [k for k in {**sent, **got} if k.startswith("dropped") and "no session" not in k]
            check(not dropped, f"{how}: {dropped}")
            check(csum_errors(a) + csum_errors(b) == 0, f"{how}: wrong checksums")
            net.stop()


def case_rekey(program):
    """New keys every two seconds under load: no packet is refused for a reason of keys."""
    with Net(program, 1500) as net:
        a, b = net.start("--rekey", "2")
        end = transfer(a, "-t", "9", "--bidir")
        check(end["sum_received"]["bytes"] > 10 << 20, "too little traffic")
        for rows in a.statistics(), b.statistics():
            check(rows["sessions begun"] >= 4, f"keys were not changed: {rows}")
            wrong = [k for k in rows if "keys" in k or "forged" in k or "replayed" in k or "sealing" in k]
            check(not wrong, f"{wrong}: {rows}")
        net.stop()


def case_path(program):
    """A link that takes less than the tunnel's packets, a TUN device whose MTU changes."""
    with Net(program, 1500) as net:
        for end in net.ends:
            run("ip", "-n", end.ns, "link", "set", "veth0", "mtu", "1300")
        a, b = net.start()
        for family in 4, 6:
            check(talk(a, 4, family=family, datagrams=50) == 50, "datagrams were lost")
        sessions = a.statistics()["sessions begun"]
        for mtu in 1300, 5000:
            for end in net.ends:
                run("ip", "-n", end.ns, "link", "set", "tun0", "mtu", str(mtu))
            time.sleep(1.5)
            a.ping(size=mtu - 28)
            check(talk(b, 4, datagrams=50) == 50, "datagrams were lost")
        check(a.statistics()["sessions begun"] > sessions, "the keys do not know the new MTU")
        net.stop()


@contextlib.contextmanager
def bad_network(net, *how):
    """A relay at the first end that loses, reorders, doubles and damages datagrams on their way; the second end is
    reached through it at this address."""
    a, b = net.ends
    left, right = f"{a.outer[0]}:7000", f"{a.outer[0]}:7001"
    relay = subprocess.Popen(["ip", "netns", "exec", a.ns, os.environ["SEALANE_SHIM"], "--left", left, "--right", right,
                              "--right-peer", b.endpoint(4), *how], stdout=subprocess.PIPE, text=True)
    try:
        yield left
    finally:
        relay.terminate()
        print("relay:", " ".join(relay.communicate()[0].split()))


def case_bad_network(program):
    """TCP and UDP, new keys every two seconds, through a network that does everything wrong at once."""
    with Net(program, 1500) as net:
        a, b = net.ends
        with bad_network(net, "--drop", "0.01", "--reorder", "0.02", "--duplicate", "0.01", "--corrupt", "0.01") as relay:
            b.start("--rekey", "2", peer=False)
            a.start("--rekey", "2", "--peer", relay, peer=False)
            a.ready()
            for sender, family in (a, 4), (b, 6):
                arrived = talk(sender, 16, family=family, datagrams=1000)
                check(900 <= arrived <= 1000, f"{arrived} datagrams of 1000 arrived")
            transfer(a, "-t", "5", "--bidir")
            for end in a, b:
                rows = end.statistics()
                check(rows.get("dropped: forged", 0) > 0 and rows.get("dropped: replayed or too old", 0) > 0,
                      f"the network was too good: {rows}")
                check(rows["sessions begun"] > 1, f"keys were not changed: {rows}")
                check(csum_errors(end) == 0, "wrong checksums")
            net.stop()


def case_setup(program):
    """--user, --stats-json, a device that is set down or deleted, a socket buffer that is capped."""
    with Net(program, 1500) as net:
        os.chmod(net.folder, 0o777)
        b = net.ends[1].start("--user", "nobody", "--stats-json", os.path.join(net.folder, "json"), peer=False)
        a = net.ends[0].start()
        b.ready()
        a.ready()
        owner = os.stat(f"/proc/{b.process.pid}").st_uid
        status = open(f"/proc/{b.process.pid}/status").read()
        check(f"Uid:\t{65534}\t{65534}" in status and "CapEff:\t0000000000000000" in status, f"{owner}: {status}")
        a.ping()
        b.statistics()
        with open(os.path.join(net.folder, "json")) as f:
            rows = json.load(f)
        check(rows["rx_packets"] >= 3 and rows["sessions"] == 1 and rows["drop_forged"] == 0, f"{rows}")
        run("ip", "-n", b.ns, "link", "set", "tun0", "down")
        a.ping(count=2, ok=False)
        check(b.statistics().get("dropped: TUN device is down", 0) > 0, "EIO was not counted")
        run("ip", "-n", b.ns, "link", "set", "tun0", "up")
        a.ping()
        check(b.stop() == 0, "not a clean exit")
        run("ip", "-n", a.ns, "link", "del", "tun0")
        check(a.process.wait(timeout=5) == 1 and "is gone" in a.text(), f"a deleted device: {a.text()}")
        b.start("--user", "nosuchuser")
        check(b.process.wait(timeout=5) == 1 and "no such user" in b.text(), f"a user that is not there: {b.text()}")


def why_not():
    if os.geteuid() != 0:
        return "needs root"
    if not os.path.exists("/dev/net/tun"):
        return "there is no /dev/net/tun"
    for tool in "ip", "ping", "iperf3", "ss", "setpriv", "unshare":
        if shutil.which(tool) is None:
            return f"there is no {tool}"
    probe = f"sl{os.getpid()}x"
    done = run("ip", "netns", "add", probe, ok=False)
    if done.returncode != 0:
        return f"network namespaces cannot be made: {done.stderr.strip()}"
    run("ip", "netns", "del", probe)
    return None


def main():
    if sys.argv[1:2] == ["--send-junk"]:
        return send_junk(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    if sys.argv[1:2] == ["--hear"]:
        return hear(sys.argv[2])
    if sys.argv[1:2] == ["--talk"]:
        return tell(sys.argv[2], *map(int, sys.argv[3:]))
    return run_cases(os.path.abspath(sys.argv[1]), sys.argv[2:], globals())


def run_cases(program, names, cases):
    """Runs the functions case_NAME; the exit status."""
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return SKIP
    for name in names:
        start = time.monotonic()
        try:
            cases[f"case_{name}"](program)
        except (Failure, subprocess.SubprocessError) as problem:
            print(f"{name}: FAILED: {problem}")
            return 1
        print(f"{name}: passed in {time.monotonic() - start:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
