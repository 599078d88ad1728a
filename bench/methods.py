#!/usr/bin/env python3
"""Measure the published methods: the tables of docs/published-methods.md.

Usage: methods.py RIGOR STUDY... (order, toss, die, chain, energy; all without one). Prints Markdown tables.
RIGOR is the built program.
Every figure is of `rigor run --json` or of states that `rigor export` gives; oracles are closed forms, or, for the
tossed cube, the event loop at a hundredth of its default tolerance.
"""
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

FIXED = ["stewart-trinkle", "anitescu-potra", "convex", "runge-kutta", "variational"]
FLOOR = {"name": "floor", "fixed": True, "shape": {"halfspace": {"normal": [0, 0, 1], "offset": 0}}}


CUBE = {"name": "cube", "shape": {"box": {"size": [.1, .1, .1]}}, "mass": 1}


def end_of(entry):
    return "" if entry["status"] == "done" else f" {entry['status']} at {entry['time']:.3g} s: {entry['message']} |"


class Rigor:
    def __init__(self, program):
        self.program = program
        self.folder = tempfile.TemporaryDirectory()

    def run(self, scene, solver):
        """The summary of a run, and the last state of its first moving body."""
        path = pathlib.Path(self.folder.name)
        text = dict(scene, solver=dict(scene.get("solver", {}), **solver))
        (path / "scene.yaml").write_text(json.dumps(text))
        record = str(path / "run.rigor")
        done = subprocess.run([self.program, "run", str(path / "scene.yaml"), "-o", record, "--json", "--force",
                               "--quiet"], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 4):
            raise SystemExit(done.stderr)
        summary = json.loads(done.stdout)
        subprocess.run([self.program, "export", record, "--format", "csv", "-o", str(path / "csv")],
                       check=True, capture_output=True)
        with open(path / "csv" / "states.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        return summary, [float(rows[-1][k]) for k in ("px", "py", "pz", "qw", "qx", "qy", "qz")]

    def bundled(self, name, *options):
        done = subprocess.run([self.program, "compare", name, "--json", *options],
                              capture_output=True, text=True, check=True)
        return json.loads(done.stdout)["entries"]


def slope(steps, errors):
    points = [(math.log(h), math.log(e)) for h, e in zip(steps, errors) if e > 0]
    n, sx, sy = len(points), sum(p[0] for p in points), sum(p[1] for p in points)
    return (n * sum(x * y for x, y in points) - sx * sy) / (n * sum(x * x for x, _ in points) - sx * sx)


def bounces(e, height, count):
    """Time in the middle of the flight after `count` rebounds, and the height of the cube's centre then."""
    g, t, v = 9.81, math.sqrt(2 * height / 9.81), math.sqrt(2 * height * 9.81)
    for k in range(count):
        v *= e
        t += 2 * v / g if k < count - 1 else v / g
    return t, 0.05 + v * v / (2 * g)


def order(rigor):
    until, exact = bounces(0.9, 0.5, 10)
    scene = {"until": until, "contact": {"friction": 0, "restitution": 0.9}, "impact": {"model": "anitescu-potra"},
             "bodies": [FLOOR, dict(CUBE, position=[0, 0, .55], velocity=[.3, 0, 0])]}
    steps = [8e-3, 4e-3, 2e-3, 1e-3, 5e-4]
    print("| method | " + " | ".join(f"{h:g}" for h in steps) + " | slope |")
    print("|---" * (len(steps) + 2) + "|")
    for method in FIXED + ["published"]:
        errors = []
        for h in steps:
            _, end = rigor.run(scene, {"advance": method, "step": h})
            errors.append(math.hypot(end[2] - exact, end[0] - .3 * until))
        print(f"| `{method}` | " + " | ".join(f"{e:.2g}" for e in errors) + f" | {slope(steps, errors):.2f} |")
    summary, end = rigor.run(scene, {})
    error = math.hypot(end[2] - exact, end[0] - .3 * until)
    print(f"| `certified`, {summary['steps']} steps | {error:.2g} |" + " |" * len(steps))


def toss(rigor):
    scene = {"until": .45, "contact": {"friction": .3}, "impact": {"model": "anitescu-potra"},
             "bodies": [FLOOR, dict(CUBE, position=[0, 0, .3], orientation=[.92, .25, .28, .1],
                                    velocity=[1, .5, -.5], angular_velocity=[2, -3, 1])]}
    _, exact = rigor.run(scene, {"velocity_tolerance": 2e-5})
    steps = [.05, .01, 2e-3, 4e-4]
    print("| method | step [s] | error at .45 s [m] | deepest overlap [m] | processor time [s] |")
    print("|---|---|---|---|---|")
    for method in FIXED:
        for h in steps:
            summary, end = rigor.run(scene, {"advance": method, "step": h})
            depth = max(0., -summary["min_gap"])
            error = math.dist(end[:3], exact[:3])
            print(f"| `{method}` | {h:g} | {error:.2g} | {depth:.2g} | {summary['wall_seconds']:.3g} |")
    for name, solver in (("published", {"advance": "published"}), ("certified", {})):
        summary, end = rigor.run(scene, solver)
        error = math.dist(end[:3], exact[:3])
        print(f"| `{name}` | {summary['mean_step']:.2g} on average | {error:.2g} | 0 | "
              f"{summary['wall_seconds']:.3g} |")


def die(rigor):
    print("| scene | method | steps | manifold changes | mean step [s] | steps a change | smallest gap [m] | "
          "processor time [s] |\n|---|---|---|---|---|---|---|---|")
    for scene in ("die-drumwright-no-slip", "die-drumwright", "die-drumwright-0.3", "die-drumwright-0"):
        for e in rigor.bundled(scene, "--only", "published,certified", "--until", "2"):
            changes = e["manifold_changes"]
            print(f"| {scene} | `{e['name']}` | {e['steps']} | {changes} | {e['mean_step']:.2g} | "
                  f"{e['steps'] / max(1, changes):.1f} | {e['min_gap']:.2g} | {e['cpu_seconds']:.3g} |" + end_of(e))


def chain(rigor):
    for e in rigor.bundled("chain-20", "--only", "published,certified"):
        print(f"| chain-20 | `{e['name']}` | {e['steps']} | mean {e['mean_step']:.2g} s | gap {e['min_gap']} m | "
              f"{e['cpu_seconds']:.3g} s |" + end_of(e))
    for e in rigor.bundled("quadruped-trot", "--only", "published,certified", "--until", ".5"):
        print(f"| quadruped-trot | `{e['name']}` | {e['steps']} | {e['manifold_changes']} changes | "
              f"mean {e['mean_step']:.2g} s | gap {e['min_gap']} m | {e['cpu_seconds']:.3g} s |" + end_of(e))


def energy(rigor):
    for until in ("10", "100", "1000"):
        names = "certified,stewart-trinkle,runge-kutta,variational"
        for e in rigor.bundled("double-pendulum", "--only", names, "--step", ".005", "--until", until):
            change = e["energy_final"] - e["energy_initial"]
            print(f"| {until} | `{e['name']}` | {change:.3g} | {e['max_energy_increase']:.3g} | "
                  f"{e['cpu_seconds']:.3g} |")


if __name__ == "__main__":
    studies = {"order": order, "toss": toss, "die": die, "chain": chain, "energy": energy}
    if len(sys.argv) < 2 or any(name not in studies for name in sys.argv[2:]):
        raise SystemExit(__doc__)
    for name in sys.argv[2:] or studies:
        print(f"\n### {name}\n")
        studies[name](Rigor(sys.argv[1]))
