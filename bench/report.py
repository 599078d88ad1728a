#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn Google Benchmark's JSON into a table: benchmark, target, measured, pass or fail.

Usage: report.py RESULTS.json [--strict]. With repetitions the median counts. `--strict` exits 1 if a target is missed.
Where the same query was run in another engine, its time stands beside ours.
"""
import json
import sys

# Name -> upper limit, in the unit given; an argument of the benchmark is part of its name.
TARGETS = {
    "distance/coherent/rigor/vertices:8": (70, "ns"),
    "distance/coherent/rigor/vertices:20": (70, "ns"),
    "distance/coherent/rigor/vertices:100": (70, "ns"),
    "distance/coherent/rigor/vertices:1000": (70, "ns"),
    "distance/cold/rigor/vertices:8": (280, "ns"),
    "distance/cold/rigor/vertices:20": (420, "ns"),
    "distance/cold/rigor/vertices:100": (870, "ns"),
    "distance/cold/rigor/vertices:1000": (4000, "ns"),
}
TO_NS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def readable(ns: float) -> str:
    for unit in ("s", "ms", "us"):
        if ns >= TO_NS[unit]:
            return f"{ns / TO_NS[unit]:.3g} {unit}"
    return f"{ns:.0f} ns" if ns >= 100 else f"{ns:.1f} ns"


def measured(results: dict) -> dict:
    """Median (or only) CPU time of every benchmark, and its counters."""
    times = {}
    for run in results["benchmarks"]:
        if run.get("error_occurred"):
            times[run["run_name"]] = None
        elif run.get("run_type") == "aggregate":
            if run.get("aggregate_name") == "median":
                times[run["run_name"]] = run
        else:
            times.setdefault(run["run_name"], run)
    return times


def main(arguments: list) -> int:
    strict = "--strict" in arguments
    paths = [a for a in arguments if not a.startswith("--")]
    if len(paths) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    with open(paths[0]) as file:
        results = json.load(file)
    context = results["context"]
    print(f"{context['date']}  {context['num_cpus']} x {context['mhz_per_cpu']} MHz, "
          f"load {', '.join(f'{load:.2f}' for load in context.get('load_avg', []))}")
    runs = measured(results)
    rows, missed = [], 0
    for name, run in runs.items():
        if run is None:
            rows.append((name, "", "error", "FAIL"))
            missed += 1
            continue
        ns = run["cpu_time"] * TO_NS[run["time_unit"]]
        target, verdict = "", ""
        if name in TARGETS:
            limit, unit = TARGETS[name]
            good = ns <= limit * TO_NS[unit]
            target, verdict = f"<= {limit} {unit}", "pass" if good else "FAIL"
            missed += not good
        rows.append((name, target, readable(ns), verdict))
    for name in TARGETS:
        if name not in runs:
            rows.append((name, f"<= {TARGETS[name][0]} {TARGETS[name][1]}", "not run", ""))
    header = ("benchmark", "target", "measured", "")
    widths = [max(len(row[i]) for row in rows + [header]) for i in range(4)]
    for row in [header] + rows:
        print(f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]}".rstrip())
    print(f"{missed} target(s) missed" if missed else "all targets met")
    return 1 if strict and missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
