#!/usr/bin/env python3
"""Test of scripts/mtu_report.py: medians and gains of made-up samples, tables of 80 columns, plots. Run by ctest."""
import contextlib
import io
import json
import os
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "scripts"))
import mtu_report  # noqa: E402


def samples(**gbits):
    """One result with a round for each number."""
    result = {"cpu": "Imaginary CPU with a name that is far longer than any line of a terminal is wide @ 4 GHz",
              "cores": 2, "date": "2026-01-02", "compiler": "cc 1.0", "seconds": 1,
              "versions": {"kernel": "6.1", "wireguard-go": "v0.0.1"}, "taken_again": 2, "tcp": [], "udp": [], "ping": []}
    for who, rounds in gbits.items():
        who = who.replace("_", " ").replace("wireguard go", "wireguard-go")
        for number, value in enumerate(rounds):
            for mtu in 1500, 9000:
                result["tcp"].append({"who": who, "mtu": mtu, "round": number, "gbits": value * mtu / 1500,
                                      "retransmits": 0, "cpu_s_per_gb": None if who == "veth" else 2.5 / value,
                                      "disturbed_percent": 4 + number})
            if who in mtu_report.COMPARED:
                result["udp"].append({"who": who, "round": number, "lost_percent": 12.5, "sent_gbits": 1})
                result["ping"].append({"who": who, "round": number, "rtt_ms": [0.2, 0.4, 0.3]})
    return result


FULL = {"veth": [200, 150, 180], "wireguard_go": [0.4, 0.5, 0.45], "openvpn": [0.3, 0.3, 0.3],
        "portable_one_by_one": [1, 2, 1.5], "portable": [1.1, 2.2, 1.6], "avx2_one_by_one": [2, 3, 2.5],
        "avx2": [3, 3, 3], "avx512vl_one_by_one": [3, 3, 3], "avx512vl": [4, 4, 4],
        "avx512_one_by_one": [3, 3, 4], "avx512": [5, 4, 6], "avx512_no-tun-offload": [1, 1, 1]}


class Report(unittest.TestCase):
    def test_medians_and_ratios_within_rounds(self):
        result = samples(**FULL)
        mtu_report.summarize(result)
        self.assertEqual(result["median"]["1500"]["avx512"]["gbits"], {"median": 5, "least": 4, "most": 6})
        self.assertEqual(result["median"]["9000"]["avx512"]["gbits"]["median"], 30)
        self.assertIsNone(result["median"]["1500"]["veth"]["cpu_s_per_gb"])
        gain = result["gain"]["1500"]["portable one by one to avx512 bursts"]
        self.assertEqual(gain, {"median": 4, "least": 2, "most": 5, "cpu": 4})  # 5/1, 4/2, 6/1.5
        self.assertIsNone(result["gain"]["1500"]["avx512 bursts to the bare veth pair"]["cpu"])
        self.assertEqual(set(result["gain"]["1500"]), {step for step, _, _ in mtu_report.STEPS})

    def test_what_was_not_measured_is_left_out(self):
        result = samples(avx512=[5], veth=[20])
        mtu_report.summarize(result)
        self.assertEqual(list(result["gain"]["1500"]), ["avx512 bursts to the bare veth pair"])

    def test_lines_fit_80_columns(self):
        result = samples(**FULL)
        mtu_report.summarize(result)
        lines = mtu_report.text_of(result).splitlines()
        self.assertIn("others had more than 5 % of the machine: 2 samples taken again, 24 of 72 kept so", lines)
        self.assertLessEqual(max(map(len, lines)), 80)
        for who in {sample["who"] for sample in result["tcp"]}:
            self.assertEqual(sum(line.startswith(who + "  ") for line in lines), 2 + (who in mtu_report.COMPARED), who)

    def test_table_goes_between_the_marks(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "doc.md")
            for text in "no mark", "<!-- table: begin -->\nno end":
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
                with self.assertRaises(ValueError):
                    mtu_report.write_into(path, "x")
            with open(path, "w", encoding="utf-8") as f:
                f.write("above\n<!-- table: begin -->\nold\n<!-- table: end -->\nbelow\n")
            for text in "first", "second":
                mtu_report.write_into(path, text)
            with open(path, encoding="utf-8") as f:
                self.assertEqual(f.read(), "above\n<!-- table: begin -->\n\n```\nsecond\n```\n\n<!-- table: end -->\nbelow\n")

    def test_results_add_up(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number in 1, 2:
                paths.append(os.path.join(folder, str(number)))
                with open(paths[-1], "w", encoding="utf-8") as f:
                    json.dump(samples(avx512=[number, number]), f)
            result = mtu_report.join(paths)
            self.assertEqual([s["round"] for s in result["tcp"]], [0, 0, 1, 1, 2, 2, 3, 3])
            mtu_report.summarize(result)
            self.assertEqual(result["median"]["1500"]["avx512"]["gbits"]["median"], 1.5)
            self.assertEqual(result["taken_again"], 4)
            with open(paths[1], "w", encoding="utf-8") as f:
                json.dump(dict(samples(avx512=[1]), cpu="another"), f)
            with self.assertRaises(ValueError):
                mtu_report.join(paths)

    @unittest.skipIf(shutil.which("gnuplot") is None, "there is no gnuplot")
    def test_plots(self):
        for measured in FULL, {"avx512": [5], "wireguard_go": [1]}, {"portable_one_by_one": [1]}:
            result = samples(**measured)
            mtu_report.summarize(result)
            with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
                name = os.path.join(folder, "plot")
                mtu_report.plot(result, name)
                with open(name + ".png", "rb") as f:
                    self.assertEqual(f.read(8), b"\x89PNG\r\n\x1a\n")
                with open(name + ".svg", encoding="utf-8") as f:
                    self.assertTrue(f.read().rstrip().endswith("</svg>"))


if __name__ == "__main__":
    unittest.main()
