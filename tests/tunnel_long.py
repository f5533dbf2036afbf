#!/usr/bin/env python3
"""Tests of the sample tunnel that take their time, in network namespaces.

    tunnel_long.py UDP_TUNNEL CASE...

Exit status 0: passed; 1: failed; 77: skipped, and says why. Run by ctest.
"""
import json
import os
import re
import select
import socket
import statistics
import sys
import time

from tunnel_net import PATIENCE, PORT, Net, bad_network, capture, check, csum_errors, helper, run_cases
from tunnel_talk import talk, transfer

CLOSED_PORT = 5999
FLOOD_RATE = 50000  # a second
FLOOD_TURN = 0.2  # seconds: what a neighbour of this machine takes away it takes from both ports
FLOOD_RATIO = 0.9


def case_gigabyte(program):
    """1 GB at each MTU: the same bytes arrive, and no packet with a wrong checksum."""
    for mtu, turn in (1500, 0), (9000, 1):
        with Net(program, mtu) as net:
            ends = net.start()
            since = time.monotonic()
            talk(ends[turn], 1024, family=4 + 2 * turn)
            print(f"MTU {mtu}: 1 GB in {time.monotonic() - since:.1f} s, with making and checking it")
            check(csum_errors(ends[0]) + csum_errors(ends[1]) == 0, "wrong checksums")
            for end in ends:
                wrong = {k: v for k, v in end.statistics().items() if k.startswith("dropped") and "session" not in k}
                check(not wrong, f"losses on a clean link: {wrong}")
            net.stop()


def flood(host):
    """Sends the datagrams that are on standard input, up to an empty line, again and again, FLOOD_RATE a second, to the
    tunnel and to a closed port in turns, until the input ends. Prints the turns: the port, datagrams sent to it, bytes
    that entered the tunnel on this side meanwhile, seconds."""
    def entered():
        with open("/sys/class/net/tun0/statistics/tx_bytes", encoding="utf-8") as f:
            return int(f.read())

    datagrams = [bytes.fromhex(line) for line in iter(sys.stdin.readline, "\n")]
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    print("flooding", flush=True)
    turns, port, sent = [], PORT, 0
    since, before = time.monotonic(), entered()
    while not select.select([sys.stdin], [], [], 0.001)[0]:
        seconds = time.monotonic() - since
        if seconds >= FLOOD_TURN:
            turns.append((port, sent, entered() - before, seconds))
            port, sent, seconds = PORT + CLOSED_PORT - port, 0, 0
            since, before = time.monotonic(), entered()
        for _ in range(min(500, int(seconds * FLOOD_RATE) - sent)):
            s.sendto(datagrams[sent % len(datagrams)], (host, port))  # not connected: hears of no closed port
            sent += 1
    print(json.dumps(turns))


def under_flood(sender, hellos):
    """The turns of a flood that sends hellos to the other end while a stream runs, from its first to its last whole
    one."""
    other = sender.net.ends[1 - sender.n]
    with helper(sender.ns, sys.executable, __file__, "--flood", other.outer[0]) as attack:
        attack.stdin.write("\n".join(hellos) + "\n\n")
        attack.stdin.flush()
        check(attack.stdout.readline() == "flooding\n", "there is no flood")
        transfer(sender, "-t", "3", "-C", "cubic")
        turns = json.loads(attack.communicate(timeout=PATIENCE)[0])
    busy = [i for i, (_, _, entered, _) in enumerate(turns) if entered > 0]
    turns = turns[busy[1]:busy[-1]]
    check(len(turns) >= 4, f"too few turns: {turns}")
    return turns


def flood_ratios(sender, hellos, least=3, most=25):
    """Of the throughput with this flood to that with one to a closed port, in rounds; more of them while the machine
    gives no clear answer. With the datagrams that were sent."""
    ratios, all_sent = [], 0
    while len(ratios) < least or (statistics.median(ratios) < FLOOD_RATIO and len(ratios) < most):
        speed, turns = {}, under_flood(sender, hellos)
        for port in PORT, CLOSED_PORT:
            _, sent, entered, seconds = map(sum, zip(*(turn for turn in turns if turn[0] == port)))
            speed[port] = entered / seconds
            all_sent += sent if port == PORT else 0
        ratios.append(speed[PORT] / speed[CLOSED_PORT])
    check(all_sent > FLOOD_RATE, f"a flood of {all_sent} datagrams is none")
    return ratios, all_sent


def case_flood(program):
    """Forged hellos, and replayed ones, cost the data path at most 10 % more than at a closed port."""
    with Net(program, 1500) as net:
        a, b = net.ends
        b.start(peer=False)
        real = capture(a, lambda: (a.start(), a.ready()))
        hello = next(d for d in real if d[:4] == b"\1\0\0\0")
        a.ping()
        a.use_cubic()
        forged = [(hello[:40] + os.urandom(len(hello) - 40)).hex() for _ in range(500)]
        all_sent = 0
        for kind, hellos in ("forged", forged), ("replayed", [hello.hex()]):
            ratios, sent = flood_ratios(a, hellos)
            all_sent += sent
            print(f"{kind} hellos: {', '.join(f'{r:.2f}' for r in ratios)} of the throughput with a closed port")
            check(statistics.median(ratios) >= FLOOD_RATIO, f"{kind} hellos cost more: {ratios}")
            b.ping()
        rows = b.statistics()
        seen = sum(rows.get(cause, 0) for cause in ("handshake messages forged", "hellos heard again",
                                                    "hellos dropped unread: too many"))
        check(seen > 0.6 * all_sent and rows["hellos heard again"] > 0, f"of {all_sent} few were seen: {rows}")
        check(rows["answers sent"] < 1000, f"too many answers: {rows}")
        check(b.messages() < 100, "the log fills the disk")
        net.stop()


def resident_kb(end):
    with open(f"/proc/{end.process.pid}/status", encoding="utf-8") as f:
        return int(re.search(r"VmRSS:\s*(\d+)", f.read())[1])


def case_soak(program, minutes=int(os.environ.get("SEALANE_SOAK_MINUTES", "10"))):
    """Ten minutes of traffic both ways on a rough path, new keys every 5 s: constant memory."""
    with Net(program, 1500) as net:
        a, b = net.ends
        with bad_network(net, "--drop", "0.001", "--reorder", "0.01", "--duplicate", "0.001", "--corrupt",
                         "0.001") as relay:
            b.start("--rekey", "5", peer=False)
            a.start("--rekey", "5", "--peer", relay, peer=False)
            a.ready()
            baseline = None
            for minute in range(minutes):
                until = time.monotonic() + 60
                while time.monotonic() < until:
                    transfer(a, "-t", "10", "--bidir")
                    transfer(b, "-t", "5", "-u", "-b", "200M", "-l", "1300", family=6)
                    talk(a, 4, datagrams=100)
                memory = resident_kb(a), resident_kb(b)
                baseline = baseline or memory
                print(f"minute {minute + 1}: {memory[0]} and {memory[1]} KB", flush=True)
                check(all(now <= then + 512 for now, then in zip(memory, baseline)), f"memory: {baseline}, then {memory}")
            check(a.statistics()["sessions begun"] > minutes * 8, "keys were not changed")
            check(csum_errors(a) + csum_errors(b) == 0, "wrong checksums")
            net.stop()


def main():
    if sys.argv[1:2] == ["--flood"]:
        return flood(sys.argv[2])
    return run_cases(os.path.abspath(sys.argv[1]), sys.argv[2:], globals())


if __name__ == "__main__":
    sys.exit(main())
