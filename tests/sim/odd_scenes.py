#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random scenes of what is odd about bodies, sixteen kinds beside those of random_scenes.py and mixed_scenes.py: scales
from a millimetre to metres, mass ratios of 1e6, materials that differ, starts in exact contact, centres of mass off
the middle, gravity tilted or none, ground far from the origin. Each is run and its record verified, and what failed,
stalled or took long is counted.

usage: odd_scenes.py RIGOR [--first N] [--count N] [--scenes N ...] and the options of scene_judge.py

Scene N is of kind N modulo 16 and depends on N alone. What counts as failed, stalled and slow: scene_judge.py.
Exit code: 1 where one failed or stalled.
"""
import math
import sys

import scene_judge
from mixed_scenes import SIDES, some_shape
from random_scenes import GAP, Scene
from scene_text import box, quaternion, turned

Z = [0, 0, 1]


class OddScene(Scene):
    gravity = None

    def text(self, name, until):
        out = super().text(name, until)
        return {**out, "gravity": self.gravity} if self.gravity else out


def rod(radius, length, sides):
    return {"cylinder": {"radius": radius, "length": length, "sides": sides}}


def ball(radius, rounded=True):
    return {"sphere": {"radius": radius, "round": True} if rounded else {"radius": radius, "vertices": 40}}


def material(r):
    return {"friction": r.choice([0, 0.01, 0.2, 0.7, 3, "no-slip"]), "restitution": r.choice([0, 0, 0.3, 0.6, 0.95])}


def dominoes(r):
    """A curved row whose stones differ in everything."""
    s = OddScene(r)
    x = y = a = 0
    for k in range(r.randint(4, 8)):
        h, d = r.uniform(0.15, 0.3), r.uniform(0.02, 0.05)
        s.add(box(d, 0.1, h), [x, y, h / 2 + GAP], orientation=turned(Z, a), density=r.choice([200, 1000, 5000]),
              **material(r))
        step = r.uniform(0.09, 0.14)
        a += r.uniform(-0.2, 0.3)
        x, y = x + step * math.cos(a), y + step * math.sin(a)
    s.bodies[1]["angular_velocity"] = [0, r.uniform(2, 5), 0]
    return s


def wheels(r):
    s = OddScene(r)
    s.friction, tilt = r.choice([0.01, 0.3, 1, "no-slip"]), r.uniform(0, 0.4)
    s.gravity = [9.81 * math.sin(tilt), 0, -9.81 * math.cos(tilt)]
    for k in range(r.randint(1, 3)):
        radius = r.uniform(0.03, 0.1)
        body = s.add(rod(radius, r.uniform(0.01, 0.1), r.choice([5, 8, 24, 64, 200])),
                     [s.near(0.2), 0.25 * k, radius + r.uniform(0.012, 0.06)],
                     orientation=turned([1, 0, 0], math.pi / 2 + s.near(0.2)))
        body["velocity"] = [r.uniform(0, 2), 0, 0]
        body["angular_velocity"] = [s.near(3), r.uniform(-20, 40), s.near(3)]
    return s


def scales(r):
    """A small body under, on or between large ones."""
    s = OddScene(r)
    small = 10 ** r.uniform(-3, -2)
    for k in range(r.randint(1, 3)):
        s.add(some_shape(r, small), [s.near(2 * small), s.near(2 * small) + 4.5 * small * k, 1.5 * small],
              orientation=quaternion(r))
    large = small * 10 ** r.uniform(0.5, 2)
    s.add(some_shape(r, large), [s.near(large / 3), s.near(large / 3), 1.3 * large + 8 * small],
          orientation=quaternion(r))
    return s


def exact(r):
    """Bricks without any gap between them."""
    s = OddScene(r)
    a, b, c, n = 0.1, 0.05, 0.04, r.randint(2, 4)
    for row in range(r.randint(2, 4)):
        for k in range(n):
            s.add(box(a, b, c), [(k + 0.5 * (row % 2)) * a, 0, (row + 0.5) * c])
    s.pushed(s.bodies[r.randint(1, len(s.bodies) - 1)], r.choice([0, 0.3, 2]))
    if r.random() < 0.5:
        body = s.add(some_shape(r, 0.08), [-0.3, 0, 0.1], orientation=quaternion(r), density=r.choice([500, 8000]))
        body["velocity"] = [r.uniform(1, 6), 0, 0.6]
    return s


def heavy_light(r):
    s = OddScene(r)
    z = 0.01
    for k in range(r.randint(2, 4)):
        a = r.uniform(0.05, 0.15)
        s.add(some_shape(r, a), [s.near(0.02), s.near(0.02), z + 1.2 * a], mass=10 ** r.uniform(-3, 3),
              orientation=quaternion(r))
        z += 2.6 * a
    return s


def weightless(r):
    s = OddScene(r, floor=False)
    s.gravity = [0, 0, 0] if r.random() < 0.6 else [s.near(1), s.near(1), s.near(1)]
    s.restitution = r.choice([0, 0.5, 1])
    for k in range(r.randint(2, 5)):
        a = 2 * math.pi * k / 5
        body = s.add(some_shape(r), [0.3 * math.cos(a), 0.3 * math.sin(a), s.near(0.05)], orientation=quaternion(r),
                     density=r.choice([300, 1000, 5000]))
        body["velocity"] = [-r.uniform(0.2, 2) * math.cos(a), -r.uniform(0.2, 2) * math.sin(a), s.near(0.1)]
        body["angular_velocity"] = [s.near(8) for _ in range(3)]
    return s


def far(r):
    """A fixed compound, turned, far from the origin."""
    s = OddScene(r, floor=False)
    q, at = quaternion(r), [s.near(10 ** r.uniform(0, 3)) for _ in range(3)]
    w, x, y, z = q

    def turn(v):  # By the quaternion.
        t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
        return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2],
                v[2] + w * t[2] + x * t[1] - y * t[0]]

    parts = [{"shape": box(0.6, 0.6, 0.05), "position": [0, 0, -0.025]}]
    for i, j in SIDES:
        parts.append({"shape": box(0.05 if i else 0.6, 0.6 if i else 0.05, 0.2), "position": [i * 0.3, j * 0.3, 0.1]})
    parts.append({"shape": box(0.1, 0.1, 0.1), "position": [s.near(0.15), s.near(0.15), 0.05]})
    s.fixed("tray", {"compound": parts}, at, orientation=q)
    down = turn([s.near(0.2), s.near(0.2), -1])
    s.gravity = [9.81 * d for d in down]
    for k in range(r.randint(1, 4)):
        place = turn([s.near(0.1), s.near(0.1), 0.25 + 0.22 * k])
        s.add(some_shape(r), [p + a for p, a in zip(place, at)], orientation=quaternion(r))
    return s


def troughs(r):
    """What rolls, in a groove."""
    s = OddScene(r)
    s.friction, a = r.choice([0, 0.05, 0.4, 1]), r.uniform(0.3, 1.1)
    for k in (-1, 1):
        s.fixed(f"side{k}", box(1, 0.3, 0.05), [0, k * 0.15 * math.cos(a), 0.2],
                orientation=turned([1, 0, 0], k * a))
    for k in range(r.randint(2, 5)):
        radius = r.uniform(0.03, 0.06)
        shape = r.choice([ball(radius), ball(radius, False), rod(radius, 0.1, r.choice([6, 12, 40])),
                          {"capsule": {"radius": radius / 2, "length": 0.08, "round": True}}])
        body = s.add(shape, [0.2 * (k - 2), s.near(0.02), 0.45 + 0.05 * k], orientation=quaternion(r),
                     density=r.choice([500, 1000, 8000]))
        body["velocity"] = [s.near(1), 0, 0]
    return s


def spinning_stacks(r):
    s = OddScene(r)
    z = GAP
    for k in range(r.randint(2, 5)):
        h, radius = r.uniform(0.02, 0.06), r.uniform(0.04, 0.08)
        shape = r.choice([rod(radius, h, r.choice([5, 9, 16, 32])), box(2 * radius, 1.5 * radius, h)])
        body = s.add(shape, [s.near(0.005), s.near(0.005), z + h / 2])
        body["angular_velocity"] = [0, 0, r.choice([0, s.near(40)])]
        z += h + GAP
    return s


def mixed_materials(r):
    s = OddScene(r)
    for k in range(r.randint(3, 6)):
        body = s.add(some_shape(r), [s.near(0.03), s.near(0.03), 0.15 + 0.25 * k], orientation=quaternion(r),
                     **material(r))
        s.pushed(body, 0.5)
    return s


def sticks(r):
    """Prisms that fall as a bundle."""
    s = OddScene(r)
    n, length = r.randint(3, 7), r.uniform(0.15, 0.3)
    for k in range(n):
        a = r.uniform(0.008, 0.015)
        place = [0.02 * (k % 3 - 1), s.near(0.004), 0.05 + 0.04 * (k // 3) + 0.012 * (k % 2)]
        s.add(rod(a / 2, length, r.choice([3, 4, 6, 8])), place,
              orientation=turned([1, 0, 0], math.pi / 2 + s.near(0.03)))
    return s


def off_centre(r):
    """Centres of mass off the middle: what rights itself, and what does not."""
    s = OddScene(r)
    s.friction = r.choice([0.1, 0.5, 1, "no-slip"])
    for k in range(r.randint(1, 3)):
        a = r.uniform(0.04, 0.08)
        shape = r.choice([ball(a), {"capsule": {"radius": a, "length": a, "round": True}}, rod(a, 2 * a, 24),
                          box(1.6 * a, 1.6 * a, 2 * a), ball(a, False)])
        body = s.add(shape, [0.3 * k, s.near(0.05), 2.2 * a], orientation=quaternion(r),
                     com=[s.near(0.3) * a, s.near(0.3) * a, -r.uniform(0.2, 0.7) * a])
        body["angular_velocity"] = [s.near(5) for _ in range(3)]
    return s


def fast(r):
    """Into a gap at up to 30 m/s."""
    s = OddScene(r)
    a = r.uniform(0.1, 0.6)
    for k in (-1, 1):
        s.fixed(f"jaw{k}", box(0.5, 0.05, 0.4), [0.3, k * (0.06 + 0.25 * math.sin(a)), 0.25],
                orientation=turned(Z, k * -a))
    for k in range(r.randint(1, 3)):
        body = s.add(some_shape(r, 0.08), [-0.3 - 0.2 * k, s.near(0.03), 0.2], orientation=quaternion(r))
        body["velocity"] = [r.uniform(3, 30), 0, 0]
        body["angular_velocity"] = [s.near(50) for _ in range(3)]
    return s


def crosses(r):
    """Three bars through each other, that hook into their like."""
    s = OddScene(r)
    for k in range(r.randint(2, 4)):
        a, t = r.uniform(0.1, 0.16), r.uniform(0.01, 0.02)
        bars = [{"shape": box(a, t, t)}, {"shape": box(t, a, t)}, {"shape": box(t, t, a)}]
        s.add({"compound": bars}, [s.near(0.03), s.near(0.03), 0.12 + 0.2 * k], orientation=quaternion(r))
    return s


def ramps(r):
    """From a slippery ramp onto rough ground, or back."""
    s = OddScene(r)
    tilt = r.uniform(0.2, 0.9)
    s.fixed("ramp", box(1, 0.5, 0.05), [-0.45 * math.cos(tilt), 0, 0.46 * math.sin(tilt) + 0.02],
            orientation=turned([0, 1, 0], tilt), friction=r.choice([0, 0.01, 0.5]))
    s.bodies[0]["friction"] = r.choice([0, 0.3, 1, 3])
    for k in range(r.randint(1, 3)):
        t = 0.15 + 0.25 * k
        s.add(r.choice([some_shape(r), box(0.2, 0.1, 0.01), rod(0.04, 0.15, 16)]),
              [-t * math.cos(tilt), s.near(0.1), t * math.sin(tilt) + 0.02 + 0.22 / math.cos(tilt)],
              orientation=quaternion(r))
    return s


def leaning(r):
    """Planks that lean on each other around a middle."""
    s = OddScene(r)
    s.friction = r.choice([0.2, 0.5, 1])
    n, a, length, t = r.randint(3, 5), r.uniform(0.9, 1.3), 0.3, 0.01
    for k in range(n):
        b = 2 * math.pi * k / n
        out = length / 2 * math.cos(a) + 0.015 / math.tan(math.pi / n) + t
        c, d = turned([0, 1, 0], a), turned(Z, b)
        q = [d[0] * c[0], -d[3] * c[2], d[0] * c[2], d[3] * c[0]]
        place = [out * math.cos(b), out * math.sin(b), length / 2 * math.sin(a) + t]
        s.add(box(length, 0.03, t), place, orientation=q)
    s.add(some_shape(r, 0.06), [0, 0, 0.45], orientation=quaternion(r), density=r.choice([200, 1000, 4000]))
    return s


KINDS = [dominoes, wheels, scales, exact, heavy_light, weightless, far, troughs, spinning_stacks, mixed_materials,
         sticks, off_centre, fast, crosses, ramps, leaning]


def scene(number, until):
    return scene_judge.of_kind(KINDS, "odd", number, until)


if __name__ == "__main__":
    sys.exit(scene_judge.main(__doc__, scene, 160))
