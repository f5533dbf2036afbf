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
import time

import mtu_report
from mtu_lab import Bare, Failed, Lab, OpenVpn, Sealane, WireguardGo
from mtu_load import measure_ping, measure_tcp, measure_udp

MTUS = 1500, 9000
DEFAULT_PLOT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "build", "mtu-demo")
OFFLOADS = "--no-gso", "--no-gro", "--no-tun-offload"
RETAKES = 3  # of one sample; and of all of them together no more than a third
PIECES = [(one,) for one in OFFLOADS] + [OFFLOADS]  # what the tunnel does without, with --pieces


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
            "seconds": options.seconds, "versions": versions, "taken_again": 0, "tcp": [], "udp": [], "ping": []}


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


def measure_calm(who, seconds, retakes):
    """A sample, taken again while others had too much of the machine; the calmest of all tries, and how many of them
    were in vain."""
    tries = []
    while len(tries) <= retakes and all(sample["disturbed_percent"] > mtu_report.CALM for sample in tries):
        if tries:
            time.sleep(1)
        tries.append(measure_tcp(who, seconds))
    return min(tries, key=lambda sample: sample["disturbed_percent"]), len(tries) - 1


def measure_one(who, mtu, number, result, progress, seconds):
    """TCP at this MTU; at 1500 ping and UDP too, for the best of ours and for what it is compared with."""
    who.start(mtu)
    try:
        who.wait()
        if mtu == 1500 and who.name in mtu_report.COMPARED:
            result["ping"].append({"who": who.name, "round": number, **measure_ping(who)})
            result["udp"].append({"who": who.name, "round": number, **measure_udp(who, seconds)})
        left = progress.total // 3 - result["taken_again"]
        sample, again = measure_calm(who, seconds, min(RETAKES, max(0, left)))
        result["taken_again"] += again
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
            write_json(options.json, result)  # --from reads what there is of a run that does not come to its end
    return result


def write_json(path, result):
    if path:
        with open(path, "w", encoding="utf-8") as f:
            json.dump(result, f, indent=1)
            f.write("\n")


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
        write_json(options.json, result)
        if options.json:
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
