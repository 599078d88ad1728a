#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random robots in random crowds: robots of random_robots.py in a pit, floating or hung over it, some with a weak
controller, and ten to forty bodies that fall on them. Each is run and its record verified, and what failed, stalled or
took long is counted.

usage: crowded_robots.py RIGOR [--first N] [--count N] [--scenes N ...] and the options of scene_judge.py

Scene N depends on N alone. One in thirty has bodies that overlap at the start: it is refused, code 3. What counts as
failed, stalled and slow: scene_judge.py.
Exit code: 1 where one failed or stalled.
"""
import random
import sys

import random_robots
import scene_judge
import terrain_scenes
from scene_text import box, quaternion

APART = 0.26  # Of the centres of bodies at the start, which are smaller [m].


def pit(half):
    ground = {"name": "ground", "fixed": True, "shape": {"halfspace": {"normal": [0, 0, 1], "offset": 0}}}
    side = half + 0.05
    return [ground] + [{"name": f"wall{k}", "fixed": True, "shape": box(*size), "position": place}
                       for k, (size, place) in enumerate([
                           ((0.1, 2 * half + 0.2, 3), [side, 0, 1.5]), ((0.1, 2 * half + 0.2, 3), [-side, 0, 1.5]),
                           ((2 * half, 0.1, 3), [0, side, 1.5]), ((2 * half, 0.1, 3), [0, -side, 1.5])])]


def falling(r, count, half):
    """Bodies over the robots, none near another."""
    places, height = [], 1.7
    while len(places) < count:
        place = [r.uniform(0.14 - half, half - 0.14), r.uniform(0.14 - half, half - 0.14), height]
        if all(sum((a - b) ** 2 for a, b in zip(place, other)) > APART ** 2 for other in places):
            places.append(place)
        height += 0.01
    return [{"name": f"b{k}", "mass": r.choice([0.1, 0.5, 1, 1, 3]), "shape": terrain_scenes.shape(r),
             "position": place, "orientation": quaternion(r)} for k, place in enumerate(places)]


def scene(number, until):
    """@returns the scene and its files."""
    r = random.Random(f"crowded {number}")
    half = r.uniform(0.4, 0.6)
    bodies = pit(half) + falling(r, r.randint(10, 40), half)
    files, robots = {}, []
    for k in range(r.choice([1, 1, 2])):
        file = f"r{k}.urdf"
        files[file] = random_robots.robot(r)
        entry = {"name": f"r{k}", "urdf": file, "position": [0, 0, 0.9 + 0.5 * k],
                 "move_inside_limits": True, "base": r.choice(["floating", "floating", "fixed"])}
        if r.random() < 0.3:
            entry["controller"] = {"type": "pd", "kp": r.choice([0.2, 1]), "kd": 0.002, "rate": 1000}
        robots.append(entry)
    contact = {"friction": r.choice([0.2, 0.4, 0.6, 1]), "restitution": r.choice([0, 0, 0, 0.4])}
    return {"name": f"crowded-{number}", "until": until, "contact": contact, "bodies": bodies, "robots": robots}, files


if __name__ == "__main__":
    sys.exit(scene_judge.main(__doc__, scene, 60))
