"""The contenders of mtu-demo.sh: the bare pair, the sample tunnel, wireguard-go, OpenVPN, between two namespaces."""
import os
import shutil
import subprocess
import tempfile
import time

import mtu_report

INNER = 80  # bytes that every tunnel's MTU is smaller than the link's


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
        self.ends = lab.outer if type(self) is Bare else lab.inner
        self.address = self.ends[1]

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
                self.use_cubic()
                return
        with open(self.lab.path("log"), encoding="utf-8") as log:
            raise Failed(f"{self.name}: the tunnel does not come up\n{''.join(log.readlines()[-10:])}")

    def use_cubic(self):
        """Connections between the ends begin with cubic. iperf3 -C sets it only once they are there; where they began
        with BBR, the system's default perhaps, they would go on with timers between their packets."""
        for ns, here, there in zip(self.lab.ns, self.ends, reversed(self.ends)):
            route = run("ip", "route", "get", there, ns=ns).split()
            run("ip", "route", "replace", there, "dev", route[route.index("dev") + 1], "src", here, "congctl", "cubic",
                ns=ns)

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
