"""Two network namespaces with a veth pair between them and an end of the sample tunnel in each: what tunnel_netns.py
and tunnel_long.py test it with."""
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIP = 77
PORT = 5000
PATIENCE = 100  # seconds until what has to come is given up: no measure of how fast it is, for machines are busy


class Failure(Exception):
    pass


def check(condition, what):
    if not condition:
        raise Failure(what)


def run(*command, ns=None, ok=True, timeout=PATIENCE, **kw):
    if ns:
        command = ("ip", "netns", "exec", ns) + command
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, **kw)
    if ok and done.returncode != 0:
        raise Failure(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def wait_for(what, condition, seconds=PATIENCE):
    """Seconds until the condition holds."""
    start = time.monotonic()
    while not condition():
        check(time.monotonic() - start < seconds, f"{what}: not within {seconds} s")
        time.sleep(0.05)
    return time.monotonic() - start


def space_name(what):
    """A network namespace of this process."""
    return f"sealane-{os.getpid()}-{what}"


def sweep():
    """Removes the namespaces of runs that were killed, and of one that had our process id, with what still runs there."""
    for name in run("ip", "netns", "list").stdout.split():
        owner = re.fullmatch(r"sealane-(\d+)-\w+", name)
        if owner and (int(owner[1]) == os.getpid() or not os.path.exists(f"/proc/{owner[1]}")):
            for process in run("ip", "netns", "pids", name, ok=False).stdout.split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(process), signal.SIGKILL)
            run("ip", "netns", "del", name, ok=False)


class End:
    """One end of the tunnel: a namespace, and the process while it runs."""

    def __init__(self, net, n):
        self.net, self.n = net, n
        self.ns = space_name("ab"[n])
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

    def alive(self):
        check(self.process.poll() is None, f"end {self.n} ended:\n{self.text()}")

    def messages(self):
        """Lines of the log."""
        return sum(line.startswith("udp_tunnel:") for line in self.text().splitlines())

    def ready(self):
        def is_ready():
            self.alive()
            return "ready" in self.text().split()
        return wait_for(f"end {self.n} is ready", is_ready)

    def stop(self, number=signal.SIGTERM):
        """Ends the process; its exit status."""
        self.process.send_signal(number)
        return self.ended()

    def ended(self):
        """The exit status, once there is one."""
        status = self.process.wait(timeout=PATIENCE)
        self.process = None
        return status

    def catches(self, number):
        """Has it come so far that this signal does not end it?"""
        self.alive()
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as f:
            mask = int(re.search(r"SigCgt:\s*(\w+)", f.read())[1], 16)
        return mask >> number - 1 & 1

    def statistics(self):
        """What SIGUSR1 prints, by cause."""
        wait_for("a process that catches SIGUSR1", lambda: self.catches(signal.SIGUSR1))
        before = len(self.text())
        for turn in 1, 2:  # when the second one begins, the first one is complete
            self.process.send_signal(signal.SIGUSR1)
            wait_for("statistics", lambda turn=turn: self.text()[before:].count(", session ") >= turn)
        rows = {}
        for line in self.text()[before:].split(", session ")[1].splitlines():
            number, _, cause = line.strip().partition("  ")
            if number.isdigit():
                rows[cause] = int(number)
        return rows

    def use_cubic(self):
        """Connections to the other end begin with cubic: others may sleep between packets and hide what costs time."""
        run("ip", "route", "replace", self.net.ends[1 - self.n].inner[0], "dev", "tun0", "congctl", "cubic", ns=self.ns)

    def delivered(self):
        """Packets that the tunnel gave to the system."""
        return int(run("cat", "/sys/class/net/tun0/statistics/rx_packets", ns=self.ns).stdout)

    def ping(self, count=3, family=4, size=56, ok=True):
        """Is every one answered? One by one: of several the last one is waited for no longer than others took."""
        to = self.net.ends[1 - self.n].inner[0 if family == 4 else 1]
        for _ in range(count):
            done = run("ping", f"-{family}", "-c", "1", "-W", "10" if ok else "1", "-s", str(size), to, ns=self.ns, ok=False)
            if done.returncode != 0:
                check(not ok, f"ping: {done.stdout}{done.stderr}")
                return False
        return True


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
        try:
            self.make()
        except BaseException:
            self.remove()
            raise
        return self

    def make(self):
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

    def __exit__(self, kind, value, trace):
        for end in self.ends:
            if end.process is not None and kind is not None:
                print(f"--- end {end.n}:\n{end.text()}")
        self.remove()

    def remove(self):
        for end in self.ends:
            if end.process is not None:
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
def helper(ns, *command, says=None, **kw):
    """A process in a namespace for as long as it is needed; with says, from when it has printed this line."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, **kw}
    with subprocess.Popen(["ip", "netns", "exec", ns, *command], text=True, **pipes) as process:
        try:
            if says is not None:
                line = process.stdout.readline()
                check(re.fullmatch(says, line.rstrip("\n")), f"{command}: not '{says}' but '{line}'")
            yield process
        finally:
            process.kill()


def csum_errors(end):
    """Packets with a wrong checksum that the system of this end saw inside or outside of the tunnel."""
    rows = run("cat", "/proc/net/snmp", "/proc/net/snmp6", "/proc/net/netstat", ns=end.ns).stdout.splitlines()
    wrong = 0
    for names, values in zip(rows, rows[1:]):
        if names.split()[0] == values.split()[0] and "InCsumErrors" in names:
            wrong += int(values.split()[names.split().index("InCsumErrors")])
    return wrong + sum(int(row.split()[1]) for row in rows if row.split()[0].endswith("InCsumErrors"))


def capture(end, make_traffic):
    """Real datagrams of the tunnel, taken from the link while there is traffic."""
    code = ("import select, socket, sys; s = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3));"
            "s.bind(('veth0', 3)); print('listening', flush=True)\n"
            "while s in select.select([s, sys.stdin], [], [])[0]:\n"  # to the end of stdin, and of what came before it
            "    p = s.recv(65536)\n"
            "    if p[0] >> 4 == 4 and p[9] == 17: print(p[28:].hex(), flush=True)\n")
    with helper(end.ns, sys.executable, "-c", code, says="listening") as taker:
        make_traffic()
        return [bytes.fromhex(line) for line in taker.communicate(timeout=PATIENCE)[0].split()]


@contextlib.contextmanager
def bad_network(net, *how):
    """A relay at the first end that loses, reorders, doubles and damages datagrams on their way; the second end is
    reached through it at this address."""
    a, b = net.ends
    left, right = f"{a.outer[0]}:7000", f"{a.outer[0]}:7001"
    with helper(a.ns, os.environ["SEALANE_SHIM"], "--left", left, "--right", right, "--right-peer", b.endpoint(4), *how,
                says="ready .*") as relay:
        yield left
        relay.terminate()
        print("relay:", " ".join(relay.communicate(timeout=PATIENCE)[0].split()))


@contextlib.contextmanager
def socket_in(ns):
    """A UDP port of 127.0.0.1 in a namespace that somebody else has."""
    code = ("import socket, sys; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('127.0.0.1', 0));"
            "print(s.getsockname()[1], flush=True); sys.stdin.read()")
    with helper(ns, sys.executable, "-c", code) as holder:
        yield int(holder.stdout.readline())


def nobody():
    return ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all")


def why_not():
    if os.geteuid() != 0:
        return "needs root"
    if not os.path.exists("/dev/net/tun"):
        return "there is no /dev/net/tun"
    for tool in "ip", "ping", "iperf3", "ss", "setpriv", "unshare":
        if shutil.which(tool) is None:
            return f"there is no {tool}"
    sweep()
    probe = space_name("x")
    done = run("ip", "netns", "add", probe, ok=False)
    if done.returncode != 0:
        return f"network namespaces cannot be made: {done.stderr.strip()}"
    run("ip", "netns", "del", probe)
    return None


def run_cases(program, names, cases):
    """Runs the functions case_NAME; the exit status."""
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return SKIP
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # by way of all that has to be cleaned up
    for name in names:
        start = time.monotonic()
        try:
            cases[f"case_{name}"](program)
        except (Failure, subprocess.SubprocessError) as problem:
            print(f"{name}: FAILED: {problem}")
            return 1
        print(f"{name}: passed in {time.monotonic() - start:.1f} s")
    return 0
