#!/usr/bin/env python3
"""Measure the published methods: the tables and pictures of docs/published-methods.md.

Usage: methods.py RIGOR [--plots FOLDER] STUDY... (order, toss, advancement, energy; all without one). Prints Markdown
tables. RIGOR is the built program; `advancement` and `energy` take bench/rigor_runs beside it.
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

import log_plot

SCENES = pathlib.Path(__file__).resolve().parent.parent / "scenes"
ROBOTS = SCENES / "robots"
GAIT_CYCLE = .5  # [s]
FIXED = ["stewart-trinkle", "anitescu-potra", "convex", "runge-kutta", "variational"]
FLOOR = {"name": "floor", "fixed": True, "shape": {"halfspace": {"normal": [0, 0, 1], "offset": 0}}}


CUBE = {"name": "cube", "shape": {"box": {"size": [.1, .1, .1]}}, "mass": 1}


class Rigor:
    def __init__(self, program, plots=None):
        self.program = program
        self.plots = plots
        self.folder = tempfile.TemporaryDirectory()

    def run(self, scene, solver):
        """The summary of a run, and the last place and orientation of its first moving body."""
        summary, end, _ = self.last(scene, solver)
        return summary, end["p"] + end["q"]

    def last(self, scene, solver, body=None):
        """The summary of a run, the last state of a body (the first that moves), and the events."""
        path = pathlib.Path(self.folder.name)
        text = dict(scene, solver=dict(scene.get("solver", {}), **solver))
        (path / "scene.yaml").write_text(json.dumps(text))
        record = str(path / "run.rigor")
        done = subprocess.run([self.program, "run", str(path / "scene.yaml"), "-o", record, "--json", "--force",
                               "--quiet"], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 4):
            raise SystemExit(done.stderr)
        subprocess.run([self.program, "export", record, "--format", "csv", "-o", str(path / "csv")],
                       check=True, capture_output=True)

        def table(name):
            with open(path / "csv" / name, newline="") as file:
                return list(csv.DictReader(file))
        rows = table("states.csv")
        row = [r for r in rows if r["body"] == (body or rows[-1]["body"])][-1]
        end = {key: [float(row[k]) for k in keys.split()] for key, keys in
               {"p": "px py pz", "q": "qw qx qy qz", "v": "vx vy vz", "w": "wx wy wz"}.items()}
        return json.loads(done.stdout), end, table("events.csv")

    def unrecorded(self, path, method, until, *options):
        """What bench/unrecorded.cc prints, or None and its words on stderr."""
        program = pathlib.Path(self.program).resolve().parent.parent / "bench" / "rigor_runs"
        done = subprocess.run([str(program), "unrecorded", str(path), method, "--until", str(until), *options],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{method}: {done.stderr}", file=sys.stderr)
            return None
        return json.loads(done.stdout)

    def energy(self, scene, method, step, until):
        path = pathlib.Path(self.folder.name) / "scene.yaml"
        path.write_text(json.dumps(dict(scene, until=until)))
        return self.unrecorded(path, method, until, "--step", str(step), "--samples", "1000")

    def plot(self, name, title, x, y, curves):
        if self.plots:
            log_plot.write(pathlib.Path(self.plots) / f"{name}.svg", title, x, y, curves)


def slope(steps, errors):
    points = [(math.log(h), math.log(e)) for h, e in zip(steps, errors) if e > 0]
    n, sx, sy = len(points), sum(p[0] for p in points), sum(p[1] for p in points)
    return (n * sum(x * y for x, y in points) - sx * sy) / (n * sum(x * x for x, _ in points) - sx * sx)


def extrapolate(rate, y, t, longest, columns=6):
    """y' = rate(y) over a time t, by Gragg's midpoint rule extrapolated to order 12."""
    parts = max(1, math.ceil(abs(t) / longest))
    h = t / parts
    for _ in range(parts):
        table = []
        for k in range(1, columns + 1):
            small = h / (2 * k)
            a, b = y, [p + small * q for p, q in zip(y, rate(y))]
            for _ in range(2 * k - 1):
                a, b = b, [p + 2 * small * q for p, q in zip(a, rate(b))]
            row = [b]
            for j in range(1, k):
                weight = 1 / ((k / (k - j)) ** 2 - 1)
                row.append([p + weight * (p - q) for p, q in zip(row[-1], table[-1][j - 1])])
            table.append(row)
        y = table[-1][-1]
    return y


def bounces(e, height, count):
    """Time in the middle of the flight after `count` rebounds, and the height of the cube's centre then."""
    g, t, v = 9.81, math.sqrt(2 * height / 9.81), math.sqrt(2 * height * 9.81)
    for k in range(count):
        v *= e
        t += 2 * v / g if k < count - 1 else v / g
    return t, 0.05 + v * v / (2 * g)


def rocking(base, height, tilt, impacts):
    """Housner's block without slip, let go at a tilt [rad]: the time halfway between the last of so many impacts and
    the next one, and the place of its centre then; the pivot's edge starts at x = 0."""
    alpha, r = math.atan2(base, height), math.hypot(base, height) / 2
    p_sq, ratio = 3 * 9.81 / (4 * r), 1 - 1.5 * math.sin(alpha) ** 2

    def rate(y):
        return [y[1], -p_sq * math.sin(alpha - y[0])]

    def crossing(y, h):
        """Time to tilt 0, and the state there."""
        t = 0
        y = extrapolate(rate, y, h, h)
        while y[0] > 0:
            t, last, y = t + h, y, extrapolate(rate, y, h, h)
        for _ in range(8):  # Newton's method on the time.
            h -= y[0] / y[1]
            y = extrapolate(rate, last, h, h)
        return t + h, y

    t, y = crossing([tilt, 0], 2e-3)
    for k in range(impacts):
        length, end = crossing([0, -ratio * y[1] if k == 0 else ratio * abs(y[1])], 2e-3)
        if k + 1 == impacts:
            length /= 2
            end = extrapolate(rate, [0, ratio * abs(y[1])], length, 2e-3)
        t, y = t + length, end
    side = -1 if impacts % 2 else 1  # The edge that it stands on; the other one is a base away.
    angle = alpha - y[0]
    x = (0 if impacts % 2 == 0 else base) + side * -r * math.sin(angle)
    return t, (x, r * math.cos(angle))


def order_table(rigor, scene, error, steps, tolerances):
    print("| method | " + " | ".join(f"{h:g}" for h in steps) + " | slope |")
    print("|---" * (len(steps) + 2) + "|")
    for method in FIXED + ["published"]:
        errors = []
        for h in steps:
            summary, end = rigor.run(scene, {"advance": method, "step": h})
            errors.append(error(end) if summary["status"] == "done" else math.nan)
        good = [e for e in errors if not math.isnan(e)]
        print(f"| `{method}` | " + " | ".join(f"{e:.2g}" for e in errors) +
              (f" | {slope(steps, errors):.2f} |" if len(good) == len(steps) else " | |"), flush=True)
    print("\n| `velocity_tolerance` | " + " | ".join(f"{t:g}" for t in tolerances) + " |")
    print("|---" * (len(tolerances) + 1) + "|")
    runs = [rigor.run(scene, {"velocity_tolerance": t}) for t in tolerances]
    print("| `certified`, steps | " + " | ".join(str(s["steps"]) for s, _ in runs) + " |")
    print("| error [m] | " + " | ".join(f"{error(end):.2g}" for _, end in runs) + " |")


def order(rigor):
    until, exact = bounces(0.9, 0.5, 10)
    scene = {"until": until, "contact": {"friction": 0, "restitution": 0.9}, "impact": {"model": "anitescu-potra"},
             "bodies": [FLOOR, dict(CUBE, position=[0, 0, .55], velocity=[.3, 0, 0])]}
    steps, tolerances = [8e-3, 4e-3, 2e-3, 1e-3, 5e-4], [2e-3, 2e-4, 2e-5, 2e-6]
    print("Ten bounces of a cube that does not turn: error [m] against step [s]\n")
    order_table(rigor, scene, lambda end: math.hypot(end[2] - exact, end[0] - .3 * until), steps, tolerances)
    base, height, tilt = .05, .2, .09
    until, place = rocking(base, height, tilt, 10)
    angle, r = math.atan2(base, height) - tilt, math.hypot(base, height) / 2
    scene = {"until": until, "contact": {"friction": "no-slip"}, "impact": {"model": "anitescu-potra"},
             "bodies": [FLOOR, {"name": "block", "shape": {"box": {"size": [base, .1, height]}}, "mass": 1,
                                "position": [-r * math.sin(angle), 0, r * math.cos(angle)],
                                "orientation": [math.cos(tilt / 2), 0, math.sin(tilt / 2), 0]}]}
    print("\nTen impacts of a rocking block: error [m] against step [s]\n")
    order_table(rigor, scene, lambda end: math.hypot(end[0] - place[0], end[2] - place[1]), steps, tolerances)


def toss(rigor):
    """A tossed cube, friction .3, inelastic: Boussema's comparison. The event loop at a hundredth of its tolerance is
    where it would be; its impacts have cones of 64 edges, as the methods' are round."""
    scene = {"until": .45, "contact": {"friction": .3}, "impact": {"model": "anitescu-potra", "cone_edges": 64},
             "bodies": [FLOOR, dict(CUBE, position=[0, 0, .3], orientation=[.92, .25, .28, .1],
                                    velocity=[1, .5, -.5], angular_velocity=[2, -3, 1])]}
    _, exact = rigor.run(scene, {"velocity_tolerance": 2e-5})
    steps, by_step, by_cost = [.05, .01, 2e-3, 4e-4], [], []
    print("| method | step [s] | error at .45 s [m] | deepest overlap [m] | processor time [s] |")
    print("|---|---|---|---|---|")

    def row(name, step, summary, end):
        depth, error = max(0., -summary["min_gap"]), math.dist(end[:3], exact[:3])
        print(f"| `{name}` | {step} | {error:.2g} | {depth:.2g} | {summary['wall_seconds']:.3g} |", flush=True)
        return error, summary["wall_seconds"]

    for method in FIXED:
        errors = [row(method, f"{h:g}", *rigor.run(scene, {"advance": method, "step": h})) for h in steps]
        by_step.append((method, [(h, e) for h, (e, _) in zip(steps, errors)]))
        by_cost.append((method, [(c, e) for e, c in errors]))
    runs = [rigor.run(scene, {"velocity_tolerance": t}) for t in (2e-2, 2e-3, 2e-4)]
    errors = [row("certified", f"{s['mean_step']:.2g} on average", s, end) for s, end in runs]
    by_step.append(("certified", [(s["mean_step"], e) for (s, _), (e, _) in zip(runs, errors)]))
    by_cost.append(("certified", [(c, e) for e, c in errors]))
    summary, end = rigor.run(scene, {"advance": "published"})
    error, cost = row("published", f"{summary['mean_step']:.2g} on average", summary, end)
    by_step.append(("published", [(summary["mean_step"], error)]))
    by_cost.append(("published", [(cost, error)]))
    rigor.plot("toss-error", "Tossed cube: error against step", "(mean) step [s]", "error of its place [m]", by_step)
    rigor.plot("toss-cost", "Tossed cube: error against cost", "time [s]", "error of its place [m]", by_cost)


def changes_row(rigor, name, method, until, *options):
    """Steps for each change of the touching features, unrecorded: millions of steps make records of gigabytes."""
    found = rigor.unrecorded(SCENES / f"{name}.yaml", method, until, "--samples", "1", *options)
    if not found:
        return
    end = found["still_since"] or found["time"]
    changes = found["manifold_changes"]
    steps = found["steps"]
    print(f"| {name} | `{method}` | {end:.4g} | {steps} | {changes} | {end / steps:.2g} | "
          f"{steps / max(1, changes):.4g} | {found['closest']:.4g} | {found['cpu']:.3g} |", flush=True)


def advancement(rigor):
    """Conservative advancement as published, beside the event loop: each to rest, or so far."""
    print("| scene | method | until [s] | steps | manifold changes | mean step [s] | steps a change | "
          "smallest gap [m] | processor time [s] |\n|---|---|---|---|---|---|---|---|---|")
    for name in ("die-drumwright-no-slip", "die-drumwright", "die-drumwright-0.3"):
        changes_row(rigor, name, "published", 10, "--rest", ".001")
        changes_row(rigor, name, "certified", 10)
    for step in (.01, 5e-3, 2.5e-3):
        changes_row(rigor, "chain-20", "published", 5, "--step", str(step))
    changes_row(rigor, "chain-20", "certified", 5)
    for until in (.025, .035):  # A whole cycle does not end.
        changes_row(rigor, "quadruped-trot", "published", until)
    changes_row(rigor, "quadruped-trot", "certified", GAIT_CYCLE)


def energy(rigor, until=1e4):
    """A double pendulum and a body that bounces without loss, by bench/unrecorded.cc; the event loop's extrapolation of
    order eight is `certified`."""
    hinged = {"robots": [{"name": "pendulum", "urdf": str(ROBOTS / "double-pendulum.urdf"), "position": [0, 0, 2.5],
                          "joints": {"joint0": 2.0, "joint1": .5}}], "bodies": []}
    bouncing = {"contact": {"friction": 0, "restitution": 1}, "impact": {"model": "anitescu-potra"},
                "bodies": [FLOOR, dict(CUBE, position=[0, 0, .55])]}
    # A pendulum's links are shown to a micrometre, for fewer pieces: what moves is the same.
    for name, scene in (("double-pendulum", dict(hinged, solver={"joint_fit": 1e-6})), ("bouncing", bouncing)):
        print(f"\n{name}: largest change of energy up to a time; m g l = m g h = 4.905 J\n")
        times = [t for t in (10, 100, 1e3, 1e4) if t <= until]
        print("| method | step [s] | " + " | ".join(f"{t:g} s" for t in times) + " | processor time [s] |")
        print("|---" * (len(times) + 3) + "|")
        curves = []
        for method in ("certified", "variational", "runge-kutta", "stewart-trinkle"):
            found = rigor.energy(scene, method, .005, until)
            if not found:
                continue
            worst, points = 0, []
            for k, (low, high) in enumerate(zip(found["low"], found["high"])):
                worst = max(worst, -low, high)
                points.append(((k + 1) * until / len(found["low"]), worst))
            at = [next(e for t, e in points if t >= limit * (1 - 1e-9)) for limit in times]
            print(f"| `{method}` | {'' if method == 'certified' else .005} | " + " | ".join(f"{e:.2g}" for e in at) +
                  f" | {found['cpu']:.3g} |", flush=True)
            curves.append((method, points))
        rigor.plot(f"energy-{name}", f"Energy of long motions: {name}", "time [s]", "largest change so far [J]", curves)


def arguments(words, known, usage):
    """PROGRAM and names out of `known`, and the folder of --plots or None. Ends with `usage` where they are others."""
    words, plots = list(words), None
    if "--plots" in words[:-1]:
        place = words.index("--plots")
        plots = words[place + 1]
        del words[place:place + 2]
    if not words or any(name not in known for name in words[1:]):
        raise SystemExit(usage)
    return words, plots


if __name__ == "__main__":
    studies = {"order": order, "toss": toss, "advancement": advancement, "energy": energy}
    words, plots = arguments(sys.argv[1:], studies, __doc__)
    for name in words[1:] or studies:
        print(f"\n### {name}\n")
        studies[name](Rigor(words[0], plots))
