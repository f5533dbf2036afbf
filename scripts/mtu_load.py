"""What mtu-demo.sh sends through a contender, and how much of the machine was there for it."""
import json
import os
import re
import resource
import subprocess
import time

from mtu_lab import Failed, run

UDP_BYTES, UDP_RATE, UDP_BUFFER = 1300, "1G", 4 << 20
PINGS = 20
TICKS = os.sysconf("SC_CLK_TCK")


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


def machine_seconds():
    """Seconds of all CPUs so far: busy, stolen by the hypervisor, and all."""
    with open("/proc/stat", encoding="utf-8") as f:
        user, nice, system, idle, wait, irq, softirq, stolen = [int(n) / TICKS for n in f.readline().split()[1:9]]
    busy = user + nice + system + irq + softirq
    return busy, stolen, busy + stolen + idle + wait


def own_seconds(who):
    """CPU seconds so far of this contender's processes, and of those that ended: iperf3 and what is started for it."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    self = resource.getrusage(resource.RUSAGE_SELF)
    return who.cpu_seconds() + sum(usage.ru_utime + usage.ru_stime for usage in (ended, self))


def measure_tcp(who, seconds):
    """Throughput, what it cost, and how much of the machine's time went to the hypervisor and to others' processes."""
    before, own, cpu = machine_seconds(), own_seconds(who), who.cpu_seconds()
    end = iperf(who.lab, who.address, "-C", "cubic", "-t", str(seconds))
    cpu = who.cpu_seconds() - cpu
    busy, stolen, every = [after - then for after, then in zip(machine_seconds(), before)]
    others = max(0, busy - (own_seconds(who) - own))
    received = end["sum_received"]
    return {"gbits": received["bits_per_second"] / 1e9, "retransmits": end["sum_sent"].get("retransmits", 0),
            "cpu_s_per_gb": cpu / (received["bytes"] / 1e9) if who.processes and received["bytes"] else None,
            "disturbed_percent": 100 * (stolen + others) / every}


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
