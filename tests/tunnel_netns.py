#!/usr/bin/env python3
"""Tests of the sample tunnel with real devices, in network namespaces.

    tunnel_netns.py UDP_TUNNEL CASE...

Exit status 0: passed; 1: failed; 77: skipped, and says why. Run by ctest; needs root, ip, ping, iperf3.
"""
import itertools
import json
import os
import shutil
import signal
import sys
import time

from tunnel_net import (PORT, Net, bad_network, capture, check, csum_errors, nobody, run, run_cases, socket_in,
                        wait_for)
from tunnel_talk import send_all_junk, talk, transfer, transfer_bytes


def case_cli(program):
    """Every wrong command line, file, port and device: a message, a status, nothing left behind."""
    with Net(program, 1500) as net:
        a = net.ends[0]
        good = {"--key": net.key, "--bind": "127.0.0.1:0", "--tun": "tun9"}

        def attempt(status, message, *args, prefix=(), **changes):
            words = dict(good, **{"--" + k: v for k, v in changes.items()})
            line = [w for pair in words.items() if pair[1] is not None for w in pair] if not args else list(args)
            done = run(*prefix, program, *line, ns=a.ns, ok=False)
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
            "threads": ["", "0", "3", "two", "-1"],
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
            for rows in a.statistics(), b.statistics():
                wrong = {k: v for k, v in rows.items()
                         if k.startswith("dropped") and "no session" not in k or "refused by" in k}
                check(not wrong, f"losses or refusals on a clean link: {wrong}")
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
        for end in a, b:
            wait_for("a forged hello is counted", lambda end=end: end.statistics().get("handshake messages forged", 0) > 0)
        check(not a.ping(ok=False) and not b.ping(ok=False), "ping passes")
        check(a.delivered() == 0 and b.delivered() == 0, "something was delivered")
        check("ready" not in a.text() + b.text(), "ready was printed")
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
            wait_for("it listens", lambda: f":{PORT}" in run("ss", "-lnu", ns=end.ns).stdout)
            seconds = wait_for("recovery", lambda: a.ping(count=1, ok=False) and b.ping(count=1, ok=False), 10)
            print(f"end {end.n} is back after {seconds:.1f} s")
        net.stop()


def case_junk(program, count=100000):
    """Random and mutated datagrams crash nothing and deliver nothing, before, during and after a session."""
    with Net(program, 1500) as net:
        a, b = net.start()
        real = capture(a, lambda: (a.ping(count=10), b.ping(count=5, size=1300)))
        check(len(real) >= 30, f"only {len(real)} datagrams were captured")
        a.stop(signal.SIGKILL)
        before = b.delivered()
        send_all_junk(a, real, count)

        def seen():
            rows = b.statistics()
            return sum(v for k, v in rows.items() if k.startswith("dropped") or "forged" in k or "hellos" in k)
        wait_for(f"{count} datagrams of junk are counted", lambda: seen() >= count * 0.9)
        check(b.delivered() == before, f"{b.delivered() - before} packets were delivered")
        check(b.messages() < 100, "the log fills the disk")
        a.start()
        a.ready()
        a.ping()
        net.stop()


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
            # those of one burst; then it is not tried again
            check(how == "some" or sent[refused] < 50, f"{how}: refused again and again: {sent}")
            dropped = [k for k in {**sent, **got} if k.startswith("dropped") and "no session" not in k]
            check(not dropped, f"{how}: {dropped}")
            check(csum_errors(a) + csum_errors(b) == 0, f"{how}: wrong checksums")
            net.stop()


def rekey_under_load(sender, sessions=4):
    """TCP both ways at once, with ends that change keys every two seconds, until they did so often enough."""
    def has_changed_keys():
        end = transfer(sender, "-t", str(2 * sessions), "--bidir")
        for name in "sum_received", "sum_received_bidir_reverse":
            check(end[name]["bytes"] > 10 << 20, f"too little traffic: {end[name]}")
        return all(e.statistics()["sessions begun"] >= sessions for e in sender.net.ends)
    wait_for(f"{sessions} sessions", has_changed_keys)


def case_rekey(program):
    """New keys every two seconds under load: no packet is refused for a reason of keys."""
    with Net(program, 1500) as net:
        a, b = net.start("--rekey", "2")
        rekey_under_load(a)
        for rows in a.statistics(), b.statistics():
            wrong = [k for k in rows if "keys" in k or "forged" in k or "replayed" in k or "sealing" in k]
            check(not wrong, f"{wrong}: {rows}")
        net.stop()


def case_threads(program):
    """A thread for each direction: traffic both ways at once with new keys every two seconds, statistics of both
    directions while it runs, a restart under load, both threads ended by either signal."""
    with Net(program, 1500) as net:
        a, b = net.start("--threads", "2", "--rekey", "2")
        for end in a, b:
            tasks = len(os.listdir(f"/proc/{end.process.pid}/task"))
            check(tasks >= 2, f"{tasks} threads")  # a sanitizer may have one of its own
        before = a.statistics()
        for sender in a, b:
            check(talk(sender, 8, datagrams=200) == 200, "datagrams were lost")
        rekey_under_load(a)
        for rows in a.statistics(), b.statistics():
            wrong = [k for k in rows if k.startswith("dropped") and "no session" not in k]
            check(not wrong, f"{wrong}: {rows}")
            for name in "packets sealed", "packets opened":
                check(rows[name] > before.get(name, 0) + 1000, f"{name}: {rows}")
        sent, got = a.statistics(), b.statistics()
        sealed = sent["packets sealed"] - sent.get("keepalives sent", 0)
        check(abs(sealed - got["packets opened"]) < 100, f"{sent} but {got}")
        check(csum_errors(a) + csum_errors(b) == 0, "wrong checksums")
        b.stop(signal.SIGKILL)
        b.start("--threads", "2", peer=False)
        wait_for("recovery", lambda: a.ping(count=1, ok=False), 10)
        check(a.stop(signal.SIGINT) == 0 and b.stop(signal.SIGTERM) == 0, "not a clean exit")


def case_path(program):
    """A link that takes less than the tunnel's packets, a TUN device whose MTU changes."""
    with Net(program, 1500) as net:
        for end in net.ends:
            run("ip", "-n", end.ns, "link", "set", "veth0", "mtu", "1300")
        a, b = net.start()
        for family in 4, 6:
            check(talk(a, 4, family=family, datagrams=50) == 50, "datagrams were lost")
        for mtu in 1300, 5000:
            for end in net.ends:
                sessions = end.statistics()["sessions begun"]
                run("ip", "-n", end.ns, "link", "set", "tun0", "mtu", str(mtu))
                wait_for("keys that know the new MTU", lambda: end.statistics()["sessions begun"] > sessions)
            a.ping(size=mtu - 28)
            check(talk(b, 4, datagrams=50) == 50, "datagrams were lost")
        net.stop()


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
        b.statistics()  # with it the file is complete
        with open(os.path.join(net.folder, "json")) as f:
            rows = json.load(f)
        check(rows["rx_packets"] >= 3 and rows["sessions"] == 1 and rows["drop_forged"] == 0, f"{rows}")
        run("ip", "-n", b.ns, "link", "set", "tun0", "down")
        wait_for("EIO is counted", lambda: not a.ping(count=1, ok=False) and
                 b.statistics().get("dropped: TUN device is down", 0) > 0)
        run("ip", "-n", b.ns, "link", "set", "tun0", "up")
        a.ping()
        check(b.stop() == 0, "not a clean exit")
        run("ip", "-n", a.ns, "link", "del", "tun0")
        check(a.ended() == 1 and "is gone" in a.text(), f"a deleted device: {a.text()}")
        b.start("--user", "nosuchuser")
        check(b.ended() == 1 and "no such user" in b.text(), f"a user that is not there: {b.text()}")


if __name__ == "__main__":
    sys.exit(run_cases(os.path.abspath(sys.argv[1]), sys.argv[2:], globals()))
