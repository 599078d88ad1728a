#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random robots with gears: trees of links that float or hang in the world, whose joints turn or slide and follow other
joints at some ratio; dampers, friction, limits, some under a controller, some hit by bodies. Each is run and its record
verified, and what failed, stalled or took long is counted.

usage: geared_models.py RIGOR [--first N] [--count N] [--scenes N ...] and the options of scene_judge.py

Scene N depends on N alone. Some have links that overlap at the start: they are refused, code 3. What counts as failed,
stalled and slow: scene_judge.py.
Exit code: 1 where one failed or stalled.
"""
import random
import sys

import scene_judge
from random_models import numbers, scene, thrown


def link(name, size, mass):
    half = size[0] / 2
    moments = [mass / 12 * sum(x * x for j, x in enumerate(size) if j != i) for i in range(3)]
    inertia = " ".join(f'{a}="{i}"' for a, i in zip(("ixx", "iyy", "izz"), moments))
    return (f'<link name="{name}"><inertial><origin xyz="{half} 0 0"/><mass value="{mass}"/>'
            f'<inertia {inertia} ixy="0" ixz="0" iyz="0"/></inertial><collision><origin xyz="{half} 0 0"/><geometry>'
            f'<box size="{numbers(0.8 * size[0], *size[1:])}"/></geometry></collision></link>\n')


def joint(r, k, parent, sideways, leader):
    """@returns its text, and its name and type where others may follow it."""
    kind = r.choice(("continuous", "continuous", "prismatic"))
    follows, limit = "", ""
    if leader and r.random() < 0.7:
        ratio = r.uniform(-2, 2) if kind == leader[1] else r.uniform(-0.1, 0.1)
        follows = f'<mimic joint="{leader[0]}" multiplier="{ratio}"/>'
    if kind == "prismatic":
        reach = (-9, 9) if follows else (-0.05, 0.1)
        limit = f'<limit lower="{reach[0]}" upper="{reach[1]}" effort="0" velocity="9"/>'
    acts = f'<dynamics damping="{r.choice((0, 0, 0.02))}" friction="{r.choice((0, 0, 0.05))}"/>'
    text = (f'<joint name="j{k}" type="{kind}"><parent link="l{parent}"/><child link="l{k}"/>'
            f'<origin xyz="{numbers(0.27, sideways, 0)}" rpy="{numbers(0, 0, r.uniform(-1, 1))}"/>'
            f'<axis xyz="{r.choice(("1 0 0", "0 1 0", "0 0 1"))}"/>{follows}{limit}{acts}</joint>\n')
    return text, None if follows else (f"j{k}", kind)


def geared(r):
    """@returns the scene and its files."""
    text, leader = link("l0", (0.3, 0.1, 0.1), r.uniform(0.5, 3)), None
    for k in range(1, r.randint(3, 6)):
        parent = k - 1 if r.random() < 0.7 else 0
        text += link(f"l{k}", (0.25, 0.05, 0.05), 10 ** r.uniform(-1.5, 0.3))
        its, free = joint(r, k, parent, 0.12 * k if parent == 0 and k > 1 else 0, leader)
        text, leader = text + its, free or leader
    entry = {"name": "m", "urdf": "m.urdf", "base": r.choice(("floating", "floating", "fixed")),
             "position": [0, 0, 1.2], "rpy": [r.uniform(-1, 1), r.uniform(-1, 1), 0], "self_collision": False}
    if r.random() < 0.3:
        entry["controller"] = {"type": "pd", "kp": r.choice((0.5, 5)), "kd": 0.01, "rate": 1000}
    scene_text, _ = scene(r, [], thrown(r, r.choice((0, 0, 1, 2)), 1.8, 0.1))
    scene_text["robots"] = [entry]
    return scene_text, {"m.urdf": f'<robot name="m">\n{text}</robot>\n'}


def numbered(number, until):
    """@returns the scene and its files."""
    return scene_judge.named(geared(random.Random(f"geared {number}")), f"geared-{number}", until)


if __name__ == "__main__":
    sys.exit(scene_judge.main(__doc__, numbered, 100))
