#!/usr/bin/env python3
"""sealane-bench as a user meets it, for a fraction of a second: every contender's output is checked, JSON is well
formed, errors are reported. Usage: test_bench.py PROGRAM"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

program = sys.argv[1]
FAST = ["--rounds", "3", "--patience", "0"]
failures = 0


def run(*args):
    return subprocess.run([program, *args], capture_output=True, text=True, timeout=60)


def expect(condition, what):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", what)


def results(*args):
    done = run(*FAST, *args, "--json", "-")
    expect(done.returncode == 0, f"{args} succeeds: {done.stderr}")
    try:
        return json.loads(done.stdout)["results"]
    except (ValueError, KeyError) as error:
        expect(False, f"{args} writes JSON: {error}")
        return []


def names(rows):
    return {row["contender"] for row in rows}


peers = [line.split()[1] for line in run("--list").stdout.splitlines() if line.startswith("peer ")]
usable = [p for p in peers if "cannot" not in p]

# Every deed: ours and all usable peers, every output checked.
for what in ["chacha20", "poly1305", "seal", "open", "burst", "open-burst"]:
    rows = results("--what", what, "--sizes", "1,63,1420", "--peers", "all", "--burst", "5", "--keys", "3")
    expect(any(row["ours"] for row in rows), f"{what}: we take part")
    expect(all(row["checked"] and row["cycles"] > 0 for row in rows), f"{what}: checked and timed")
    if what == "seal":
        expect(set(usable) <= names(rows), f"{what}: all of {usable} take part")
    for name in names(rows):
        spoiled = run(*FAST, "--what", what, "--sizes", "1420", "--peers", "all", "--spoil", name)
        expect(spoiled.returncode == 1 and f"{name}: {what}, packet" in spoiled.stderr
               and "wrong output" in spoiled.stderr, f"{what}: a wrong output of {name} is found")

# Shapes of buffers.
for shape in [["--in-place"], ["--slot", "2048"], ["--mix", "imix"], ["--aad", "0"], ["--ring", "3"], ["--cold"]]:
    for what in ["open", "open-burst", "burst"]:
        rows = results("--what", what, "--sizes", "200", "--burst", "8", *shape)
        expect(len(rows) >= 1, f"{what} {shape}")
mixed = results("--mix", "imix")
expect(mixed and abs(mixed[0]["size"] - (7 * 64 + 4 * 576 + 1420) / 12) < 0.1, "IMIX has its mean length")

# OpenSSL with features masked runs in a process of its own.
if "openssl" in usable:
    for level in ["avx2", "ssse3", "none"]:
        rows = results("--sizes", "100", "--peers", "openssl", "--openssl-level", level)
        expect(f"openssl-{level}" in names(rows), f"OpenSSL at {level}")

# Sizes, table, files.
sizes = [row["size"] for row in results("--sizes", "10,20-22,64-192/64", "--peers", "none") if row["ours"]]
expect(sizes == [10, 20, 21, 22, 64, 128, 192], "lists and ranges of sizes")
table = run(*FAST, "--sizes", "64,16384", "--what", "seal,burst")
expect(table.returncode == 0 and all(len(line) <= 80 for line in table.stdout.splitlines()), "80 columns")
expect("length 1 of 2" in table.stderr, "progress on standard error")

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "file")
    easy = "# easy\nsetup --what seal --rounds 3 --patience 0\n100 libsodium+openssl+ipsec-mb 0.001\n"
    steps = "setup --what seal --steps --rounds 3 --patience 0\n100-103 teeth 0.01\n"

    def check(text):
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return run("--check-targets", path)

    done = check(easy)
    expect(done.returncode == 0 and "0 missed" in done.stdout, f"easy targets pass: {done.stdout}{done.stderr}")
    done = check(steps)
    expect(done.returncode == 0 and "1 passed" in done.stdout, f"steps: {done.stdout}{done.stderr}")
    done = check(steps.replace("0.01", "99"))
    expect(done.returncode == 2 and "1 missed" in done.stdout, "steps that fall")
    if usable:
        done = check(easy + "100 %s 1e6\n" % usable[0])
        expect(done.returncode == 2 and "MISS" in done.stdout and "1 missed" in done.stdout, "a missed target")
    for wrong in ["100 libsodium\n", "setup --what dance\n100 libsodium 1\n", "100 libsodium 1\n"]:
        expect(check(wrong).returncode == 1, f"wrong target file: {wrong!r}")
    expect(run(*FAST, "--sizes", "9", "--json", folder).returncode == 1, "JSON that cannot be written")

# The plot, where there is gnuplot.
if shutil.which("gnuplot"):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "plot.svg")
        done = run(*FAST, "--what", "seal,burst", "--sizes", "64,100,9000", "--plot", path)
        with open(path, encoding="utf-8") as f:
            svg = f.read()
        expect(done.returncode == 0 and "burst of 32" in svg and svg.rstrip().endswith("</svg>"),
               f"a plot: {done.stderr}")

# Errors in options: status 64 and the option's name.
for option, value in [("--what", "dance"), ("--sizes", "0"), ("--sizes", "9-"), ("--level", "mmx"),
                      ("--burst", "0"), ("--rounds", "-1"), ("--mix", "jam"), ("--openssl-level", "mmx"),
                      ("--core", "x"), ("--keys", ""), ("--slot", "1e3")]:
    done = run(option, value)
    expect(done.returncode == 64 and option in done.stderr and not done.stdout, f"{option} {value}")
for args, status in [(["--dance"], 64), (["--sizes"], 64), (["extra"], 64), (["--kernel", "dance"], 1),
                     (["--peers", "dance"], 1), (["--slot", "100"], 1), (["--help"], 0), (["--list"], 0)]:
    expect(run(*args).returncode == status, f"{args} gives {status}")

sys.exit(failures != 0)
