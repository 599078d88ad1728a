#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random scenes of what people build, sixteen kinds beside those of random_scenes.py: heaps in bins, funnels and
stairs, pyramids and bridges that are hit, cards, tops, billiards. Each is run and its record verified, and what failed,
stalled or took long is counted.

usage: mixed_scenes.py RIGOR [--first N] [--count N] [--scenes N ...] and the options of scene_judge.py

Scene N is of kind N modulo 16 and depends on N alone. What counts as failed, stalled and slow: scene_judge.py.
Exit code: 1 where one failed or stalled.
"""
import math
import sys

import scene_judge
from random_scenes import GAP, Scene
from scene_text import box, quaternion, ring, turned

SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))


def elbow(a):
    return {"compound": [{"shape": box(1.6 * a, 0.5 * a, 0.5 * a), "position": [0.3 * a, 0, 0]},
                         {"shape": box(0.5 * a, 0.5 * a, 1.2 * a), "position": [-0.75 * a, 0, 0.6 * a]}]}


def some_shape(r, a=0.1):
    return r.choice([
        lambda: box(*(r.uniform(0.4, 1.2) * a for _ in range(3))),
        lambda: {"hull": {"vertices": [[r.uniform(-0.7, 0.7) * a for _ in range(3)] for _ in range(r.randint(4, 20))]}},
        lambda: {"sphere": {"radius": 0.5 * a, "vertices": r.randint(12, 60)}},
        lambda: {"cylinder": {"radius": 0.5 * a, "length": r.uniform(0.2, 1.5) * a, "sides": r.randint(5, 16)}},
        lambda: {"capsule": {"radius": 0.3 * a, "length": a, "round": True}},
        lambda: elbow(a)])()


def bins(r):
    s = Scene(r)
    for x, y in SIDES:
        s.fixed(f"wall{x}{y}", box(0.02 if x else 0.4, 0.4 if x else 0.02, 0.4), [x * 0.21, y * 0.21, 0.2])
    for k in range(r.randint(4, 9)):
        body = s.add(some_shape(r), [s.near(0.08), s.near(0.08), 0.2 + 0.22 * k], orientation=quaternion(r))
        s.pushed(body, 0.3)
    return s


def tetrapods(r):
    s = Scene(r)
    for k in range(r.randint(3, 6)):
        a, parts = r.uniform(0.05, 0.09), []
        for d in ([1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]):
            n = [x / math.sqrt(3) for x in d]
            across = math.hypot(n[0], n[1])
            parts.append({"shape": box(0.3 * a, 0.3 * a, a), "position": [x * a / 2 for x in n],
                          "orientation": turned([-n[1] / across, n[0] / across, 0], math.acos(n[2]))})
        s.add({"compound": parts}, [s.near(0.05), s.near(0.05), 0.12 + 0.22 * k], orientation=quaternion(r))
    return s


def spins(r):
    s = Scene(r)
    spin, kind = r.uniform(5, 60), r.randint(0, 2)
    if kind == 0:
        coin = {"cylinder": {"radius": 0.05, "length": 0.006, "sides": r.choice([12, 24, 48])}}
        s.add(coin, [0, 0, 0.0501], orientation=turned([1, 0, 0], math.pi / 2 + s.near(0.05)),
              angular_velocity=[0, 0, spin])
    elif kind == 1:
        n = r.randint(6, 16)
        rim = [[0.05 * math.cos(2 * math.pi * k / n), 0.05 * math.sin(2 * math.pi * k / n), 0] for k in range(n)]
        s.add({"hull": {"vertices": [[0, 0, -0.06]] + rim + [[0, 0, 0.02]]}}, [0, 0, 0.0702],
              orientation=turned([1, 0, 0], s.near(0.1)), angular_velocity=[0, 0, spin])
    else:
        s.add(box(0.1, 0.06, 0.03), [0, 0, 0.06], orientation=turned([0, 1, 0], 1.2 + s.near(0.3)),
              angular_velocity=[s.near(3), s.near(3), spin])
    return s


def ladders(r):
    s = Scene(r)
    s.fixed("wall", {"halfspace": {"normal": [1, 0, 0], "offset": 0}}, [0, 0, 0])
    for k in range(r.randint(1, 3)):
        length, t, a = r.uniform(0.2, 0.5), r.uniform(0.01, 0.04), r.uniform(0.3, 1.3)
        place = [0.02 + t + length / 2 * math.cos(a), 0.2 * k, 0.02 + t + length / 2 * math.sin(a)]
        s.add(box(length, t, t), place, orientation=turned([0, 1, 0], a))
    if r.random() < 0.6:
        s.add(some_shape(r), [0.2, 0, 0.6], orientation=quaternion(r))
    return s


def seesaws(r):
    s = Scene(r)
    h = r.uniform(0.05, 0.12)
    prism = {"hull": {"vertices": [[x, y, z] for y in (-0.1, 0.1) for x, z in ((-h, 0), (h, 0), (0, h))]}}
    if r.random() < 0.5:
        s.fixed("fulcrum", prism, [0, 0, 0])
    else:
        s.add(prism, [0, 0, GAP], density=3000)
    s.add(box(0.8, 0.1, 0.02), [0, 0, h + 0.0105])
    for x in (-1, 1):
        if r.random() < 0.8:
            body = s.add(some_shape(r), [x * r.uniform(0.1, 0.35), 0, h + 0.15 + r.uniform(0, 0.5)],
                         orientation=quaternion(r), density=r.choice([300, 1000, 5000]))
            body["velocity"] = [0, 0, -r.uniform(0, 3)]
    return s


def billiards(r):
    s = Scene(r)
    s.restitution = r.choice([0.5, 0.8, 0.95, 1])
    radius, gap = 0.03, r.choice([1e-6, 1e-5, 1e-3])
    ball = {"sphere": {"radius": radius, "round": True} if r.random() < 0.6 else {"radius": radius, "vertices": 60}}
    for row in range(r.randint(2, 4)):
        for k in range(row + 1):
            s.add(ball, [row * (1.7321 * radius + gap), (k - row / 2) * (2 * radius + gap), radius + GAP])
    cue = s.add(ball, [-0.3, s.near(0.02), radius + GAP])
    cue["velocity"] = [r.uniform(1, 5), 0, 0]
    return s


def rows(r):
    s = Scene(r, floor=r.random() < 0.7)
    s.restitution = r.choice([0, 0.3, 0.9, 1])
    x, first = 0, len(s.bodies)
    for _ in range(r.randint(3, 6)):
        a = r.uniform(0.05, 0.1)
        s.add(box(a, 0.1, 0.1), [x + a / 2, 0, 0.05 + GAP], mass=10 ** r.uniform(-2, 2))
        x += a + r.choice([1e-6, 1e-3, 1e-2])
    s.bodies[first]["velocity"] = [r.uniform(1, 5), 0, 0]
    return s


def funnels(r):
    s = Scene(r)
    a = r.uniform(0.4, 1.0)
    for x, y in SIDES:
        s.fixed(f"wall{x}{y}", box(0.5, 0.5, 0.02), [x * 0.3, y * 0.3, 0.4], orientation=turned([y, -x, 0], a))
    for k in range(r.randint(2, 6)):
        s.add(some_shape(r, r.uniform(0.06, 0.12)), [s.near(0.05), s.near(0.05), 0.65 + 0.2 * k],
              orientation=quaternion(r))
    return s


def bridges(r):
    s = Scene(r)
    for x in (-0.3, 0.3):
        s.add(box(0.1, 0.2, 0.2), [x, 0, 0.1 + GAP])
    for k in range(r.randint(1, 3)):
        s.add(box(0.7, 0.2, 0.02), [0, 0, 0.21 + k * 0.02 + (2 + k) * GAP])
    for k in range(r.randint(1, 3)):
        body = s.add(some_shape(r), [s.near(0.2), s.near(0.05), 0.5 + 0.25 * k], orientation=quaternion(r),
                     density=r.choice([500, 1000, 8000]))
        body["velocity"] = [0, 0, -r.uniform(0, 3)]
    return s


def stairs(r):
    s = Scene(r)
    n, d, h = 6, r.uniform(0.1, 0.2), r.uniform(0.04, 0.1)
    steps = [{"shape": box(d, 1, (n - k) * h), "position": [k * d, 0, (n - k) * h / 2]} for k in range(n)]
    s.fixed("stairs", {"compound": steps}, [0, 0, 0])
    for k in range(r.randint(1, 4)):
        shape = r.choice([some_shape(r), {"sphere": {"radius": 0.05, "round": True}},
                          {"cylinder": {"radius": 0.05, "length": 0.15, "sides": 24}}])
        body = s.add(shape, [s.near(0.05), (k - 1.5) * 0.25, n * h + 0.16], orientation=quaternion(r))
        body["velocity"] = [r.uniform(0.2, 1.5), s.near(0.2), 0]
    return s


def wedged(r):
    s = Scene(r)
    a = r.uniform(0.15, 0.8)
    for x in (-1, 1):
        s.fixed(f"wall{x}", box(0.02, 0.4, 0.5), [x * (0.1 + 0.25 * math.sin(a)), 0, 0.3],
                orientation=turned([0, 1, 0], x * a / 2))
    for k in range(r.randint(2, 4)):
        s.add(some_shape(r, r.uniform(0.06, 0.16)), [s.near(0.03), s.near(0.05), 0.6 + 0.25 * k],
              orientation=quaternion(r), density=r.choice([500, 1000, 5000]))
    return s


def pyramids(r):
    s = Scene(r)
    n, a, gap = r.randint(3, 5), 0.08, r.choice([1e-6, 0.004])
    for row in range(n):
        for k in range(n - row):
            s.add(box(a, a, a), [(k - (n - row) / 2) * (a + gap), 0, row * (a + GAP) + a / 2 + GAP])
    ball = s.add({"sphere": {"radius": 0.05, "round": True}}, [-0.8, s.near(0.03), r.uniform(0.06, 0.3)],
                 density=r.choice([1000, 5000]))
    ball["velocity"] = [r.uniform(1, 6), 0, 0.5]
    return s


def nuts(r):
    s = Scene(r)
    s.add({"cylinder": {"radius": 0.02, "length": 0.3, "sides": r.randint(6, 12)}}, [0, 0, 0.16])
    for k in range(r.randint(1, 4)):
        s.add(ring(r.uniform(0.024, 0.032), 0.02, 0.02, r.randint(6, 8)), [0, 0, 0.05 + 0.04 * k])
    s.bodies[1]["angular_velocity"] = [s.near(1), s.near(1), s.near(5)]
    return s


def hooks(r):
    s = Scene(r)
    s.fixed("beam", box(0.02, 0.6, 0.02), [0, 0, 0.5])
    for k in range(r.randint(2, 4)):
        a = r.uniform(0.06, 0.1)
        parts = [{"shape": box(a, 0.02, 0.02)}, {"shape": box(0.02, 0.02, a), "position": [a / 2, 0, -a / 2]},
                 {"shape": box(0.02, 0.02, a / 2), "position": [-a / 2, 0, -a / 4]}]
        s.add({"compound": parts}, [0, 0.12 * (k - 1.5), 0.56], orientation=turned([0, 0, 1], s.near(0.6)))
    return s


def cards(r):
    s = Scene(r)
    a, length, t = r.uniform(0.25, 0.6), 0.12, 0.003
    s.friction = r.choice([0.3, 0.6, 1.0])
    out, up = length / 2 * math.sin(a) + t / 2 / math.cos(a), length / 2 * math.cos(a) + t / 2 * math.sin(a)
    for k in range(r.randint(1, 3)):
        for x in (-1, 1):
            s.add(box(t, 0.08, length), [k * 0.2 + x * (out + 2 * GAP), 0, up + GAP],
                  orientation=turned([0, 1, 0], -x * a))
    s.add(some_shape(r, 0.06), [0, 0, 0.3], orientation=quaternion(r), density=200)
    return s


def elastic(r):
    s = Scene(r)
    s.restitution = r.choice([0.7, 0.9, 1])
    for k in range(r.randint(2, 5)):
        body = s.add(some_shape(r), [s.near(0.1), s.near(0.1), 0.15 + 0.25 * k], orientation=quaternion(r))
        s.pushed(body, 1)
    return s


KINDS = [bins, tetrapods, spins, ladders, seesaws, billiards, rows, funnels,
         bridges, stairs, wedged, pyramids, nuts, hooks, cards, elastic]


def scene(number, until):
    return scene_judge.of_kind(KINDS, "mixed", number, until)


if __name__ == "__main__":
    sys.exit(scene_judge.main(__doc__, scene, 160))
