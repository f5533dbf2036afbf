#!/usr/bin/env python3
"""Writes the tables and plots of docs/measurements.md: measures all that targets/*.txt name, hot and cold, with one or more
builds of sealane-bench, and puts each file's tables between its two marks in the document. Takes some minutes; leave
the machine alone meanwhile.

usage: measurements.py [--only chacha20|seal|burst|plot] [--rounds N] [--patience SECONDS] DOCUMENT PROGRAM...
"""

import argparse
import datetime
import json
import os
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BEGIN, END = "<!-- {}: begin -->\n", "<!-- {}: end -->"
FILES = ["chacha20", "seal", "burst"]
PEERS = ["ipsec-mb", "openssl", "boringssl", "libsodium", "libgcrypt"]
PLOT_SIZES = "64-256/64,384-1408/128,1420,1536-4096/512,4608-8192/1024,8920"


class Section:
    """One setup line of a target file and its rows: (size, peers, ratio)."""

    def __init__(self, setup):
        self.args = shlex.split(setup)[1:]
        self.rows = []

    def value(self, option):
        return self.args[self.args.index(option) + 1] if option in self.args else None

    def sizes(self):
        return list(dict.fromkeys(size for size, _, _ in self.rows))

    def is_table(self):
        return len(self.sizes()) >= 3 and "single" not in (self.value("--peers") or "")

    def takes_all_peers(self):
        """Tables of the highest level show every peer; those of lower levels keep the ones of their setup."""
        return self.is_table() and self.value("--level") == "avx512"

    def title(self):
        what = self.value("--what")
        level = self.value("--level")
        words = [what if "burst" not in what else f"{what} of {self.value('--burst')}", level]
        for option, word in [("--slot", "slots of {}"), ("--mix", "{}"), ("--keys", "{} keys")]:
            if self.value(option):
                words.append(word.format(self.value(option)))
        return ", ".join(words)


def read_targets(name):
    sections = []
    with open(os.path.join(HERE, "targets", name + ".txt"), encoding="utf-8") as f:
        for line in f:
            words = line.split()
            if line.startswith("setup "):
                sections.append(Section(line))
            elif words and words[0] != "#" and not line.startswith("#"):
                sections[-1].rows.append((words[0], words[1].split("+"), float(words[2])))
    return sections


class Bench:
    def __init__(self, program, rounds, patience):
        self.program, self.rounds, self.patience = program, rounds, patience
        self.about = None

    def run(self, args):
        command = [self.program, "--patience", self.patience, *args]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"{shlex.join(command)}: {done.stderr}")
        return done.stdout

    def measure(self, section, cold):
        """{size: {contender: result}}"""
        args = list(section.args)
        if section.takes_all_peers() and "--peers" in args:
            at = args.index("--peers")
            del args[at:at + 2]
        sizes = [s for s in section.sizes() if s != "imix"]
        if sizes:
            args += ["--sizes", ",".join(sizes)]
        if cold:
            args.append("--cold")
        out = json.loads(self.run(["--rounds", str(self.rounds), *args, "--json", "-"]))
        self.about = out
        table = {}
        for r in out["results"]:
            size = "imix" if r["mix"] else str(int(r["size"]))
            table.setdefault(size, {})[r["contender"]] = r
        return table


def ours(row):
    return next(r for r in row.values() if r["ours"])


def best(row, peers):
    """The fastest of the peers that are there."""
    there = [row[p] for p in peers if p in row]
    return min(there, key=lambda r: r["ratio"]) if there else None


def cell(row, peers, target):
    peer = best(row, peers)
    own = ours(row)
    cycles = f"{own['cycles']:.0f} ({own['q1']:.0f}..{own['q3']:.0f})"
    if peer is None:
        return cycles
    mark = "**{:.2f}**" if peer["ratio"] >= target else "{:.2f} (missed)"
    noisy = "~" if own["noisy_rounds"] * 10 > own["rounds"] else ""
    return f"{noisy}{cycles}, {mark.format(peer['ratio'])}"


def lines_of_table(header, rows):
    return ["| " + " | ".join(header) + " |", "|" + "---|" * len(header),
            *["| " + " | ".join(row) + " |" for row in rows], ""]


def compiler(bench):
    words = bench.about["compiler"].split()
    return " ".join(words[:2])


def section_table(section, runs):
    """runs: [(bench, cold, table)]"""
    header = ["bytes", "against", "target", *[f"{compiler(b)}{', cold' if cold else ''}" for b, cold, _ in runs]]
    rows = []
    for size, peers, target in section.rows:
        rows.append([size, " ".join(peers) if len(peers) < 3 else "the best", f"{target:g}",
                     *[cell(table[size], peers, target) for _, _, table in runs]])
    return [f"**{section.title()}**", "", *lines_of_table(header, rows)]


def peers_table(section, bench, table):
    """All peers, one build, hot."""
    names = [p for p in PEERS if any(p in row for row in table.values())]
    rows = [[size, f"{ours(row)['cycles_per_byte']:.3f}", f"{ours(row)['gb_per_s']:.2f}",
             *[f"{row[p]['cycles']:.0f}, {row[p]['ratio']:.2f}" if p in row else "" for p in names]]
            for size, row in table.items()]
    return [f"{section.title()}: every peer's cycles a packet, and its ratio ({compiler(bench)})", "",
            *lines_of_table(["bytes", "ours, c/B", "GB/s", *names], rows)]


def teeth_row(section, runs):
    cells = []
    for _, _, table in runs:
        size, row = min(list(table.items())[1:], key=lambda item: ours(item[1])["ratio"])
        worst = ours(row)["ratio"]
        cells.append(f"{worst:.3f} at {size}" + ("" if worst >= section.rows[0][2] else " (missed)"))
    return [section.title(), section.rows[0][0], "the length before", f"{section.rows[0][2]:g}", *cells]


def tables_of_file(name, benches):
    out = []
    variants, header = [], []
    for section in read_targets(name):
        print(f"{name}: {section.title()}", file=sys.stderr)
        teeth = section.rows[0][1] == ["teeth"]
        runs = [(b, cold, b.measure(section, cold)) for cold in ([False] if teeth else [False, True]) for b in benches]
        if section.takes_all_peers():
            out += section_table(section, runs) + peers_table(section, benches[0], runs[0][2])
        elif section.is_table():
            out += section_table(section, runs)
        elif teeth:
            variants.append(teeth_row(section, runs) + [""] * len(benches))
        else:
            header = [f"{compiler(b)}{', cold' if cold else ''}" for b, cold, _ in runs]
            variants += [[section.title(), size, " ".join(peers), f"{target:g}",
                          *[cell(table[size], peers, target) for _, _, table in runs]]
                         for size, peers, target in section.rows]
    if variants:
        header = header or [f"{compiler(b)}{', cold' if cold else ''}" for cold in [False, True] for b in benches]
        out += ["**More**", "", *lines_of_table(["what", "bytes", "against", "target", *header], variants)]
    return out


def put(document, name, lines):
    with open(document, encoding="utf-8") as f:
        text = f.read()
    begin, end = BEGIN.format(name), END.format(name)
    before, rest = text.split(begin)
    with open(document, "w", encoding="utf-8") as f:
        f.write(before + begin + "\n".join(lines).rstrip() + "\n" + end + rest.split(end)[1])


def about(benches):
    one = benches[0].about
    compilers = " and ".join(b.about["compiler"] for b in benches)
    return [f"{one['cpu']}, {datetime.date.today():%d %B %Y}, {compilers}; the core ran at {one['mhz']} MHz.", ""]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=[*FILES, "plot"])
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--patience", default="10", help="seconds to wait for quiet neighbours, for each length")
    parser.add_argument("document")
    parser.add_argument("program", nargs="+")
    args = parser.parse_args()
    benches = [Bench(p, args.rounds, args.patience) for p in args.program]
    for name in FILES:
        if args.only in (None, name):
            tables = tables_of_file(name, benches)
            put(args.document, name, about(benches) + tables)
    if args.only in (None, "plot"):
        folder = os.path.dirname(os.path.abspath(args.document))
        plots = ",".join(os.path.join(folder, f"cycles-per-packet.{ending}") for ending in ["svg", "png"])
        benches[0].run(["--what", "seal,burst", "--sizes", PLOT_SIZES, "--rounds", str(args.rounds), "--plot", plots])


if __name__ == "__main__":
    main()
