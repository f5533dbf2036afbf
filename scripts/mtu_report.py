"""What mtu_demo.py measured: medians, gains, tables of 80 columns, plots by gnuplot."""
import contextlib
import io
import json
import shutil
import statistics
import subprocess
import textwrap

ONE_BY_ONE = " one by one"
BEST = "avx512"
CALM = 5  # percent of the machine that the hypervisor and others may have had during a sample
COMPARED = "veth", "wireguard-go", BEST  # idle round trip and UDP loss

# The name of a step, and the two names whose throughput is compared.
STEPS = [
    ("bursts, portable", "portable", "portable" + ONE_BY_ONE),
    ("bursts, avx2", "avx2", "avx2" + ONE_BY_ONE),
    ("bursts, avx512vl", "avx512vl", "avx512vl" + ONE_BY_ONE),
    ("bursts, avx512", "avx512", "avx512" + ONE_BY_ONE),
    ("portable to avx2, bursts", "avx2", "portable"),
    ("avx2 to avx512vl, bursts", "avx512vl", "avx2"),
    ("avx512vl to avx512, bursts", "avx512", "avx512vl"),
    ("avx2 one by one to avx512 bursts", "avx512", "avx2" + ONE_BY_ONE),
    ("portable one by one to avx512 bursts", "avx512", "portable" + ONE_BY_ONE),
    ("avx512 bursts to OpenVPN", "avx512", "openvpn"),
    ("avx512 bursts to wireguard-go", "avx512", "wireguard-go"),
    ("avx512 bursts to the bare veth pair", "avx512", "veth"),
]


def own_name(level, burst, *without):
    """The name of a row, at most 26 characters."""
    lacks = "".join(option.removeprefix("--") for option in without[:1]) if len(without) < 2 else "no offload"
    return " ".join([level, *([] if burst else [ONE_BY_ONE.strip()]), *([lacks] if lacks else [])])


def spread(values):
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def join(paths):
    """One result of several earlier ones: their rounds follow each other. The machine has to be the same."""
    result = None
    for path in paths:
        with open(path, encoding="utf-8") as f:
            more = json.load(f)
        if result is None:
            result = more
            continue
        if (more["cpu"], more["versions"]) != (result["cpu"], result["versions"]):
            raise ValueError(f"{path}: another CPU, or other versions")
        result["taken_again"] = result.get("taken_again", 0) + more.get("taken_again", 0)
        after = 1 + max(sample["round"] for sample in result["tcp"])
        for kind in "tcp", "udp", "ping":
            result[kind] += [dict(sample, round=sample["round"] + after) for sample in more[kind]]
    return result


def by_name(samples, value):
    """Values of each contender, by round."""
    found = {}
    for sample in samples:
        if sample[value] is not None:
            found.setdefault(sample["who"], {})[sample["round"]] = sample[value]
    return found


def ratios_of(values, of, to):
    """Ratios within each round."""
    return [values[of][n] / values[to][n] for n in values.get(of, {}) if values.get(to, {}).get(n)]


def summarize(result):
    """Adds medians, spread and the gain of each step (ratios within a round) to the result: of throughput, and of the
    CPU seconds that a gigabyte no longer takes."""
    result["median"], result["gain"] = {}, {}
    for mtu in sorted({sample["mtu"] for sample in result["tcp"]}):
        samples = [sample for sample in result["tcp"] if sample["mtu"] == mtu]
        gbits, cpu = by_name(samples, "gbits"), by_name(samples, "cpu_s_per_gb")
        result["median"][str(mtu)] = {
            who: {"gbits": spread(rounds.values()),
                  "cpu_s_per_gb": spread(cpu[who].values()) if who in cpu else None}
            for who, rounds in gbits.items()}
        result["gain"][str(mtu)] = {
            step: {**spread(ratios), "cpu": statistics.median(saved) if (saved := ratios_of(cpu, base, to)) else None}
            for step, to, base in STEPS if (ratios := ratios_of(gbits, to, base))}


def show_table(result, mtu):
    rows = result["median"][mtu]
    veth = rows.get("veth", {}).get("gbits", {}).get("median")
    print(f"\nMTU {mtu:<22} Gbit/s   least ..  most   CPU s/GB   of veth")
    for who, row in rows.items():
        g, cpu = row["gbits"], row["cpu_s_per_gb"]
        print(f"{who:<26} {g['median']:6.2f}  {g['least']:6.2f} .. {g['most']:5.2f}   "
              f"{format(cpu['median'], '8.2f') if cpu else '       -'}"
              f"{format(100 * g['median'] / veth, '8.0f') + ' %' if veth else ''}")
    print(f"\nMTU {mtu}: gain, times{'':14} median   least ..  most   CPU s/GB")
    for step, gain in result["gain"][mtu].items():
        print(f"{step:<36}  {gain['median']:6.2f}  {gain['least']:6.2f} .. {gain['most']:5.2f}"
              f"{format(gain['cpu'], '11.2f') if gain['cpu'] else ''}".rstrip())


def write_into(path, text):
    """Replaces what stands between the marks of a Markdown file."""
    begin, end = "<!-- table: begin -->\n", "<!-- table: end -->"
    with open(path, encoding="utf-8") as f:
        before, found, rest = f.read().partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{path}: the marks of the table are missing")
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"{before}{begin}\n```\n{text.strip()}\n```\n\n{end}{after}")


def text_of(result):
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        show(result)
    return shown.getvalue()


def show_calm(result):
    if "taken_again" not in result:
        return
    restless = sum(sample["disturbed_percent"] > CALM for sample in result["tcp"])
    print(f"others had more than {CALM} % of the machine: {result['taken_again']} samples taken again, "
          f"{restless} of {len(result['tcp'])} kept so")


def show(result):
    versions = textwrap.fill(", ".join(f"{name} {version.removeprefix(name).strip()}" for name, version in result["versions"].items()),
                             80)
    rounds = len({sample["round"] for sample in result["tcp"]})
    print(f"\n{result['cpu'][:50]}, {result['cores']} cores, {result['date']}\n{result['compiler'][:78]}\n{versions}"
          f"\niperf3, one TCP stream, cubic, {rounds} rounds of {result['seconds']} s"
          "\nCPU: user and system seconds of both ends' processes")
    show_calm(result)
    for mtu in result["median"]:
        show_table(result, mtu)
    lost, rtt = by_name(result["udp"], "lost_percent"), by_name(result["ping"], "rtt_ms")
    if lost:
        print("\nMTU 1500                    UDP lost, 1300 bytes   idle ping\n"
              "                              at 1 Gbit/s, median      median")
    for who, rounds in lost.items():
        pings = [ms for values in rtt[who].values() for ms in values]
        print(f"{who:<26} {statistics.median(rounds.values()):16.3f} %   {statistics.median(pings):9.3f} ms")


PLOT = r"""
set output '{name}.{kind}'
set terminal {terminal}
set multiplot layout 1,2 title "{title}" font ",13"
set style fill solid 0.9 border -1
set grid ytics lc rgb '#cccccc'
set xrange [-0.6:{last}.6]
set yrange [0:{top}]
set xtics rotate by -35 nomirror scale 0 ({names})
set ytics nomirror
set border 3
set key top left reverse Left
set ylabel 'Gbit/s'
set bmargin 6
{panels}
unset multiplot
"""

OTHERS = "wireguard-go", "openvpn"
LEVELS = "portable", "avx2", "avx512vl", "avx512"


def median_of(result, mtu, who):
    row = result["median"][mtu].get(who)
    return row["gbits"]["median"] if row else None


# The bars: what stands on them, whose they are, and where they stand beside the tick: offset, width, colour.
BARS = [
    ("other tunnels", OTHERS, "", "0", "0.5", "#b0b0b0"),
    ("packets one by one", LEVELS, ONE_BY_ONE, "-0.2", "0.4", "#9db4c8"),
    ("bursts", LEVELS, "", "0.2", "0.4", "#1f5a8c"),
]


def panel(result, mtu, names):
    """gnuplot's commands for one MTU. A kind of bar that nobody has is left out: gnuplot 5.4 dies of it."""
    data, plots = "", []
    for number, (title, whose, suffix, offset, width, colour) in enumerate(BARS):
        rows = [(names.index(who), median_of(result, mtu, who + suffix)) for who in names if who in whose]
        rows = [f"{x} {y}\n" for x, y in rows if y is not None]
        if not rows:
            continue
        data += f"$bar{number} << EOD\n{''.join(rows)}EOD\n"
        plots.append(f"$bar{number} using ($1+{offset}):2:({width}) with boxes lc rgb '{colour}' title '{title}'")
        plots.append(f"$bar{number} using ($1+{offset}):2:(sprintf('%.1f', $2)) with labels offset 0,0.6 font ',9' notitle")
    veth = median_of(result, mtu, "veth")
    title = f"link MTU {mtu}" + (f" (bare veth pair: {veth:.1f})" if veth else "")
    return f"{data}set title '{title}'\nplot {', '.join(plots)}\n"


def plot(result, name):
    if shutil.which("gnuplot") is None:
        print("no plot: there is no gnuplot")
        return
    tunnels = {who: row["gbits"]["median"] for rows in result["median"].values() for who, row in rows.items()
               if who != "veth"}
    names = [who for who in OTHERS + LEVELS if who in tunnels or who + ONE_BY_ONE in tunnels]
    if not names:
        print("no plot: no tunnel was measured")
        return
    top = 1.25 * max(median_of(result, mtu, who) or 0 for mtu in result["median"] for who in tunnels)
    panels = "".join(panel(result, mtu, names) for mtu in result["median"])
    title = f"One TCP stream through the tunnel, {result['cpu'].split('@')[0].strip()}, {result['date']}"
    for kind, terminal in (("svg", "svg size 1000,420 font 'Helvetica,11' background '#ffffff'"),
                           ("png", "pngcairo size 1000,420 font 'DejaVu Sans,10'")):
        script = PLOT.format(name=name, kind=kind, terminal=terminal, title=title, panels=panels,
                             last=len(names) - 1, top=top,
                             names=", ".join(f'"{who}" {x}' for x, who in enumerate(names)))
        done = subprocess.run(["gnuplot"], input=script, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise ValueError(f"gnuplot: {done.stderr.strip()}")
    print(f"plots: {name}.svg {name}.png")
