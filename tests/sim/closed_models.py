#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random mechanisms closed by loops: trees of links that float or hang in the world, joined by points and welds to each
other or to the world; joints with dampers, springs, rotors, friction and limits in them; some hit by bodies. Each is
run and its record verified, and what failed, stalled or took long is counted.

usage: closed_models.py RIGOR [--first N] [--count N] [--scenes N ...] and the options of scene_judge.py

Scene N depends on N alone. Some have links that overlap at the start: they are refused, code 3. What counts as failed,
stalled and slow: scene_judge.py.
Exit code: 1 where one failed or stalled.
"""
import random
import sys

import scene_judge
from random_models import joint, model, numbers, scene, thrown


def closed(r):
    count, floats = r.randint(2, 6), r.random() < 0.6
    plain = r.random() < 0.4  # No joint does anything along its axis.
    parents = [-1] + [r.randrange(k) for k in range(1, count)]
    lengths = [r.uniform(0.08, 0.2) for _ in range(count)]

    def link(k):
        length, wide = lengths[k], r.uniform(0.008, 0.015)
        hinge = f'<joint name="l{k}_j" type="hinge" axis="0 1 0"/>' if plain else joint(r, f"l{k}_j")
        held = "" if k == 0 and floats else hinge
        inner = "".join(link(c) for c in range(count) if parents[c] == k)
        turn = numbers(r.uniform(-.3, .3) if not plain else 0, r.uniform(-1.2, 1.2), 0)
        place = numbers(0, 0.05 * r.choice([-1, 0, 1]) if not plain else 0.04, 0 if k == 0 else lengths[parents[k]])
        return (f'<body name="l{k}" pos="{place}" euler="{turn}">{"<freejoint/>" if k == 0 and floats else held}'
                f'<geom type="capsule" size="{wide}" fromto="0 0 0.03 0 0 {length - .03}" '
                f'mass="{10 ** r.uniform(-1.5, 0.5)}"/>{inner}</body>')

    loops = ""
    for _ in range(r.choice([1, 1, 1, 2])):
        one = r.randrange(count)
        other = r.choice([None] + [k for k in range(count) if k != one])
        to = f' body2="l{other}"' if other is not None else ""
        if r.random() < 0.8:
            loops += f'<connect body1="l{one}"{to} anchor="0 0 {lengths[one]}"/>'
        else:
            loops += f'<weld body1="l{one}"{to}/>'
    entry = {"position": [0, 0, 0.7], "close_loops": True, "base": "floating" if floats else "fixed",
             "move_inside_limits": True}
    if not floats:
        del entry["base"]
    return scene(r, [(model(link(0), f"<equality>{loops}</equality>"), entry)],
                 thrown(r, r.choice([0, 1, 2]), 1.4, 0.1))


def numbered(number, until):
    """@returns the scene and its files."""
    return scene_judge.named(closed(random.Random(f"closed {number}")), f"closed-{number}", until)


if __name__ == "__main__":
    sys.exit(scene_judge.main(__doc__, numbered, 100))
