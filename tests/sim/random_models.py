#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random mechanisms from MJCF: ragdolls, linkages, hanging bridges, carts, spiders, arms, doors, nets, grippers, robots
that fall on each other; on a plane, uneven ground or stairs, some hit by bodies. Each is run and its record verified,
and what failed, stalled or took long is counted.

usage: random_models.py RIGOR [--first N] [--count N] [--scenes N ...] and the options of scene_judge.py

Scene N is of kind N modulo 10 and depends on N alone. What counts as failed, stalled and slow: scene_judge.py.
Exit code: 1 where one failed or stalled.
"""
import math
import random
import sys

import random_robots
import scene_judge
import terrain_scenes
from scene_text import box, quaternion

PLANE = {"name": "ground", "fixed": True, "shape": {"halfspace": {"normal": [0, 0, 1], "offset": 0}}}


def numbers(*values):
    return " ".join(f"{v:.17g}" for v in values)


def geom(r, size, mass, around=(0, 0, 0)):
    """A geom of about `size` [m] along x, y, z whose middle is at `around`."""
    a, b, c = (s / 2 for s in size)
    kind = r.choice(["box", "capsule", "ellipsoid", "box", "cylinder", "sphere"])
    thick = min(a, b, c)
    sizes = {"box": (a, b, c), "capsule": (thick, max(c - thick, 0.2 * thick)), "ellipsoid": (a, b, c),
             "cylinder": (min(a, b), c), "sphere": (thick,)}[kind]
    return f'<geom type="{kind}" size="{numbers(*sizes)}" pos="{numbers(*around)}" mass="{mass}"/>'


def joint(r, name, kind=None):
    kind = kind or r.choice(["hinge", "hinge", "ball", "slide"])
    more = f' damping="{r.choice([0, 0, 0.001, 0.01, 0.1])}"'
    if kind != "ball":
        more += f' axis="{r.choice(["1 0 0", "0 1 0", "0 0 1", "0.6 0.8 0"])}"'
        if r.random() < 0.4:
            span = r.uniform(0.05, 1.5) if kind == "hinge" else r.uniform(0.01, 0.1)
            more += f' limited="true" range="{-span} {span * r.random()}"'
        if r.random() < 0.3:
            more += f' armature="{10 ** r.uniform(-6, -3)}"'
        if r.random() < 0.3:
            more += f' stiffness="{10 ** r.uniform(-2, 1)}"'
        if r.random() < 0.3:
            more += f' frictionloss="{10 ** r.uniform(-3, -1)}"'
    return f'<joint name="{name}" type="{kind}"{more}/>'


def model(bodies, more=""):
    return (f'<mujoco><compiler angle="radian" autolimits="true"/><worldbody>{bodies}</worldbody>{more}</mujoco>')


def contact(r):
    return {"friction": r.choice([0, 0.3, 0.6, 1, "no-slip"]), "restitution": r.choice([0, 0, 0.5])}


def scene(r, models, extra=(), ground=None):
    """@param models  texts of MJCF with the scene's fields of each robot."""
    bodies, files = list(ground or [PLANE]) + list(extra), {}
    robots = []
    for k, (text, entry) in enumerate(models):
        files[f"m{k}.xml"] = text
        robots.append({"name": f"m{k}", "mjcf": f"m{k}.xml", **entry})
    return {"contact": contact(r), "bodies": bodies, "robots": robots}, files


def thrown(r, count, height=1.5, wide=0.15):
    out = []
    for k in range(count):
        out.append({"name": f"b{k}", "mass": 10 ** r.uniform(-1.5, 1), "shape": terrain_scenes.shape(r),
                    "position": [wide * r.gauss(0, 1), wide * r.gauss(0, 1), height + 0.4 * k],
                    "orientation": quaternion(r), "velocity": [0, 0, -r.uniform(0, 3)]})
    return out


def placed(r, height):
    return {"position": [0, 0, height], "orientation": quaternion(r), "move_inside_limits": True}


def ragdoll(r):
    """Torso with a head, arms and legs on balls, knees and elbows on hinges."""
    def limb(name, place):
        upper, lower = r.uniform(0.08, 0.15), r.uniform(0.08, 0.15)
        t = r.uniform(0.02, 0.04)
        bend = f'<joint name="{name}_k" type="hinge" axis="0 1 0" range="-{r.uniform(0.5, 2)} 0.01"/>'
        return (f'<body name="{name}" pos="{numbers(*place)}"><joint name="{name}_j" type="ball" '
                f'damping="{r.choice([0, 0.001, 0.01])}"/>'
                f'<geom type="capsule" size="{t}" fromto="0 0 {-1.2 * t} 0 0 {-upper}" '
                f'mass="{r.uniform(.1, 1)}"/>'
                f'<body name="{name}2" pos="0 0 {-(upper + 1.2 * t)}">{bend}'
                f'<geom type="capsule" size="{0.8 * t}" fromto="0 0 {-1.2 * t} 0 0 {-lower}" '
                f'mass="{r.uniform(.05, .5)}"/>'
                f'</body></body>')
    limbs = "".join(limb(f"l{k}", place) for k, place in enumerate(
        ((0, 0.06, -0.12), (0, -0.06, -0.12), (0, 0.12, 0.1), (0, -0.12, 0.1))))
    head = (f'<body name="head" pos="0 0 0.13"><joint name="neck" type="{r.choice(["ball", "hinge"])}"/>'
            f'<geom type="sphere" size="0.05" pos="0 0 0.06" mass="0.5"/></body>')
    return model(f'<body name="torso"><freejoint/><geom type="box" size="0.04 0.08 0.1" mass="2"/>{limbs}{head}</body>')


def ragdolls(r):
    models = [(ragdoll(r), placed(r, 0.8 + 0.9 * k)) for k in range(r.choice([1, 1, 2]))]
    return scene(r, models, thrown(r, r.choice([0, 0, 1]), 2.8), ground=random_robots.ground(r))


def linkages(r):
    """Four-bar linkages in the plane of x and z, free or hung up."""
    free = r.random() < 0.5
    a, b, c = r.uniform(0.1, 0.2), r.uniform(0.15, 0.3), r.uniform(0.1, 0.2)
    d = r.uniform(0.7, 0.95) * min(b + c - a, a + b - 0.02, a + c + b) if b + c > a else b
    # Angle of the first bar is straight up: the second ends at distance c of the far pivot.
    far = math.hypot(d, a)
    if far >= b + c or far <= abs(b - c):
        d, b, c, far = 0.2, 0.25, 0.15, math.hypot(0.2, a)
        c = math.hypot(far, 0) * 0.9
    lift = math.acos((b * b + far * far - c * c) / (2 * b * far))
    tilt = -math.atan2(a, d) + lift
    end = (b * math.cos(tilt), a + b * math.sin(tilt))
    rest = (d - end[0], -end[1])
    def bar(name, place, to, inner):
        length = math.hypot(*to)
        mid = (to[0] / 2, 0, to[1] / 2)
        turn = math.atan2(to[0], to[1])
        return (f'<body name="{name}" pos="{numbers(*place)}"><joint name="{name}_j" type="hinge" axis="0 1 0" '
                f'damping="{r.choice([0, 0.001])}"/><geom type="box" size="0.01 0.01 {0.4 * length}" '
                f'pos="{numbers(*mid)}" euler="0 {turn} 0" mass="{r.uniform(.05, .5)}"/>{inner}</body>')
    third = bar("c", (b * math.cos(tilt), 0, b * math.sin(tilt)), rest, "")
    second = bar("b", (0, 0, a), (b * math.cos(tilt), b * math.sin(tilt)), third)
    first = bar("a", (-d / 2, 0, 0.03), (0, a), second)
    base = (f'<body name="base" pos="0 0 0">{"<freejoint/>" if free else ""}'
            f'<geom type="box" size="{d / 2 + .02} 0.03 0.01" mass="1"/>{first}</body>')
    loop = (f'<equality><connect body1="c" body2="base" anchor="{numbers(rest[0], 0, rest[1])}"/></equality>')
    entry = {"position": [0, 0, 0.6], "close_loops": True}
    if free:
        entry["orientation"] = quaternion(r)
    return scene(r, [(model(base, loop), entry)], thrown(r, r.choice([0, 1, 2]), 1.4, 0.1),
                 ground=random_robots.ground(r))


def bridges(r):
    """Links on balls or hinges between two points, with bodies on them."""
    count, length = r.randint(4, 9), r.uniform(0.06, 0.1)
    kind = r.choice(["ball", "hinge"])
    inner = ""
    for k in reversed(range(count)):
        turn = 0.5 - k / (count - 1)  # An arc, so that the last one ends at the far point.
        more = 'axis="0 1 0"' if kind == "hinge" else 'damping="0.002"'
        angle = (2 * turn if k == 0 else -2 / (count - 1) * 0.5 * 2) * 0.3
        shape = r.choice([f'<geom type="capsule" size="0.012" fromto="0.015 0 0 {length - .015} 0 0" mass="0.1"/>',
                          f'<geom type="box" size="{length * .42} 0.04 0.008" pos="{length / 2} 0 0" mass="0.1"/>'])
        inner = (f'<body name="p{k}" pos="{length if k else 0} 0 0" euler="0 {angle} 0">'
                 f'<joint name="p{k}_j" type="{kind}" {more}/>{shape}{inner}</body>')
    loop = f'<equality><connect body1="p{count - 1}" anchor="{length} 0 0"/></equality>'
    entry = {"position": [-count * length / 2, 0, 0.6], "close_loops": r.random() < 0.8, "base": "fixed"}
    return scene(r, [(model(inner, loop), entry)], thrown(r, r.choice([1, 2, 3]), 1.2, 0.08))


def carts(r):
    """A box on wheels, some driven, on uneven ground, with something on top."""
    a, b = r.uniform(0.1, 0.2), r.uniform(0.06, 0.12)
    radius, wide = r.uniform(0.03, 0.06), r.uniform(0.01, 0.03)
    wheels = ""
    kind = r.choice(["cylinder", "sphere", "capsule"])
    for k, (x, y) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
        size = {"cylinder": numbers(radius, wide), "sphere": numbers(radius), "capsule": numbers(radius, wide)}[kind]
        out = b + wide + radius * (kind != "cylinder") + 0.005
        spring = ""
        if r.random() < 0.4:
            spring = '<joint name="s%d" type="slide" axis="0 0 1" stiffness="300" damping="3" range="-0.02 0.02"/>' % k
        hinge = f'<joint name="w{k}" type="hinge" axis="0 1 0" damping="{r.choice([0, 0.001])}"/>'
        wheels += (f'<body name="wheel{k}" pos="{numbers(x * a, y * out, -0.02)}">{spring}{hinge}'
                   f'<geom type="{kind}" size="{size}" euler="{math.pi / 2} 0 0" mass="0.2"/></body>')
    base = (f'<body name="base"><freejoint/><geom type="box" size="{a} {b} 0.02" mass="{10 ** r.uniform(-.5, 1)}"/>'
            f'{wheels}</body>')
    entry = {"position": [0, 0, 0.5], "velocity": [r.gauss(0, 1), 0, 0],
             "orientation": r.choice([[1, 0, 0, 0], quaternion(r)])}
    return scene(r, [(model(base), entry)], thrown(r, r.choice([0, 1, 1]), 0.9, 0.05), ground=random_robots.ground(r))


def spiders(r):
    """Many legs of two or three joints with armature on a small body; some held by weak controllers."""
    legs, out = r.choice([3, 4, 6, 8]), ""
    for k in range(legs):
        angle = 2 * math.pi * k / legs
        upper, lower = 0.08, 0.1
        hip = joint(r, f"hip{k}", r.choice(["ball", "hinge"]))
        out += (f'<body name="u{k}" pos="{numbers(0.07 * math.cos(angle), 0.07 * math.sin(angle), 0)}" '
                f'euler="0 0 {angle}">{hip}<geom type="capsule" size="0.012" fromto="0.015 0 0 {upper} 0 0" '
                f'mass="0.05"/><body name="f{k}" pos="{upper + .015} 0 0" euler="0 {r.uniform(.5, 1.2)} 0">'
                f'<joint name="knee{k}" type="hinge" axis="0 1 0" armature="0.0001" damping="0.005" '
                f'range="-{r.uniform(.3, 1)} {r.uniform(.3, 1)}"/>'
                f'<geom type="capsule" size="0.01" fromto="0.015 0 0 {lower} 0 0" mass="0.03"/>'
                f'</body></body>')
    text = model('<body name="body"><freejoint/><geom type="ellipsoid" size="0.05 0.05 0.025" mass="0.5"/>'
                 f'{out}</body>')
    entry = placed(r, 0.8)
    if r.random() < 0.5:
        entry["controller"] = {"type": "pd", "kp": r.choice([0.2, 1]), "kd": 0.005, "rate": 1000}
    if r.random() < 0.3:
        entry["self_collision"] = True
    return scene(r, [(text, entry)], thrown(r, r.choice([0, 0, 1]), 1.2, 0.05), ground=random_robots.ground(r))


def arms(r):
    """A fixed arm that swings into a stack."""
    inner = geom(r, (0.08, 0.08, 0.08), r.uniform(0.1, 3), (0, 0, -0.05))
    for k in reversed(range(r.randint(1, 4))):
        length = r.uniform(0.1, 0.25)
        inner = (f'<body name="a{k}" pos="0 0 {-r.uniform(0.1, 0.25) if k else 0}" '
                 f'euler="0 {r.uniform(-1.5, 1.5)} 0">{joint(r, f"a{k}_j", r.choice(["hinge", "ball"]))}'
                 f'<geom type="capsule" size="0.015" fromto="0 0 -0.02 0 0 {-length * .5}" mass="0.2"/>{inner}</body>')
    stack, z = [], 1e-7
    for k in range(r.randint(1, 5)):
        size = [r.uniform(0.06, 0.12) for _ in range(3)]
        stack.append({"name": f"s{k}", "mass": 10 ** r.uniform(-1, 1), "shape": box(*size),
                      "position": [0.25, 0, z + size[2] / 2]})
        z += size[2] + 1.2e-7
    entry = {"position": [-0.2, 0, r.uniform(0.8, 1)], "base": "fixed", "move_inside_limits": True}
    if r.random() < 0.3:
        entry["controller"] = {"type": "pd", "kp": 5, "kd": 0.05}
    return scene(r, [(model(inner), entry)], stack)


def doors(r):
    """Bodies on hinges, slides and balls in the world with limits and springs, hit by bodies."""
    out = ""
    for k in range(r.randint(1, 4)):
        size = [r.uniform(0.02, 0.3) for _ in range(3)]
        out += (f'<body name="d{k}" pos="{numbers(0.4 * (k % 2), 0.4 * (k // 2), r.uniform(.3, .5))}" '
                f'euler="{numbers(r.uniform(-.5, .5), r.uniform(-.5, .5), 0)}">{joint(r, f"d{k}_j")}'
                f'{geom(r, size, 10 ** r.uniform(-1, 1), (size[0] / 2, 0, 0))}</body>')
    entry = {"position": [-0.2, -0.2, 0.2], "base": "fixed", "move_inside_limits": True,
             "limit_restitution": r.choice([0, 0, 0.5])}
    return scene(r, [(model(out), entry)] if out.count("<body") == 1 else
                 [(model(f'<body name="frame">{out}'
                         '<geom type="box" size=".01 .01 .01" pos="0 0 -.15" mass="1"/></body>'), entry)],
                 thrown(r, r.randint(1, 4), 1.1, 0.2))


def nets(r):
    """Rods on balls in squares: loops that share links."""
    n, length = r.choice([1, 2]), 0.12
    def rod(name, place, along, inner=""):
        to = [length * x for x in along]
        return (f'<body name="{name}" pos="{numbers(*place)}"><joint name="{name}_j" type="ball" damping="0.001"/>'
                f'<geom type="capsule" size="0.01" '
                f'fromto="{numbers(*(0.15 * x for x in to), *(0.85 * x for x in to))}" mass="0.05"/>{inner}</body>')
    loops, rows = "", ""
    for j in range(n):
        last = rod(f"r{j}c", (0, length, 0), (-1, 0, 0))
        side = rod(f"r{j}b", (length, 0, 0), (0, 1, 0), last)
        rows += rod(f"r{j}a", (0, length * 1.3 * j, 0), (1, 0, 0), side)
        loops += f'<connect body1="r{j}c" body2="base" anchor="{-length} 0 0"/>'
    base = (f'<body name="base"><freejoint/><geom type="box" size="0.01 {length * n} 0.01" pos="-0.03 0 0" mass="0.5"/>'
            f'{rows}</body>')
    entry = {"position": [0, 0, 0.5], "orientation": r.choice([[1, 0, 0, 0], quaternion(r)]), "close_loops": True}
    return scene(r, [(model(base, f"<equality>{loops}</equality>"), entry)], thrown(r, r.choice([0, 1]), 0.9, 0.05))


def grippers(r):
    """Two fingers close on a body that lies on the ground; the hand is pulled up."""
    wide = r.uniform(0.03, 0.08)
    finger = ('<body name="f{k}" pos="0 {y} -0.06"><joint name="f{k}_j" type="slide" axis="0 {s} 0" range="0 0.06" '
              'damping="{d}"/><geom type="box" size="0.015 0.008 0.05" mass="0.05"/></body>')
    d = r.choice([0.1, 1, 5])
    fingers = "".join(finger.format(k=k, y=s * 0.07, s=-s, d=d) for k, s in enumerate((1, -1)))
    hand = (f'<body name="hand" pos="0 0 0.2"><joint name="lift" type="slide" axis="0 0 1" damping="20"/>'
            f'<geom type="box" size="0.02 0.09 0.01" mass="0.5"/>{fingers}</body>')
    thing = {"name": "thing", "mass": r.uniform(0.02, 0.3), "shape": r.choice([
        box(wide, wide, 0.06), {"cylinder": {"radius": wide / 2, "length": 0.06, "sides": 24}},
        {"sphere": {"radius": 0.03, "round": True}}, {"capsule": {"radius": 0.015, "length": 0.03, "round": True}}]),
        "position": [0, r.uniform(-0.005, 0.005), 0.0301]}
    table = "time lift f0_j f1_j\n0 0 0 0\n0.3 0 0.06 0.06\n1 0.1 0.06 0.06\n".replace(" ", ",")
    entry = {"position": [0, 0, -0.05], "base": "fixed",
             "controller": {"type": "script", "file": "move.csv", "mode": "position",
                            "kp": {"lift": 500, "f0_j": r.choice([50, 200]), "f1_j": r.choice([50, 200])},
                            "kd": {"lift": 20, "f0_j": 2, "f1_j": 2}, "gravity_compensation": True}}
    text, files = scene(r, [(model(hand), entry)], [thing])
    return text, {**files, "move.csv": table}


def pairs(r):
    """Robots of random_robots.py that fall on each other."""
    robots, files = [], {}
    for k in range(2):
        files[f"r{k}.urdf"] = random_robots.robot(r)
        robots.append({"name": f"r{k}", "urdf": f"r{k}.urdf", "position": [0.1 * r.gauss(0, 1), 0, 0.9 + 1.1 * k],
                       "orientation": quaternion(r), "move_inside_limits": True})
    return {"contact": contact(r), "bodies": random_robots.ground(r), "robots": robots}, files


KINDS = (ragdolls, linkages, bridges, carts, spiders, arms, doors, nets, grippers, pairs)


def numbered(number, until):
    """@returns the scene and its files."""
    kind = KINDS[number % len(KINDS)]
    return scene_judge.named(kind(random.Random(f"models {number}")), f"{kind.__name__}-{number}", until)


if __name__ == "__main__":
    sys.exit(scene_judge.main(__doc__, numbered, 100))
