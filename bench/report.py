#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Merge the outputs of the benchmark programs into one JSON file, and print one table with the targets.

Usage: report.py FOLDER RESULTS.json [--strict] [--page PAGE.md]
       report.py RESULTS.json [--strict] [--page PAGE.md]          print the table again

FOLDER holds benchmarks.json (Google Benchmark), throws.jsonl, robots.jsonl, terrain.jsonl and engines.jsonl
(bench/run.sh). Of repetitions the median counts. `--strict` exits 1 if a target is missed. `--page` writes the table as
a page of the documentation.
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


# Scene -> closest approach [m] of an accurate integrator, upper limit of the processor time [s].
CHAINS = {"chain-20": (.8172, None), "chain-100": (.8532, 3)}
# Scene -> gait period [s], commanded speed [m/s], range of the base's height [m].
GAITS = {"quadruped-trot": (.5, .1, (.136, .204)), "quadruped-trot-fast": (.3, .1, (.136, .204)),
         "quadruped-stairs": (.5, .1, (.136, .224))}


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
    results["robots"] = lines(os.path.join(folder, "robots.jsonl"))
    results["terrain"] = lines(os.path.join(folder, "terrain.jsonl"))
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
            f"{100 * run['filter_share']:.1f} %")
    else:
        rows.append((what + "certificate share", f"<= {FILTER_SHARE:g}", "not measured", False))
    if "verified" in run:
        row("verify / simulate", VERIFY_RATIO, run["verify_ratio"], f"{run['verify_ratio']:.2f}")
        row("record / simulate", None, 0, f"{run['record_ratio']:.2f}")
    return rows


def robot_rows(run: dict) -> list:
    what = f"robots/{run['scene']}/"
    rows = []

    def row(name, target, text, met=None):
        rows.append((what + name, target, text, met))

    if run["failed"]:
        row("run", "to its end", f"failed at {run['time']:.3g} s", False)
    row("steps", "<= 700" if run["scene"] in CHAINS else "",
        f"{run['steps']} for {run['time']:g} s, {run['pieces']} pieces",
        run["steps"] <= 700 if run["scene"] in CHAINS else None)
    if run["scene"] in CHAINS:
        closest, limit = CHAINS[run["scene"]]
        row("closest approach", f"{closest} m within .5 %", f"{run['min_gap']:.4f} m",
            abs(run["min_gap"] / closest - 1) <= .005)
        row("energy drift", "<= 1e-4", f"{run['energy_drift']:.1e}", run["energy_drift"] <= 1e-4)
        row("time", f"<= {limit} s" if limit else "", f"{run['cpu']:.2f} s", run["cpu"] <= limit if limit else None)
        return rows
    if run["scene"] not in GAITS:
        row("time", "", f"{run['cpu']:.2f} s")
        return rows
    period, speed, (low, high) = GAITS[run["scene"]]
    per_change, per_cycle = run["steps"] / max(1, run["changes"]), run["cpu"] * period / run["time"]
    row("speed", f"{speed} m/s within 20 %", f"{run['speed']:.3f} m/s", abs(run["speed"] / speed - 1) <= .2)
    row("height of the base", f"{low} to {high} m", f"{run['lowest']:.3f} to {run['highest']:.3f} m",
        run["lowest"] >= low and run["highest"] <= high)
    row("steps per change", "<= 20", f"{per_change:.1f}", per_change <= 20)
    row("false lift-offs", "", str(run["false_liftoffs"]))
    row("time per gait cycle", "<= 3 s", f"{per_cycle:.2f} s", per_cycle <= 3)
    return rows


def terrain_rows(run: dict) -> list:
    ground = f"cells of {100 * run['cell']:g} cm" if run["cell"] else "plane"
    text = (f"{run['steps']} steps, {run['impacts']} impacts: load {readable(1e9 * run['load'])}, "
            f"run {readable(1e9 * run['run'])}, verify {readable(1e9 * run['verify'])}; {run['bytes'] / 1e6:.1f} MB")
    return [(f"terrain/{run['scene']}/{ground}", "proved", text, not run["failed"])]


def engine_rows(run: dict) -> list:
    what = f"scenes/{run['scene']}/{run['engine']}"
    if run["h"]:
        what += f"/{1000 * run['h']:.3g} ms"
    cost = readable(1e9 * run["cpu_per_second"]) + " a second"
    if run["engine"] == "rigor":
        cost += f" up to {run['reached']:.3g} s" + (", where it failed" if run["failed"] else "")
        return [(what, "", f"{cost}; gap >= {run['min_gap']:.2g} m", False if run["failed"] else None)]
    return [(what, "", f"{cost}; penetration {1000 * run['penetration']:.3g} mm", None)]


def machine(context: dict) -> str:
    load = ", ".join(f"{load:.2f}" for load in context.get("load_avg", []))
    return f"{context['date'][:10]}, {context['num_cpus']} x {context['mhz_per_cpu']} MHz, load {load}"


def page(context: dict, rows: list) -> str:
    """The table in Markdown: a section for the first word of each name."""
    text = ["# Benchmarks", "",
            "`./rigor.sh bench` measures this and writes this page (`build/release/bench/benchmarks.md`).",
            "Times are processor times. What the figures mean: docs/performance.md.", "",
            f"Measured on {machine(context)}.", ""]
    section = None
    for what, target, measured, met in rows:
        head, _, rest = what.partition("/")
        if head != section:
            section = head
            text += ["", f"## {head}", "", "| benchmark | target | measured | |", "|---|---|---|---|"]
        verdict = {None: "", True: "met", False: "**missed**"}[met]
        text.append(f"| {rest or head} | {target} | {measured} | {verdict} |")
    return "\n".join(text) + "\n"


def main(arguments: list) -> int:
    arguments = list(arguments)
    page_path = None
    if "--page" in arguments:
        at = arguments.index("--page")
        page_path = arguments[at + 1] if at + 1 < len(arguments) else ""
        del arguments[at:at + 2]
    strict = "--strict" in arguments
    paths = [a for a in arguments if not a.startswith("--")]
    if len(paths) not in (1, 2) or page_path == "":
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
    print(machine(context))
    rows = benchmark_rows(results)
    for run in results.get("throws", []):
        rows += throw_rows(run)
    for run in results.get("robots", []):
        rows += robot_rows(run)
    for run in results.get("terrain", []):
        rows += terrain_rows(run)
    for run in results.get("engines", []):
        rows += engine_rows(run)
    if page_path:
        with open(page_path, "w") as file:
            file.write(page(context, rows))
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
