"""Measures tunnels in two network namespaces. Started by mtu-demo.sh, which says what the options mean."""
import argparse
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import mtu_report

MTUS = 1500, 9000
INNER = 80  # bytes that every tunnel's MTU is smaller than the link's
UDP_BYTES, UDP_RATE, UDP_BUFFER = 1300, "1G", 4 << 20
PINGS = 20
DEFAULT_PLOT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "build", "mtu-demo")
OFFLOADS = "--no-gso", "--no-gro", "--no-tun-offload"
PIECES = [(one,) for one in OFFLOADS] + [OFFLOADS]  # what the tunnel does without, with --pieces


class Failed(Exception):
    pass


def run(*command, ns=None, **kw):
    if ns:
        command = ("ip", "netns", "exec", ns) + command
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, **kw)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout


class Lab:
    """Two namespaces, a veth pair between them, and a folder for keys and logs."""

    def __init__(self):
        self.ns = [f"mtu-demo-{os.getpid()}-{end}" for end in "ab"]
        self.outer = ["192.0.2.1", "192.0.2.2"]
        self.inner = ["10.91.0.1", "10.91.0.2"]
        self.folder = tempfile.mkdtemp(prefix="mtu-demo-")

    def __enter__(self):
        try:
            for ns in self.ns:
                run("ip", "netns", "add", ns)
                run("ip", "-n", ns, "link", "set", "lo", "up")
            run("ip", "link", "add", "veth0", "netns", self.ns[0], "type", "veth", "peer", "name", "veth0",
                "netns", self.ns[1])
            for ns, outer in zip(self.ns, self.outer):
                run("ip", "-n", ns, "addr", "add", f"{outer}/24", "dev", "veth0")
                run("ip", "-n", ns, "link", "set", "veth0", "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for ns in self.ns:
            subprocess.run(["ip", "netns", "del", ns], capture_output=True, check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def set_mtu(self, mtu):
        for ns in self.ns:
            run("ip", "-n", ns, "link", "set", "veth0", "mtu", str(mtu))

    def path(self, name):
        return os.path.join(self.folder, name)


class Bare:
    """The veth pair without a tunnel."""

    name = "veth"

    def __init__(self, lab):
        self.lab, self.processes = lab, []
        self.address = lab.outer[1]

    def prepare(self):
        """Keys; once."""

    def start(self, mtu):
        """Brings the tunnel up at this link MTU."""

    def stop(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes = []

    def spawn(self, end, *command, **kw):
        with open(self.lab.path("log"), "a", encoding="utf-8") as log:
            self.processes.append(subprocess.Popen(["ip", "netns", "exec", self.lab.ns[end], *command], stdout=log,
                                                   stderr=log, **kw))

    def wait(self):
        """Until a ping passes."""
        for _ in range(100):
            if any(p.poll() is not None for p in self.processes):
                break
            done = subprocess.run(["ip", "netns", "exec", self.lab.ns[0], "ping", "-c1", "-W0.1", self.address],
                                  capture_output=True, check=False)
            if done.returncode == 0:
                return
        with open(self.lab.path("log"), encoding="utf-8") as log:
            raise Failed(f"{self.name}: the tunnel does not come up\n{''.join(log.readlines()[-10:])}")

    def cpu_seconds(self):
        """User and system time of both ends' processes so far."""
        ticks = 0
        for process in self.processes:
            with open(f"/proc/{process.pid}/stat", encoding="utf-8") as f:
                ticks += sum(map(int, f.read().rpartition(")")[2].split()[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK")


class Sealane(Bare):
    def __init__(self, lab, program, level, burst, *without):
        super().__init__(lab)
        self.program, self.level = program, level
        self.more = [*([] if burst else ["--no-burst"]), *without]
        self.name = mtu_report.own_name(level, burst, *without)
        self.address = lab.inner[1]

    def prepare(self):
        if not os.path.exists(self.lab.path("key")):
            run(self.program, "keygen", self.lab.path("key"))

    def start(self, mtu):
        for end in 0, 1:
            self.spawn(end, self.program, "--key", self.lab.path("key"), "--bind", f"{self.lab.outer[end]}:5000",
                       "--peer", f"{self.lab.outer[1 - end]}:5000", "--tun", "tun0", "--address",
                       f"{self.lab.inner[end]}/24", "--mtu", str(mtu - INNER), "--level", self.level,
                       *self.more)


class WireguardGo(Bare):
    name = "wireguard-go"

    def __init__(self, lab):
        super().__init__(lab)
        self.address = lab.inner[1]
        self.devices = [f"wgd{os.getpid()}{end}"[-15:] for end in "ab"]
        self.keys = []

    def prepare(self):
        self.keys = [run("wg", "genkey").strip() for _ in (0, 1)]
        for end in 0, 1:
            with open(os.open(self.lab.path(f"wg{end}"), os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as f:
                f.write(self.keys[end])

    def start(self, mtu):
        for end in 0, 1:
            self.spawn(end, "wireguard-go", "-f", self.devices[end], env=dict(os.environ, LOG_LEVEL="error"))
        for end in 0, 1:
            ns, device = self.lab.ns[end], self.devices[end]
            for _ in range(50):
                if os.path.exists(f"/var/run/wireguard/{device}.sock"):
                    break
                time.sleep(0.1)
            public = run("wg", "pubkey", input=self.keys[1 - end]).strip()
            run("wg", "set", device, "private-key", self.lab.path(f"wg{end}"), "listen-port", "5001", "peer", public,
                "endpoint", f"{self.lab.outer[1 - end]}:5001", "allowed-ips", "10.91.0.0/24", ns=ns)
            run("ip", "-n", ns, "addr", "add", f"{self.lab.inner[end]}/24", "dev", device)
            run("ip", "-n", ns, "link", "set", device, "mtu", str(mtu - INNER), "up")


class OpenVpn(Bare):
    name = "openvpn"

    def __init__(self, lab):
        super().__init__(lab)
        self.address = lab.inner[1]
        self.prints = []

    def prepare(self):
        for end in 0, 1:
            base = self.lab.path(f"ovpn{end}")
            run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-subj", f"/CN=end{end}", "-days", "2", "-keyout", f"{base}.key", "-out", f"{base}.crt")
            shown = run("openssl", "x509", "-in", f"{base}.crt", "-noout", "-fingerprint", "-sha256")
            self.prints.append(shown.strip().partition("=")[2])

    def start(self, mtu):
        for end in 0, 1:
            base = self.lab.path(f"ovpn{end}")
            role = ["--tls-server", "--dh", "none"] if end == 1 else ["--tls-client"]
            self.spawn(end, "openvpn", "--dev", "tun0", "--dev-type", "tun", "--proto", "udp", "--local",
                       self.lab.outer[end], "--remote", self.lab.outer[1 - end], "--port", "5002", "--ifconfig",
                       self.lab.inner[end], self.lab.inner[1 - end], "--cert", f"{base}.crt", "--key", f"{base}.key",
                       "--peer-fingerprint", self.prints[1 - end], "--data-ciphers", "CHACHA20-POLY1305",
                       "--tun-mtu", str(mtu - INNER), "--mssfix", "0", "--disable-dco", "--verb", "1", *role)


def start_server(lab):
    server = subprocess.Popen(["ip", "netns", "exec", lab.ns[1], "iperf3", "-s", "-1"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    for _ in range(100):
        if ":5201" in run("ss", "-lnt", ns=lab.ns[1]):
            return server
        time.sleep(0.02)
    server.kill()
    raise Failed("iperf3 -s does not listen")


def iperf(lab, address, *more):
    server = start_server(lab)
    try:
        report = json.loads(run("iperf3", "-c", address, "-J", *more, ns=lab.ns[0]))
    finally:
        server.terminate()
        server.wait()
    if "error" in report:
        raise Failed(f"iperf3: {report['error']}")
    return report["end"]


def measure_tcp(who, seconds):
    cpu = who.cpu_seconds()
    end = iperf(who.lab, who.address, "-C", "cubic", "-t", str(seconds))
    cpu = who.cpu_seconds() - cpu
    received = end["sum_received"]
    return {"gbits": received["bits_per_second"] / 1e9, "retransmits": end["sum_sent"].get("retransmits", 0),
            "cpu_s_per_gb": cpu / (received["bytes"] / 1e9) if who.processes and received["bytes"] else None}


def measure_udp(who, seconds):
    """With receive buffers as large as the system allows: a reader that is late is no loss of the tunnel."""
    with open("/proc/sys/net/core/rmem_max", encoding="utf-8") as f:
        buffer = min(int(f.read()), UDP_BUFFER)
    end = iperf(who.lab, who.address, "-u", "-b", UDP_RATE, "-l", str(UDP_BYTES), "-t", str(seconds), "-w",
                str(buffer))["sum"]
    return {"lost_percent": end["lost_percent"], "sent_gbits": end["bits_per_second"] / 1e9}


def measure_ping(who):
    out = run("ping", "-c", str(PINGS), "-i", "0.05", who.address, ns=who.lab.ns[0])
    return {"rtt_ms": [float(ms) for ms in re.findall(r"time=([0-9.]+)", out)]}


def has_level(program, level):
    done = subprocess.run([program, "--key", "/nonexistent", "--bind", "127.0.0.1:0", "--tun", "x", "--level", level],
                          capture_output=True, text=True, check=False)
    return "this CPU" not in done.stderr


def contenders(lab, options):
    found = [Bare(lab)]
    if shutil.which("wireguard-go") and shutil.which("wg"):
        found.append(WireguardGo(lab))
    if shutil.which("openvpn") and shutil.which("openssl"):
        found.append(OpenVpn(lab))
    for level in mtu_report.LEVELS:
        if has_level(options.tunnel, level):
            found += [Sealane(lab, options.tunnel, level, burst) for burst in (False, True)]
        else:
            print(f"skipped: {level}: this CPU does not have it")
    if options.pieces:
        found += [Sealane(lab, options.tunnel, mtu_report.BEST, True, *without) for without in PIECES]
    if options.only:
        names = options.only.split(",")
        unknown = set(names) - {who.name for who in found}
        if unknown:
            raise Failed(f"--only {','.join(sorted(unknown))}: expected {','.join(who.name for who in found)}")
        found = [who for who in found if who.name in names]
    return found


def first_line(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[0].strip() if lines else "unknown"


def describe(options):
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        names = re.findall(r"model name\s*: (.*)", f.read())
    versions = {"iperf": first_line("iperf3", "--version").split(" (")[0], "kernel": platform.release()}
    if shutil.which("wireguard-go"):
        versions["wireguard-go"] = first_line("wireguard-go", "--version").removeprefix("wireguard-go ")
    if shutil.which("openvpn"):
        versions["openvpn"] = first_line("openvpn", "--version").removeprefix("OpenVPN ").split()[0]
    return {"what": "scripts/mtu-demo.sh", "date": time.strftime("%Y-%m-%d", time.gmtime()),
            "cpu": names[0] if names else "unknown", "cores": os.cpu_count(), "compiler": first_line("cc", "--version"),
            "seconds": options.seconds, "versions": versions, "tcp": [], "udp": [], "ping": []}


class Progress:
    def __init__(self, total):
        self.total, self.done, self.since = total, 0, time.monotonic()

    def step(self, text):
        self.done += 1
        spent = time.monotonic() - self.since
        left = spent / self.done * (self.total - self.done)
        line = f"{self.done:3}/{self.total}  {text}"
        if sys.stdout.isatty():
            print(f"\r{line:<68}{left:5.0f} s left"[:80], end="\n" if self.done == self.total else "", flush=True)
        else:
            print(line[:80], flush=True)


def measure_one(who, mtu, number, result, progress, seconds):
    """TCP at this MTU; at 1500 ping and UDP too, for the best of ours and for what it is compared with."""
    who.start(mtu)
    try:
        who.wait()
        if mtu == 1500 and who.name in mtu_report.COMPARED:
            result["ping"].append({"who": who.name, "round": number, **measure_ping(who)})
            result["udp"].append({"who": who.name, "round": number, **measure_udp(who, seconds)})
        sample = measure_tcp(who, seconds)
        result["tcp"].append({"who": who.name, "mtu": mtu, "round": number, **sample})
        progress.step(f"MTU {mtu}  {who.name:<22} {sample['gbits']:6.2f} Gbit/s")
    finally:
        who.stop()


def measure(options):
    result = describe(options)
    with Lab() as lab:
        all_of_them = contenders(lab, options)
        for who in all_of_them:
            who.prepare()
        progress = Progress(options.rounds * len(MTUS) * len(all_of_them))
        for number in range(options.rounds):
            for mtu in MTUS:
                lab.set_mtu(mtu)
                for who in all_of_them if number % 2 == 0 else reversed(all_of_them):
                    measure_one(who, mtu, number, result, progress, options.seconds)
    return result


def parse():
    parser = argparse.ArgumentParser(prog="mtu-demo.sh")
    parser.add_argument("--tunnel")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--pieces", action="store_true")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--plot", metavar="NAME", default=DEFAULT_PLOT)
    parser.add_argument("--doc", metavar="FILE")
    parser.add_argument("--from", metavar="FILE", action="append", dest="earlier")
    options = parser.parse_args()
    if options.rounds < 1 or options.seconds < 1:
        parser.error("--rounds and --seconds: at least 1")
    if options.quick:
        options.rounds = options.seconds = 1
    return options


def main():
    options = parse()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background, too
    for number in signal.SIGTERM, signal.SIGHUP:
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        result = mtu_report.join(options.earlier) if options.earlier else measure(options)
        mtu_report.summarize(result)
        print(mtu_report.text_of(result), end="")
        if options.doc:
            mtu_report.write_into(options.doc, mtu_report.text_of(result))
        if options.json:
            with open(options.json, "w", encoding="utf-8") as f:
                json.dump(result, f, indent=1)
                f.write("\n")
            print(f"samples: {options.json}")
        mtu_report.plot(result, options.plot)
    except KeyboardInterrupt:
        print("\ninterrupted")
        return 130
    except (Failed, OSError, subprocess.SubprocessError, ValueError, KeyError) as problem:
        print(f"\nfailed: {problem}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
