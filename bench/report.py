#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Merge the outputs of the benchmark programs into one JSON file and print one table with the targets.

Usage: report.py FOLDER RESULTS.json [--strict]
       report.py RESULTS.json [--strict]          print the table again

FOLDER holds benchmarks.json (Google Benchmark), throws.jsonl and engines.jsonl (bench/run.sh). Of repetitions the
median counts. `--strict` exits 1 if a target is missed.
"""
import json
import os
import sys

TO_NS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}

# Benchmark -> upper limit [ns]; an argument of the benchmark is part of its name.
TIMES = {f"distance/{kind}/rigor/vertices:{n}": limit
         for kind, limits in (("coherent", (70, 70, 70, 70)), ("cold", (280, 420, 870, 4000)))
         for n, limit in zip((8, 20, 100, 1000), limits)}

# The viewer, without drawing: a frame of 100 bodies, any time of 1e6 pieces, opening them, 10,000 branches.
TIMES |= {"ViewerDrawList/overlays:1": 2e6, "ViewerScrub": 10e6, "ViewerOpen": 1e9, "ViewerPanels": 5e6}

# Shape -> (steps per manifold change, steps per simulated second, us per step); None: no target.
THROWS = {"cube": (4, 120, 15), "polytope20": (4, 120, 15), "pair": (5, None, 60)}
FILTER_SHARE = 0.15  # Of the simulation's time.
VERIFY_RATIO = 2     # Verifying over simulating.


def readable(ns: float) -> str:
    for unit in ("s", "ms", "us"):
        if ns >= TO_NS[unit]:
            return f"{ns / TO_NS[unit]:.3g} {unit}"
    return f"{ns:.0f} ns" if ns >= 100 else f"{ns:.1f} ns"


def lines(path: str) -> list:
    with open(path) as file:
        return [json.loads(line) for line in file if line.strip()]


def merged(folder: str) -> dict:
    with open(os.path.join(folder, "benchmarks.json")) as file:
        results = json.load(file)
    results["throws"] = lines(os.path.join(folder, "throws.jsonl"))
    results["engines"] = lines(os.path.join(folder, "engines.jsonl"))
    return results


def benchmark_rows(results: dict) -> list:
    """Median (or only) CPU time of every benchmark. Rows are (what, target, measured, met or None)."""
    runs = {}
    for run in results["benchmarks"]:
        if run.get("error_occurred"):
            runs[run["run_name"]] = None
        elif run.get("run_type") == "aggregate":
            if run.get("aggregate_name") == "median":
                runs[run["run_name"]] = run
        else:
            runs.setdefault(run["run_name"], run)
    rows = []
    for name, run in runs.items():
        limit = TIMES.get(name)
        if run is None:
            rows.append((name, "", "error", False))
            continue
        ns = run["cpu_time"] * TO_NS[run["time_unit"]]
        rows.append((name, f"<= {readable(limit)}" if limit else "", readable(ns), ns <= limit if limit else None))
    rows += [(name, f"<= {readable(limit)}", "not run", None) for name, limit in TIMES.items() if name not in runs]
    return rows


def throw_rows(run: dict) -> list:
    what = f"throws/{run['shape']}/friction:{run['friction']:g}/"
    count = run["throws"]
    rows = []

    def row(name, limit, value, text, at_least=False):
        met = None if limit is None else value >= limit if at_least else value <= limit
        sign = ">=" if at_least else "<="
        rows.append((what + name, "" if limit is None else f"{sign} {limit:g}", text, met))

    per_change, per_second, us = THROWS[run["shape"]]
    at_rest = count - run["failed"] - run["awake"] - run["off_face"]
    row("at rest", count, at_rest, f"{at_rest} of {count}", at_least=True)
    if "verified" in run:
        row("verified", count, run["verified"], f"{run['verified']} of {count}", at_least=True)
    row("steps per change", per_change, run["steps_per_change"],
        f"{run['steps_per_change']:.2f} (p99 {run['steps_per_change_p99']:.1f})")
    row("steps per change, a bounce as one", None, 0, f"{run['steps_per_change_bounce_once']:.2f}")
    row("steps per impact", None, 0, f"{run['steps_per_impact']:.2f}")
    row("steps per second", per_second, run["steps_per_second"], f"{run['steps_per_second']:.0f}")
    row("false lift-offs", None, 0, f"{run['false_liftoffs']}")
    row("us per step", us, run["us_per_step"], f"{run['us_per_step']:.1f}")
    if "filter_share" in run:
        row("certificate share", FILTER_SHARE, run["filter_share"],
            f"{100 * run['filter_share']:.1f} % ({100 * run['certificate_share']:.1f} % with its axes)")
    else:
        rows.append((what + "certificate share", f"<= {FILTER_SHARE:g}", "not measured", False))
    if "verified" in run:
        row("verify / simulate", VERIFY_RATIO, run["verify_ratio"], f"{run['verify_ratio']:.2f}")
        row("record / simulate", None, 0, f"{run['record_ratio']:.2f}")
    return rows


def engine_rows(run: dict) -> list:
    what = f"scenes/{run['scene']}/{run['engine']}"
    if run["h"]:
        what += f"/{1000 * run['h']:.3g} ms"
    cost = readable(1e9 * run["cpu_per_second"]) + " a second"
    if run["engine"] == "rigor":
        cost += f" up to {run['reached']:.3g} s" + (", where it failed" if run["failed"] else "")
        return [(what, "", f"{cost}; gap >= {run['min_gap']:.2g} m", False if run["failed"] else None)]
    return [(what, "", f"{cost}; penetration {1000 * run['penetration']:.3g} mm", None)]


def main(arguments: list) -> int:
    strict = "--strict" in arguments
    paths = [a for a in arguments if not a.startswith("--")]
    if len(paths) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    if len(paths) == 2:
        results = merged(paths[0])
        with open(paths[1], "w") as file:
            json.dump(results, file, indent=1)
    else:
        with open(paths[0]) as file:
            results = json.load(file)
    context = results["context"]
    print(f"{context['date']}  {context['num_cpus']} x {context['mhz_per_cpu']} MHz, "
          f"load {', '.join(f'{load:.2f}' for load in context.get('load_avg', []))}")
    rows = benchmark_rows(results)
    for run in results.get("throws", []):
        rows += throw_rows(run)
    for run in results.get("engines", []):
        rows += engine_rows(run)
    table = [("benchmark", "target", "measured", "")]
    table += [(*row[:3], {None: "", True: "pass", False: "FAIL"}[row[3]]) for row in rows]
    widths = [max(len(row[i]) for row in table) for i in range(3)]
    for row in table:
        print(f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:<{widths[2]}}  {row[3]}".rstrip())
    missed = sum(row[3] is False for row in rows)
    print(f"{missed} target(s) missed" if missed else "all targets met")
    return 1 if strict and missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
