#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measure how the event loop's errors follow `velocity_tolerance`: the tables of docs/accuracy.md.

Usage: accuracy.py RIGOR [--plots FOLDER] [SCENE...] (all without one), or accuracy.py RIGOR slopes. RIGOR is the
built program. `slopes`: of the error against steps where the gap is too small to count.

Oracles are closed forms, or equations of motion in few coordinates, integrated here by extrapolation. An error is the
larger of that of the place over L and that of the velocity over V = sqrt(g L), L as in docs/event-loop.md, at the end
of the run: the unit in which the tolerance is given, too (2e-3 by default).
"""
import math
import sys

from methods import FLOOR, ROBOTS, Rigor, arguments, extrapolate, slope

G = 9.81
TOLERANCES = [2e-3, 2e-4, 2e-5, 2e-6, 2e-7]


class Case:
    """A scene, whose `body` ends at `place` with `velocity`, and a size L."""

    def __init__(self, scene, body, place, velocity, size):
        self.scene, self.body, self.place, self.velocity = scene, body, place, velocity
        self.length = math.hypot(*size) / math.sqrt(3)

    def error(self, end):
        speed = math.sqrt(G * self.length)
        return max(math.dist(end["p"], self.place) / self.length, math.dist(end["v"], self.velocity) / speed)


def slide():
    """A cube slides to rest: v^2 / (2 mu g)."""
    v, mu, size = 2., .4, [.1, .1, .1]
    way = v * v / (2 * mu * G)
    scene = {"until": 1, "contact": {"friction": mu}, "bodies": [FLOOR, {
        "name": "cube", "shape": {"box": {"size": size}}, "mass": 1, "position": [0, 0, .05],
        "velocity": [.8 * v, .6 * v, 0]}]}
    return Case(scene, "cube", [.8 * way, .6 * way, .05], [0, 0, 0], size)


def pivot(size, angle, rate, until):
    """A block without slip turns about an edge at the origin; `angle` of its diagonal over the floor."""
    diagonal, r = math.atan2(size[2], size[0]), math.hypot(size[0], size[2]) / 2
    inertia = (size[0] ** 2 + size[2] ** 2) / 12 + r * r
    end, w = extrapolate(lambda y: [y[1], -G * r * math.cos(y[0]) / inertia], [angle, rate], until, 2e-3)
    turn = (diagonal - angle) / 2  # About y, which lowers x.

    def at(a, u):
        return [r * math.cos(a), 0, r * math.sin(a)], [-r * u * math.sin(a), 0, r * u * math.cos(a)]
    place, velocity = at(angle, rate)
    scene = {"until": until, "contact": {"friction": "no-slip"}, "bodies": [FLOOR, {
        "name": "block", "shape": {"box": {"size": size}}, "mass": 1, "position": place, "velocity": velocity,
        "orientation": [math.cos(turn), 0, math.sin(turn), 0], "angular_velocity": [0, -rate, 0]}]}
    return Case(scene, "block", *at(end, w), size)


def tip():
    """A block that stands is tipped up, and comes nearly back."""
    size = [.1, .1, .2]
    return pivot(size, math.atan2(size[2], size[0]), 1.5, .1)


def fall():
    """A cube falls over its edge."""
    return pivot([.1, .1, .1], math.radians(55), 0, .06)


def creep():
    """A cube stands nearly on its edge and falls, for a third of a second."""
    return pivot([.1, .1, .1], math.radians(89.5), 0, .34)


def top():
    """A box tumbles about its middle axis for 20 s: where a corner of it is."""
    size, w = [.1, .2, .4], [.3, 6., .2]
    J = [(size[1] ** 2 + size[2] ** 2) / 12, (size[0] ** 2 + size[2] ** 2) / 12, (size[0] ** 2 + size[1] ** 2) / 12]

    def rate(y):
        a, b, c, d, p, q, r = y
        return [-.5 * (p * b + q * c + r * d), .5 * (p * a + r * c - q * d), .5 * (q * a - r * b + p * d),
                .5 * (r * a + q * b - p * c), (J[1] - J[2]) / J[0] * q * r, (J[2] - J[0]) / J[1] * r * p,
                (J[0] - J[1]) / J[2] * p * q]
    end = extrapolate(rate, [1, 0, 0, 0, *w], 20, 1e-2)
    scene = {"gravity": [0, 0, 0], "until": 20, "bodies": [{
        "name": "top", "shape": {"box": {"size": size}}, "mass": 1, "position": [0, 0, 5], "angular_velocity": w}]}
    case = Case(scene, "top", end[:4], None, size)

    def error(state):
        q = state["q"]
        norm = math.sqrt(sum(x * x for x in q) * sum(x * x for x in end[:4]))
        return 2 * min(math.dist(q, [s * x for x in end[:4]]) for s in (1, -1)) / norm
    case.error = error
    return case


def double_pendulum():
    """Two hinged rods for a second: where the end of the second one is."""
    m, l, c, J, until = 1., .5, .25, .0209333333333333, 1

    def rate(y):
        a, b, u, v = y  # Angles from below, of both rods.
        A, B, C = J + m * c * c + m * l * l, J + m * c * c, m * l * c * math.cos(a - b)
        f = -m * l * c * math.sin(a - b) * v * v - m * (c + l) * G * math.sin(a)
        g = m * l * c * math.sin(a - b) * u * u - m * c * G * math.sin(b)
        return [u, v, (B * f - C * g) / (A * B - C * C), (A * g - C * f) / (A * B - C * C)]
    a, b, u, v = extrapolate(rate, [2., 2.5, 0, 0], until, 2e-3)
    scene = {"until": until, "bodies": [], "robots": [{
        "name": "p", "urdf": str(ROBOTS / "double-pendulum.urdf"), "position": [0, 0, 2.5],
        "joints": {"joint0": 2.0, "joint1": .5}}]}
    # The link's origin is the hinge between both.
    return Case(scene, "p/rod1", [-l * math.sin(a), 0, 2.5 - l * math.cos(a)],
                [-l * u * math.cos(a), 0, l * u * math.sin(a)], [.04, .04, .5])


class Ladder:
    """A ladder without friction between wall and floor, which leaves the wall: angle over the floor."""
    length, depth, start = 1., .01, math.radians(70)

    def centre(self, a):
        l, d = self.length / 2, self.depth / 2
        return l * math.cos(a) + d * math.sin(a), l * math.sin(a) + d * math.cos(a)

    def slopes(self, a):
        l, d = self.length / 2, self.depth / 2
        return -l * math.sin(a) + d * math.cos(a), l * math.cos(a) - d * math.sin(a)

    def acceleration(self, a, w):
        x, z = self.slopes(a)
        bend = [-c for c in self.centre(a)]
        inertia = (self.length ** 2 + self.depth ** 2) / 12
        return (-G * z - (x * bend[0] + z * bend[1]) * w * w) / (inertia + x * x + z * z)

    def push(self, y):
        """Of the wall, over the mass."""
        return -self.centre(y[0])[0] * y[1] ** 2 + self.slopes(y[0])[0] * self.acceleration(*y)

    def release(self):
        y, t, h = [self.start, 0.], 0., 1e-3
        while self.push(y) > 0:
            last, t = y, t + h
            y = extrapolate(lambda s: [s[1], self.acceleration(*s)], y, h, h)
        low, high = 0., h
        for _ in range(60):
            middle = (low + high) / 2
            y = extrapolate(lambda s: [s[1], self.acceleration(*s)], last, middle, h)
            low, high = (middle, high) if self.push(y) > 0 else (low, middle)
        return t - h + high, y


def ladder():
    """Leaves the wall at .42 s, and slides on with the velocity along the floor that it has there."""
    of = Ladder()
    time, (angle, w) = of.release()
    x, z = of.centre(of.start)
    turn = -(math.pi / 2 - of.start) / 2
    wall = {"name": "wall", "fixed": True, "shape": {"halfspace": {"normal": [1, 0, 0], "offset": 0}}}
    size, after = [of.depth, .1, of.length], .05
    scene = {"until": time + after, "contact": {"friction": 0}, "bodies": [FLOOR, wall, {
        "name": "ladder", "shape": {"box": {"size": size}}, "mass": 1, "position": [x, 0, z],
        "orientation": [math.cos(turn), 0, math.sin(turn), 0]}]}
    along = of.slopes(angle)[0] * w
    case = Case(scene, "ladder", [of.centre(angle)[0] + after * along], [along], size)
    case.release = time
    case.error = lambda end: max(abs(end["p"][0] - case.place[0]) / case.length,
                                 abs(end["v"][0] - along) / math.sqrt(G * case.length))
    return case


CASES = {f.__name__: f for f in (slide, tip, fall, creep, top, double_pendulum, ladder)}


def measure(rigor, name):
    case = CASES[name]()
    runs = [rigor.last(case.scene, {"velocity_tolerance": t}, case.body) for t in TOLERANCES]
    errors = [case.error(end) for _, end, _ in runs]
    steps = [s["steps"] for s, _, _ in runs]
    worst = max(e / t for e, t in zip(errors, TOLERANCES))
    print(f"| {name} | " + " | ".join(f"{e:.2g}" for e in errors) + f" | {worst:.2g} | {steps[0]} to {steps[-1]} |",
          flush=True)
    if hasattr(case, "release"):
        late = [next((float(e["time"]) for e in events if e["kind"] == "contact-broken"), math.nan) - case.release
                for _, _, events in runs]
        print("| its release, late by [s] | " + " | ".join(f"{t:.2g}" for t in late) + " | | |")
    return name, list(zip(steps, errors))


def slopes(rigor):
    """Contacts are 1e-11 m from where closed forms have them, so that errors of the motion are seen down to that."""
    tolerances = TOLERANCES + [2e-8, 2e-9, 2e-10]
    print("| | | " + " | ".join(f"{t:g}" for t in tolerances) + " | slope |")
    print("|---" * (len(tolerances) + 3) + "|")
    for name in ("tip", "fall", "creep"):
        case = CASES[name]()
        runs = [rigor.last(case.scene, {"velocity_tolerance": t, "gap": 1e-11}, case.body) for t in tolerances]
        errors, steps = [case.error(end) for _, end, _ in runs], [s["steps"] for s, _, _ in runs]
        print(f"| {name} | steps | " + " | ".join(map(str, steps)) + " | |")
        print("| | error | " + " | ".join(f"{e:.2g}" for e in errors) +
              f" | {-slope(steps, errors):.2f}; of the last four {-slope(steps[-4:], errors[-4:]):.2f} |", flush=True)


def main(words):
    words, plots = arguments(words, [*CASES, "slopes"], __doc__)
    rigor = Rigor(words[0], plots)
    if words[1:] == ["slopes"]:
        return slopes(rigor)
    print("| | " + " | ".join(f"{t:g}" for t in TOLERANCES) + " | largest over tolerance | steps |")
    print("|---" * (len(TOLERANCES) + 3) + "|")
    curves = [measure(rigor, name) for name in words[1:] or CASES]
    rigor.plot("accuracy", "Event loop: error against steps", "steps", "error [L, V]", curves)


if __name__ == "__main__":
    main(sys.argv[1:])
