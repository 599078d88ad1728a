#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random robots: trees of links of very different masses, whose joints turn, slide and are damped, rub and have limits,
dropped on a plane, uneven ground or stairs, some beside other bodies, some with a weak controller. Each is run and its
record verified, and what failed, stalled or took long is counted.

usage: random_robots.py RIGOR [--first N] [--count N] [--scenes N ...] and the options of scene_judge.py

Scene N depends on N alone. One in twelve has links that overlap at the start: it is refused, code 3. What counts as
failed, stalled and slow: scene_judge.py.
Exit code: 1 where one failed or stalled.
"""
import random
import sys

import scene_judge
import terrain_scenes
from scene_text import box, quaternion

BASE = (0.2, 0.2, 0.1)


def link(r, name, size):
    """A link that hangs down from its joint."""
    kind, mass = r.choice(["box", "cylinder", "sphere", "box"]), 10 ** r.uniform(-1.5, 0.7)
    a, b, c = size
    if kind == "box":
        shape = f'<box size="{a} {b} {c}"/>'
        inertia = [mass / 12 * (x * x + y * y) for x, y in ((b, c), (a, c), (a, b))]
    elif kind == "cylinder":
        radius = min(a, b) / 2
        shape = f'<cylinder radius="{radius}" length="{c}"/>'
        inertia = [mass / 12 * (3 * radius * radius + c * c)] * 2 + [mass * radius * radius / 2]
    else:
        radius = 0.6 * min(a, b, c)
        shape = f'<sphere radius="{radius}"/>'
        inertia = [0.4 * mass * radius * radius] * 3
    origin = f'<origin xyz="0 0 {-c / 2}"/>'
    collision = f"<collision>{origin}<geometry>{shape}</geometry></collision>" if r.random() < 0.9 else ""
    moments = " ".join(f'{name}="{x}"' for name, x in zip(("ixx", "iyy", "izz"), inertia))
    return (f'<link name="{name}"><inertial>{origin}<mass value="{mass}"/>'
            f'<inertia {moments} ixy="0" ixz="0" iyz="0"/></inertial>{collision}</link>')


def joint(r, k, parent, place):
    kind = r.choice(["revolute", "revolute", "continuous", "prismatic", "fixed", "revolute"])
    axis = r.choice(["1 0 0", "0 1 0", "0 0 1", "0.6 0.8 0"])
    limit = dynamics = ""
    if kind == "revolute":
        limit = f'<limit lower="{r.uniform(-2, 0)}" upper="{r.uniform(0, 2)}" effort="10" velocity="10"/>'
    elif kind == "prismatic":
        limit = f'<limit lower="{-r.uniform(0.01, 0.1)}" upper="{r.uniform(0.01, 0.1)}" effort="10" velocity="10"/>'
    if r.random() < 0.5:
        dynamics = (f'<dynamics damping="{r.choice([0, 0.001, 0.01, 0.1, 1])}" '
                    f'friction="{r.choice([0, 0, 0.01, 0.1])}"/>')
    turn = f"{r.choice([0, 0, 0.3])} {r.choice([0, 0, -0.4])} 0"
    return (f'<joint name="j{k}" type="{kind}"><parent link="{parent}"/><child link="l{k}"/>'
            f'<origin xyz="{place[0]} {place[1]} {place[2]}" rpy="{turn}"/>'
            f'<axis xyz="{axis}"/>{limit}{dynamics}</joint>')


def robot(r):
    count = r.randint(2, 8)
    out, sizes = [link(r, "l0", BASE)], [BASE]
    for k in range(1, count + 1):
        parent = r.choice([0, k - 1]) if k > 1 else 0
        size, on = (r.uniform(0.03, 0.06), r.uniform(0.03, 0.06), r.uniform(0.08, 0.2)), sizes[parent]
        place = (r.choice([-1, 1]) * on[0] * 0.5, r.choice([-1, 1]) * on[1] * 0.5, -on[2] * r.choice([0.5, 1]))
        out.append(link(r, f"l{k}", size))
        sizes.append(size)
        out.append(joint(r, k, f"l{parent}", place))
    return f'<robot name="r">{"".join(out)}</robot>'


def ground(r):
    plane = {"name": "ground", "fixed": True, "shape": {"halfspace": {"normal": [0, 0, 1], "offset": 0}}}
    kind = r.choice(["plane", "plane", "terrain", "steps"])
    if kind == "plane":
        return [plane]
    if kind == "terrain":
        return [{"name": "ground", "fixed": True, "shape": terrain_scenes.ground(r)}]
    return [{"name": f"step{k}", "fixed": True, "shape": box(0.2, 2, 0.1 * (k + 1)),
             "position": [0.2 * k - 0.4, 0, 0.05 * (k + 1)]} for k in range(4)] + [plane]


def scene(number, until):
    """@returns the scene and its files."""
    r = random.Random(f"bots {number}")
    bodies = ground(r)
    for k in range(r.choice([0, 0, 1, 2])):
        bodies.append({"name": f"b{k}", "mass": r.choice([0.1, 1, 5]), "shape": terrain_scenes.shape(r),
                       "position": [0.1 * r.gauss(0, 1), 0.1 * r.gauss(0, 1), 2.2 + 0.4 * k],
                       "orientation": quaternion(r)})
    files = {"r.urdf": robot(r)}
    entry = {"name": "r", "urdf": "r.urdf", "position": [0, 0, 1.2], "orientation": quaternion(r),
             "move_inside_limits": True, "velocity": [r.gauss(0, 0.5), r.gauss(0, 0.5), 0],
             "angular_velocity": [r.gauss(0, 2) for _ in range(3)]}
    if r.random() < 0.25:
        entry["self_collision"] = True
    if r.random() < 0.3:
        entry["controller"] = {"type": "pd", "kp": r.choice([0.2, 1]), "kd": 0.002, "rate": 1000}
    contact = {"friction": r.choice([0, 0.3, 0.6, 1, "no-slip"]), "restitution": r.choice([0, 0, 0.5])}
    return {"name": f"robot-{number}", "until": until, "contact": contact, "bodies": bodies, "robots": [entry]}, files


if __name__ == "__main__":
    sys.exit(scene_judge.main(__doc__, scene, 160))
