#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Other engines on many scenes, by what `rigor compare` runs them with: tables of docs/performance.md, docs/scenes.md.

Usage: peers.py RIGOR scenes [--count N] [--limit S]  piles and thrown dice: time a simulated second, deepest overlap
       peers.py RIGOR impacts [--seeds N] [NAME...]    what engines make of ambiguous impacts, and what that depends on
RIGOR is the built program, with rigor-peers beside it. One line of JSON each. Needs python3-yaml and python3-numpy.

scenes: every comparison may take S seconds (120); one that takes longer is said and left out. Most of it is not the
engine but the proof of where its motion overlaps, so the pile is looked at for PILE_TIME only.

impacts: the time of the impact is that of rigor's run with seed 0; an engine's outcome are the velocities at the end of
its fifth step after it. rigor's set are the velocities right after the impact of runs with seeds 0, 1, ... Differences
of velocities are kinetic, as a speed of the whole scene: |dv|_M / sqrt(total mass), as in docs/exploration.md.
"""
import copy
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy
import yaml

SCENES = pathlib.Path(__file__).resolve().parent.parent / "scenes"
AMBIGUOUS = ["rocking-block-flat", "box-and-wall", "stacked-cylinders", "billiard-break", "newtons-cradle",
             "brick-one-corner", "brick-four-corners", "die-on-face", "cubes-30"]
TILT = 1e-6          # [rad]
IMPACT_SHARE = .05   # An impact changes the scene's velocity by more than this share of it.
STEPS_AFTER = 5
PILE_TIME = .5       # [s]


def say(**what):
    print(json.dumps(what), flush=True)


def depth(entry):
    return entry["deepest"]["depth"] if entry["deepest"] else 0


class Programs:
    def __init__(self, rigor, folder, limit):
        self.rigor, self.folder, self.limit = rigor, pathlib.Path(folder), limit
        self.peers = str(pathlib.Path(rigor).resolve().parent / "rigor-peers")

    def engines(self):
        return subprocess.run([self.peers, "list"], capture_output=True, text=True, check=True).stdout.split()

    def write(self, scene):
        path = self.folder / "scene.yaml"
        path.write_text(json.dumps(scene))
        return str(path)

    def compare(self, name, scene, only, step, until):
        """Entries of methods and engines; none, and a line that says so, where they do not end in time."""
        try:
            done = subprocess.run([self.rigor, "compare", self.write(scene), "--only", ",".join(only), "--step",
                                   str(step), "--until", str(until), "--json", "--quiet"],
                                  capture_output=True, text=True, check=True, timeout=self.limit)
        except subprocess.TimeoutExpired:
            say(scene=name, engine=",".join(only), h=step, failed=True, reason=f"not done after {self.limit} s")
            return []
        return json.loads(done.stdout)["entries"]

    def states(self, engine, scene, step, until, variation=()):
        """Rows of an engine's states, by time. `variation`: as rigor-peers says."""
        path = self.folder / "states.csv"
        subprocess.run([self.peers, engine, self.write(scene), repr(step), repr(until), str(path),
                        *variation], check=True,
                       capture_output=True)
        by_time = {}
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                by_time.setdefault(float(row["time"]), {})[row["body"]] = row
        return [by_time[t] for t in sorted(by_time)]

    def run(self, scene, seed, until):
        """States of all bodies in the order of time, two at an impact."""
        record, out = str(self.folder / "run.rigor"), self.folder / "csv"
        subprocess.run([self.rigor, "run", self.write(scene), "-o", record, "--force", "--quiet", "--seed", str(seed),
                        "--until", repr(until)], check=True, capture_output=True)
        subprocess.run([self.rigor, "export", record, "--format", "csv", "-o", str(out)], check=True,
                       capture_output=True)
        with open(out / "states.csv", newline="") as file:
            return list(csv.DictReader(file))


class Masses:
    """Masses and inertias of the bodies that move, in the world at the start: they turn little until an impact."""

    def __init__(self, programs, scene):
        record = str(programs.folder / "model.rigor")
        subprocess.run([programs.rigor, "run", programs.write(scene), "-o", record, "--force", "--quiet", "--until",
                        "1e-6"], check=True, capture_output=True)
        model = json.loads(subprocess.run([programs.rigor, "info", record, "--model"], capture_output=True, text=True,
                                          check=True).stdout)
        self.names, self.mass, self.inertia = [], [], []
        for body in model["bodies"]:
            if body.get("fixed") or not body.get("mass"):
                continue
            w, x, y, z = numpy.array(body["orientation"]) / numpy.linalg.norm(body["orientation"])
            turn = numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
            xx, yy, zz, xy, xz, yz = body["inertia"]
            self.names.append(body["name"])
            self.mass.append(body["mass"])
            self.inertia.append(turn @ numpy.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T)

    def velocities(self, rows):
        return {name: numpy.array([float(rows[name][k]) for k in ("vx", "vy", "vz", "wx", "wy", "wz")])
                for name in self.names}

    def distance(self, a, b=None):
        total = 0
        for name, mass, inertia in zip(self.names, self.mass, self.inertia):
            d = a[name] - (b[name] if b else 0)
            total += mass * d[:3] @ d[:3] + d[3:] @ inertia @ d[3:]
        return math.sqrt(total / sum(self.mass))


def first_impact(masses, rows):
    """Time, velocities before and after the first jump that counts; None without one."""
    now = {}
    for k, row in enumerate(rows):
        before = dict(now)
        now[row["body"]] = row
        if k and row["time"] == rows[k - 1]["time"] and len(before) == len(masses.names) and row["body"] in before:
            if before[row["body"]]["time"] != row["time"]:
                continue  # The first row at that time: before the jump.
            changed = dict(before)
            for other in rows[k:]:
                if other["time"] != row["time"]:
                    break
                changed[other["body"]] = other
            u, v = masses.velocities(before), masses.velocities(changed)
            if masses.distance(u, v) > IMPACT_SHARE * masses.distance(u):
                return float(row["time"]), u, v
    return None


def impacts(programs, name, seeds):
    with open(SCENES / f"{name}.yaml", encoding="utf-8") as file:
        scene = yaml.safe_load(file)
    masses = Masses(programs, scene)
    found = first_impact(masses, programs.run(scene, 0, scene["until"]))
    if not found:
        return say(scene=name, engine="rigor", impact=None)
    time, before, after = found
    outcomes = [after]
    for seed in range(1, seeds):
        other = first_impact(masses, programs.run(scene, seed, time * (1 + 1e-6) + 1e-6))
        if other:
            outcomes.append(other[2])
    say(scene=name, engine="rigor", impact=time, change=masses.distance(before, after), samples=len(outcomes),
        diameter=max(masses.distance(a, b) for a in outcomes for b in outcomes))
    for engine in programs.engines():
        for step in (1 / 60, 1e-3, 1e-4):
            until = (math.ceil(time / step) + STEPS_AFTER) * step

            def outcome(*variation):
                return masses.velocities(programs.states(engine, scene, step, until, variation)[-1])
            plain = outcome()
            by_tilt = max(masses.distance(plain, outcome("tilted", repr(TILT * x), repr(TILT * y)))
                          for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)))
            say(scene=name, engine=engine, h=step, by_order=masses.distance(plain, outcome("reversed")),
                by_tilt=by_tilt, from_set=min(masses.distance(plain, o) for o in outcomes))


def scenes(programs, count):
    engines = programs.engines()
    with open(SCENES / "pile-100.yaml", encoding="utf-8") as file:
        pile = yaml.safe_load(file)
    with open(SCENES / "die.yaml", encoding="utf-8") as file:
        die = yaml.safe_load(file)
    for entry in programs.compare("pile-100", pile, ["certified"], 1e-3, PILE_TIME):
        say(scene="pile-100", engine="rigor", h=None, reached=entry["time"], steps=entry["steps"],
            cpu_per_second=entry["cpu_seconds"] / entry["time"], penetration=0, min_gap=entry["min_gap"],
            failed=entry["status"] == "failed")
    random = numpy.random.default_rng(1)
    throws = []
    for _ in range(count):
        throw = copy.deepcopy(die)
        body = next(b for b in throw["bodies"] if not b.get("fixed"))
        body.pop("rpy", None)
        body.update(orientation=random.normal(size=4).tolist(), velocity=random.uniform(-1, 1, 3).tolist(),
                    angular_velocity=(10 * random.uniform(-1, 1, 3)).tolist())
        throws.append(throw)
    for step in (1 / 60, 1e-3):
        for engine in engines:
            for entry in programs.compare("pile-100", pile, [engine], step, PILE_TIME):
                say(scene="pile-100", engine=engine, h=step, reached=entry["time"],
                    cpu_per_second=entry["cpu_seconds"] / entry["time"], penetration=depth(entry))
        totals = {engine: [] for engine in engines}
        for throw in throws:
            for entry in programs.compare("die", throw, engines, step, die["until"]):
                totals[entry["name"]].append(entry)
        for engine, entries in totals.items():
            if not entries:
                continue
            depths = [depth(e) for e in entries]
            say(scene="die", engine=engine, h=step, throws=len(entries), penetration=max(depths),
                mean_penetration=sum(depths) / len(entries),
                cpu_per_second=sum(e["cpu_seconds"] for e in entries) / (len(entries) * die["until"]))


def main(words):
    options = {"--count": 20, "--seeds": 100, "--limit": 120}
    for option in options:
        if option in words[:-1]:
            place = words.index(option)
            options[option] = int(words[place + 1])
            del words[place:place + 2]
    if len(words) < 2 or words[1] not in ("scenes", "impacts"):
        raise SystemExit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(words[0], folder, options["--limit"])
        if words[1] == "scenes":
            scenes(programs, options["--count"])
        for name in (words[2:] or AMBIGUOUS) if words[1] == "impacts" else []:
            impacts(programs, name, options["--seeds"])


if __name__ == "__main__":
    main(sys.argv[1:])
