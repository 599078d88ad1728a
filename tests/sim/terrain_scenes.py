#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random bodies on random ground: waves, rough ground, steps and teeth, whose convex parts meet along seams. Each scene
is run and its record verified, and what failed, stalled or took long is counted.

usage: terrain_scenes.py RIGOR [--first N] [--count N] [--scenes N ...] and the options of scene_judge.py

Scene N depends on N alone. What counts as failed, stalled and slow: scene_judge.py.
Exit code: 1 where one failed or stalled.
"""
import math
import random
import sys

import scene_judge
from scene_text import box, quaternion

CELLS, CELL = 20, 0.05  # Of a side; [m].
LOWEST, APART = 0.25, 0.25  # Of the centres of bodies at the start, so that none begins in another [m].


def ground(r):
    height = r.choice([0.01, 0.03, 0.03, 0.06])
    x, y = r.uniform(3, 14), r.uniform(3, 14)
    at = [(k - CELLS / 2) * CELL for k in range(CELLS + 1)]
    rows = r.choice([
        lambda: [[height * math.sin(x * u) * math.cos(y * v) for u in at] for v in at],
        lambda: [[r.uniform(0, height) for _ in at] for _ in at],
        lambda: [[height * (k // 3) for k in range(CELLS + 1)] for _ in at],
        lambda: [[height * (k // 3 % 2) for k in range(CELLS + 1)] for _ in at]])()
    return {"heightfield": {"thickness": 0.2, "size": [CELLS * CELL, CELLS * CELL], "heights": rows}}


def shape(r):
    return r.choice([
        lambda: box(0.1, 0.1, 0.1),
        lambda: box(0.05, 0.12, 0.16),
        lambda: box(0.02, 0.15, 0.15),
        lambda: {"hull": {"vertices": [[r.uniform(-0.07, 0.07) for _ in range(3)] for _ in range(r.randint(4, 14))]}},
        lambda: {"compound": [{"shape": box(0.16, 0.05, 0.05), "position": [0.03, 0, 0]},
                              {"shape": box(0.05, 0.05, 0.12), "position": [-0.075, 0, 0.06]}]},
        lambda: {"sphere": {"radius": 0.05, "round": r.random() < 0.5}},
        lambda: {"capsule": {"radius": 0.03, "length": 0.1, "round": True}},
        lambda: {"cylinder": {"radius": 0.05, "length": 0.1}}])()


def scene(number, until):
    r = random.Random(f"terrain {number}")
    bodies = [{"name": "ground", "fixed": True, "shape": ground(r)}]
    for k in range(3):
        bodies.append({"name": f"b{k}", "mass": 1, "shape": shape(r),
                       "position": [0.2 * (k - 1), 0.05 * r.gauss(0, 1), LOWEST + APART * k],
                       "orientation": quaternion(r),
                       "velocity": [0.2 * r.gauss(0, 1), 0.2 * r.gauss(0, 1), -1],
                       "angular_velocity": [4 * r.gauss(0, 1) for _ in range(3)]})
    contact = {"friction": r.choice([0, 0.2, 0.6, 0.6, 1]), "restitution": r.choice([0, 0, 0.3])}
    return {"name": f"terrain-{number}", "until": until, "contact": contact, "bodies": bodies}


if __name__ == "__main__":
    sys.exit(scene_judge.main(__doc__, scene, 100))
