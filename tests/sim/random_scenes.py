#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random scenes of contact, sixteen kinds of what stalls simulators: each is run and its record verified, and what
failed, stalled or took long is counted.

usage: random_scenes.py RIGOR [--first N] [--count N] [--scenes N ...] and the options of scene_judge.py

Scene N is of kind N modulo 16 and depends on N alone. What counts as failed, stalled and slow: scene_judge.py.
Exit code: 1 where one failed or stalled.
"""
import math
import sys

import scene_judge
from scene_text import box, quaternion, ring, turned

GAP = 1e-6  # Bodies that stand on each other start this far apart [m].


class Scene:
    def __init__(self, r, floor=True):
        self.r = r
        self.friction = r.choice([0, 0.1, 0.3, 0.6, 1.0])
        self.restitution = r.choice([0, 0, 0, 0.2, 0.5])
        self.bodies = []
        if floor:
            self.fixed("floor", {"halfspace": {"normal": [0, 0, 1], "offset": 0}}, [0, 0, 0])

    def fixed(self, name, shape, position, **more):
        self.bodies.append({"name": name, "fixed": True, "shape": shape, "position": position, **more})

    def add(self, shape, position, density=1000.0, **more):
        body = {"name": f"b{len(self.bodies)}", "shape": shape, "position": position, **more}
        if "mass" not in more:
            body["density"] = density
        self.bodies.append(body)
        return body

    def pushed(self, body, speed):
        body["velocity"] = [self.r.uniform(-speed, speed) for _ in range(3)]

    def text(self, name, until):
        contact = {"friction": self.friction, "restitution": self.restitution}
        return {"name": name, "until": until, "contact": contact, "bodies": self.bodies}

    def near(self, reach):
        return self.r.uniform(-reach, reach)

    def sizes(self, least, most):
        return box(*(self.r.uniform(least, most) for _ in range(3)))


def column(s, sizes, masses=None, shift=0.0, x=0.0):
    z = GAP
    for k, (a, b, h) in enumerate(sizes):
        more = {"mass": masses[k]} if masses else {}
        s.add(box(a, b, h), [x + s.r.uniform(-shift, shift), s.r.uniform(-shift, shift), z + h / 2], **more)
        z += h + GAP


def mass_ratios(r):
    s = Scene(r)
    n = r.randint(3, 6)
    ratio = 10 ** r.uniform(1, 4)
    masses = [ratio ** (k / (n - 1)) for k in range(n)]
    if r.random() < 0.3:
        r.shuffle(masses)
    column(s, [(r.uniform(0.1, 0.2), r.uniform(0.1, 0.2), r.uniform(0.06, 0.15)) for _ in range(n)], masses, shift=0.01)
    s.pushed(s.bodies[-1], 0.5)
    return s


def toppling(r):
    s = Scene(r)
    h, d = r.uniform(0.15, 0.3), r.uniform(0.02, 0.05)
    x = 0
    for _ in range(r.randint(4, 9)):
        s.add(box(d, r.uniform(0.08, 0.12), h), [x, 0, h / 2 + GAP])
        x += h * r.uniform(0.45, 0.6)
    s.bodies[1]["angular_velocity"] = [0, r.uniform(1.5, 4), 0]
    return s


def plates(r):
    s = Scene(r)
    z = 0.01
    for _ in range(r.randint(3, 7)):
        h = r.uniform(0.003, 0.01)
        body = s.add(box(r.uniform(0.1, 0.3), r.uniform(0.1, 0.3), h), [s.near(0.05), s.near(0.05), z + 0.04],
                     orientation=turned([1, 0, 0], s.near(0.2)))
        s.pushed(body, 0.3)
        z += 0.09
    return s


def wedges(r):
    s = Scene(r)
    a = r.uniform(0.1, 0.2)
    for k in range(r.randint(2, 4)):
        w, h, d = r.uniform(0.5, 1.2) * a, r.uniform(0.4, 1.0) * a, a
        profile = ((-w / 2, 0), (w / 2, 0), (r.choice([-1, 0, 1]) * w / 2, h))
        vertices = [[x, y, z] for y in (-d / 2, d / 2) for x, z in profile]
        s.add({"hull": {"vertices": vertices}}, [0.4 * k, 0, 0.02], orientation=turned([0, 0, 1], r.uniform(0, 6)))
        s.add(box(0.1, 0.1, 0.1), [0.4 * k + r.uniform(-0.03, 0.03), 0, h + 0.15], orientation=quaternion(r))
    return s


def rings(r):
    s = Scene(r)
    z = 0.05
    for _ in range(r.randint(2, 4)):
        shape = ring(r.uniform(0.05, 0.1), 0.02, 0.03, r.randint(5, 8))
        s.add(shape, [s.near(0.03), s.near(0.03), z + 0.1], orientation=quaternion(r))
        z += 0.27
    return s


def needles(r):
    s = Scene(r)
    for k in range(r.randint(2, 5)):
        length = r.uniform(0.1, 0.3)
        shape = box(length, length / 10 ** r.uniform(1, 2), length / 10 ** r.uniform(1, 2))
        s.add(shape, [0, 0.02 * k, 0.2 + 0.32 * k], orientation=quaternion(r))
    return s


def nests(r):
    s = Scene(r)
    size, t = 0.3, 0.01
    walls = [{"shape": box(size, size, t), "position": [0, 0, t / 2]}]
    for x, y, a, b in ((1, 0, t, size), (-1, 0, t, size), (0, 1, size, t), (0, -1, size, t)):
        walls.append({"shape": box(a, b, 0.15), "position": [x * size / 2, y * size / 2, 0.075]})
    s.add({"compound": walls}, [0, 0, GAP])
    for k in range(r.randint(2, 5)):
        s.add(s.sizes(0.05, 0.09), [s.near(0.05), s.near(0.05), 0.15 + 0.17 * k], orientation=quaternion(r))
    return s


def slots(r):
    s = Scene(r)
    width = 0.1
    for sign in (-1, 1):
        s.fixed(f"wall{sign}", box(0.5, 0.1, 0.4), [0, sign * (width / 2 + 0.05 + 1e-4), 0.2])
    for k in range(r.randint(1, 3)):
        shape = box(r.uniform(0.08, 0.2), width * (1 - 10 ** r.uniform(-4, -1)), r.uniform(0.05, 0.1))
        s.add(shape, [0, 0, 0.2 + 0.2 * k], orientation=turned([0, 1, 0], s.near(0.5)))
    return s


def no_slip(r):
    s = Scene(r)
    s.friction = "no-slip"
    for k in range(r.randint(2, 4)):
        body = s.add(s.sizes(0.06, 0.15), [s.near(0.05), 0, 0.15 + 0.25 * k], orientation=quaternion(r))
        s.pushed(body, 0.5)
    return s


def high_friction(r):
    s = no_slip(r)
    s.friction = r.uniform(2, 10)
    return s


def thin(r):
    s = Scene(r)
    for k in range(r.randint(2, 5)):
        disk = {"cylinder": {"radius": 0.08, "length": 10 ** r.uniform(-3, -2), "sides": r.randint(6, 12)}}
        shape = r.choice([box(0.2, 0.15, 10 ** r.uniform(-4, -2)), disk])
        s.add(shape, [r.uniform(-0.03, 0.03), 0, 0.15 + 0.25 * k], orientation=quaternion(r))
    return s


def stacks(r):
    s = Scene(r)
    n = r.randint(5, 12)
    column(s, [(0.1, 0.1, 0.1)] * n, shift=0.005)
    if r.random() < 0.5:
        s.pushed(s.bodies[r.randint(1, n)], 1.0)
    return s


def arches(r):
    s = Scene(r)
    n, inner, outer, depth = 2 * r.randint(3, 6) + 1, 0.4, r.uniform(0.5, 0.55), 0.15
    s.friction = r.uniform(0.5, 1.0)
    for k in range(n):
        a, b = math.pi * k / n + 1e-6, math.pi * (k + 1) / n - 1e-6
        corners = [[rho * math.cos(t), y, rho * math.sin(t)] for rho in (inner, outer) for t in (a, b)
                   for y in (-depth / 2, depth / 2)]
        s.add({"hull": {"vertices": corners}}, [0, 0, 1e-6])
    if r.random() < 0.5:
        s.add(box(0.1, 0.1, 0.1), [r.uniform(-0.1, 0.1), 0, outer + 0.1], mass=r.uniform(0.1, 20))
    return s


def towers(r):
    s = Scene(r)
    z = GAP
    for k in range(r.randint(3, 8)):
        for j in (-1, 1):
            size = (0.3, 0.06, 0.05) if k % 2 else (0.06, 0.3, 0.05)
            place = [0, 0.1 * j] if k % 2 else [0.1 * j, 0]
            s.add(box(*size), place + [z + 0.025])
        z += 0.05 + GAP
    ball = s.add({"sphere": {"radius": 0.05, "vertices": 24}}, [-0.6, 0, r.uniform(0.05, max(0.06, z))], density=3000)
    ball["velocity"] = [r.uniform(1, 4), 0, 0.5]
    return s


def chains(r):
    s = Scene(r, floor=False)
    radius, parts = 0.05, r.randint(6, 8)
    s.fixed("hook", box(0.4, 0.02, 0.02), [0, 0, 0])
    inside = radius * math.cos(math.pi / parts)
    for k in range(r.randint(2, 3)):
        s.add(ring(radius, 0.012, 0.012, parts), [0, 0, 0.014 - inside - k * (2 * inside - 0.004)],
              orientation=turned([1, 0, 0], math.pi / 2) if k % 2 else turned([0, 1, 0], math.pi / 2))
    return s


def compounds(r):
    s = Scene(r)
    for k in range(r.randint(2, 4)):
        a = r.uniform(0.08, 0.14)
        parts = [{"shape": box(a, 0.03, 0.03), "position": [0, 0, 0]},
                 {"shape": box(0.03, 0.03, a), "position": [r.choice([0, a / 2]), 0, a / 2]}]
        if r.random() < 0.5:
            parts.append({"shape": box(0.03, a, 0.03), "position": [-a / 2, 0, 0]})
        s.add({"compound": parts}, [r.uniform(-0.04, 0.04), 0, 0.2 + 0.3 * k], orientation=quaternion(r))
    return s


KINDS = [mass_ratios, toppling, plates, wedges, rings, needles, nests, slots,
         no_slip, high_friction, thin, stacks, arches, towers, chains, compounds]


def scene(number, until):
    return scene_judge.of_kind(KINDS, "scene", number, until)


if __name__ == "__main__":
    sys.exit(scene_judge.main(__doc__, scene, 1000))
