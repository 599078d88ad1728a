#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scenes rebuilt after the test suites of other engines (Box2D, Bullet, Jolt, rapier, Rigid-IPC): each is run and its
record verified, and what failed, stalled or took long is counted.

usage: suite_scenes.py RIGOR [NAME ...] and the options of scene_judge.py

Names begin with the suite's. What counts as failed, stalled and slow: scene_judge.py. Exit code: 1 where one failed or
stalled.
"""
import math
import random
import sys

import scene_judge
from scene_text import box, quaternion, ring, turned

X, Y, Z = [1, 0, 0], [0, 1, 0], [0, 0, 1]
SCENES = {}


def suite(function):
    """Registers a function that fills a Suite: b2_arch is the scene b2-arch."""
    SCENES[function.__name__.replace("_", "-")] = function
    return function


class Suite:
    """A scene under way: g is the gap at which neighbours start."""

    def __init__(self, size, friction=0.6, restitution=0, floor=True, gravity=None):
        self.g = 1.25 * min(1e-7, 1e-7 * size)
        self.contact = {"friction": friction, "restitution": restitution}
        self.bodies, self.robots, self.files = [], [], {}
        self.more = {"gravity": gravity} if gravity else {}
        if floor:
            self.fixed({"halfspace": {"normal": Z, "offset": 0}}, [0, 0, 0])

    def fixed(self, shape, position, **more):
        name = f"f{len(self.bodies)}"
        self.bodies.append({"name": name, "fixed": True, "shape": shape, "position": position, **more})

    def add(self, shape, position, **more):
        if "mass" not in more:
            more.setdefault("density", 1000)
        self.bodies.append({"name": f"b{len(self.bodies)}", "shape": shape, "position": position, **more})
        return self.bodies[-1]

    def text(self, name, until):
        out = {"name": name, "until": until, "contact": self.contact, **self.more, "bodies": self.bodies}
        return ({**out, "robots": self.robots} if self.robots else out), self.files


def cube(a):
    return box(a, a, a)


def hull(points):
    return {"hull": {"vertices": points}}


def prism(profile, depth):
    """Of a convex profile in x and z, `depth` along y."""
    return hull([[x, y, z] for y in (-depth / 2, depth / 2) for x, z in profile])


def ball(radius, vertices=40):
    return {"sphere": {"radius": radius, "vertices": vertices}}


def rod(radius, length, sides=16):
    return {"cylinder": {"radius": radius, "length": length, "sides": sides}}


def pyramid(s, rows, a, x=0.0, y=0.0, z=0.0, density=1000.0, depth=None):
    """Rows of boxes, each a row's half box to the side of the one below."""
    for k in range(rows):
        for j in range(rows - k):
            s.add(box(a - s.g, depth or a, a), [x + (j - (rows - k - 1) / 2) * a, y, z + (k + 0.5) * a + (k + 1) * s.g],
                  density=density)
    return z + rows * (a + s.g)


def column(s, n, size, x=0.0, y=0.0, z=0.0, masses=None, lean=0.0):
    for k in range(n):
        more = {"mass": masses[k]} if masses else {}
        s.add(box(*size), [x + lean * k, y, z + (k + 0.5) * size[2] + (k + 1) * s.g], **more)


def stones(s, n, inner, outer, depth, z=0.0):
    """A half circle of n stones whose faces are parallel, moved outwards until they are g apart."""
    half = math.pi / n / 2
    corners = [[rho * math.cos(t), y, rho * math.sin(t)] for rho in (inner, outer) for t in (-half, half)
               for y in (-depth / 2, depth / 2)]
    out = s.g / (2 * math.sin(half))
    for k in range(n):
        a = math.pi * (k + 0.5) / n
        s.add(hull(corners), [out * math.cos(a), 0, z + s.g + out * math.sin(a)], orientation=turned(Y, -a))


def link(name, shape, xyz, mass):
    """Text of a link of a robot file whose shape is a box of three edges or a cylinder of radius and length."""
    x, y, z = shape if len(shape) == 3 else (2 * shape[0], 2 * shape[0], shape[1])
    i = [mass * (b * b + c * c) / 12 for b, c in ((y, z), (x, z), (x, y))]
    geometry = (f'<box size="{x} {y} {z}"/>' if len(shape) == 3 else
                f'<cylinder radius="{shape[0]}" length="{shape[1]}"/>')
    place = f'<origin xyz="{xyz[0]} {xyz[1]} {xyz[2]}"/>'
    return (f'<link name="{name}"><inertial>{place}<mass value="{mass}"/><inertia ixx="{i[0]}" iyy="{i[1]}" '
            f'izz="{i[2]}" ixy="0" ixz="0" iyz="0"/></inertial><collision>{place}<geometry>{geometry}</geometry>'
            f'</collision></link>\n')


def hinge(name, parent, child, xyz, axis):
    return (f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{xyz[0]} {xyz[1]} {xyz[2]}"/><axis xyz="{axis[0]} {axis[1]} {axis[2]}"/></joint>\n')


def robot(s, name, links, **more):
    s.files[f"{name}.urdf"] = f'<robot name="{name}"><link name="world"/>\n{links}</robot>\n'
    s.robots.append({"name": name, "urdf": f"{name}.urdf", **more})


def motor(s, name, joint, speed, until, kp, kd):
    """Turns a joint at `speed` [rad/s] by position control."""
    s.files[f"{name}.csv"] = f"time,{joint}\n0,0\n{until},{speed * until}\n"
    return {"type": "script", "file": f"{name}.csv", "mode": "position", "kp": kp, "kd": kd}


# Box2D

@suite
def b2_vertical_stack():
    s = Suite(1)
    for x in range(3):
        column(s, 12, (1, 1, 1), x=2.5 * x)
    s.add(ball(0.25), [-6, 0, 4], velocity=[40, 0, 0], density=4000)
    return s


@suite
def b2_pyramid():
    s = Suite(1)
    pyramid(s, 10, 1)
    return s


@suite
def b2_tilted_stack():
    s = Suite(1)
    for x in range(4):
        column(s, 8, (0.9, 0.9, 0.9), x=2.5 * x, lean=0.2)
    return s


@suite
def b2_arch():
    s = Suite(1)
    stones(s, 17, 2.0, 2.6, 1)
    column(s, 4, (0.8, 0.8, 0.4), z=2.6)
    return s


def dominoes(s, n, size, space, y=0.0, push=1.5):
    for k in range(n):
        s.add(box(*size), [k * space, y, size[2] / 2 + s.g])
        if k == 0:
            s.bodies[-1]["angular_velocity"] = [0, push, 0]


@suite
def b2_double_domino():
    s = Suite(0.1)
    dominoes(s, 15, (0.25, 1, 1), 0.8)
    return s


@suite
def b2_card_house():
    s = Suite(0.02, friction=0.7)
    h, t, a = 0.4, 0.008, math.radians(25)
    foot, up = math.sin(a) * h / 2, math.cos(a) * h / 2
    high = 2 * up + 2 * math.sin(a) * t / 2
    z = 0.0
    for row in range(4, 0, -1):
        wide = 2 * (2 * foot + t * math.cos(a)) + 1e-3
        for k in range(row):
            x = (k - (row - 1) / 2) * wide
            for side in (-1, 1):
                s.add(box(t, 0.2, h), [x + side * (foot + t / 2 * math.cos(a) + s.g), 0, z + high / 2 + s.g],
                      orientation=turned(Y, -side * a))
        z += high + 2 * s.g
        for k in range(row - 1):
            s.add(box(wide - 1e-3, 0.2, t), [(k - (row - 2) / 2) * wide, 0, z + t / 2])
        z += t + s.g
    return s


@suite
def b2_confined():
    s = Suite(0.5, friction=0.1, restitution=0.5, floor=False, gravity=[0, 0, 0])
    r = random.Random("confined")
    for x, y, a, b in ((0, -5.5, 12, 1), (0, 5.5, 12, 1), (-5.5, 0, 1, 10), (5.5, 0, 1, 10)):
        s.fixed(box(a, b, 2), [x, y, 0])
    for k in range(25):
        s.add(box(0.8, 0.8, 0.8), [(k % 5 - 2) * 1.6, (k // 5 - 2) * 1.6, 0],
              velocity=[r.uniform(-3, 3), r.uniform(-3, 3), 0])
    return s


@suite
def b2_high_mass_ratio_1():
    s = Suite(1)
    for k in range(3):
        pyramid(s, 5, 1, x=12 * k)
        for body in s.bodies[1 + 15 * k:15 + 15 * k]:
            body["density"] = 10
        s.bodies[-1]["density"] = 10 * 30 ** k
    return s


@suite
def b2_high_mass_ratio_2():
    s = Suite(1)
    for x in (-4.5, 4.5):
        s.add(cube(1), [x, 0, 0.5 + s.g], density=10)
    s.add(cube(10), [0, 0, 6 + 2 * s.g], density=10)
    return s


@suite
def b2_high_mass_ratio_3():
    s = Suite(1)
    for x in (-4.5, 4.5):
        s.add(rod(0.5, 8, 24), [x, 0, 0.5 + s.g], orientation=turned(X, math.pi / 2), density=10)
    s.add(cube(10), [0, 0, 6.001], density=100)
    return s


@suite
def b2_friction_ramps():
    s = Suite(0.5, friction=1)
    for k, y in enumerate((0, 2, 4, 6, 8)):
        a = 0.25
        s.fixed(box(12, 1.5, 0.2), [0, y, 5], orientation=turned(Y, a))
        up = 0.1 + 0.25 + 1e-6
        s.add(cube(0.5), [-5 * math.cos(a) + up * math.sin(a), y, 5 + 5 * math.sin(a) + up * math.cos(a)],
              orientation=turned(Y, a), friction=(0.75, 0.5, 0.35, 0.1, 0)[k])
    return s


@suite
def b2_restitution():
    s = Suite(0.5, restitution=0)
    for k in range(10):
        s.add(ball(0.25) if k % 2 else cube(0.5), [1.5 * k, 0, 2], restitution=k / 9)
    return s


@suite
def b2_tumbler():
    s = Suite(0.25, floor=False)
    walls = "".join(link(f"w{k}", size, at, 50) + f'<joint name="j{k}" type="fixed"><parent link="drum"/>'
                    f'<child link="w{k}"/></joint>\n'
                    for k, (size, at) in enumerate((((4, 2, .2), (0, 0, 2)), ((4, 2, .2), (0, 0, -2)),
                                                    ((.2, 2, 3.8), (2, 0, 0)), ((.2, 2, 3.8), (-2, 0, 0)))))
    axle = link("drum", (0.02, 0.02, 0.02), (0, 5, 0), 10)
    robot(s, "drum", axle + walls + hinge("turn", "world", "drum", (0, 0, 0), Y),
          controller=motor(s, "drum", "turn", math.pi / 4, 20, 2e5, 2e3))
    for y in (-1.2, 1.2):
        s.fixed(box(6, 0.2, 6), [0, y, 0])
    for k in range(25):
        s.add(cube(0.25), [(k % 5 - 2) * 0.5, 0.3 * (-1) ** k, (k // 5 - 2) * 0.5])
    return s


def planks(n, size, space, mass, hang):
    """Text of n planks hinged to each other, along x from the origin."""
    text = ""
    for k in range(n):
        text += link(f"p{k}", size, (space / 2 if not hang else 0, 0, -space / 2 if hang else 0), mass)
        at = (0, 0, 0) if k == 0 else ((0, 0, -space) if hang else (space, 0, 0))
        text += hinge(f"h{k}", f"p{k - 1}" if k else "world", f"p{k}", at, Y)
    return text


@suite
def b2_bridge():
    return bridge(0.02)


@suite
def b2_bridge_straight():
    return bridge(0)  # It cannot move at all.


def bridge(sag):
    """Of 12 planks, turned by `sag` [rad] from one to the next."""
    s = Suite(0.1, floor=False)
    n = 12
    span = math.sin(n * sag / 2) / math.sin(sag / 2) if sag else n
    angles = {"h0": (n - 1) / 2 * sag, **{f"h{k}": -sag for k in range(1, n)}}
    robot(s, "bridge", planks(n, (0.9, 0.5, 0.25), 1, 20, False), position=[-span / 2, 0, 0], joints=angles,
          close_loops=True, loops=[{"type": "point", "a": {"link": f"p{n - 1}", "position": [1, 0, 0]},
                                    "b": {"position": [span / 2, 0, 0]}}])
    for k in range(3):
        s.add(cube(0.6), [-3 + 3 * k, 0, 1 + 0.5 * k], density=20)
    return s


@suite
def b2_wrecking_ball():
    s = Suite(0.3)
    text = planks(6, (0.1, 0.1, 0.4), 0.5, 1, True)
    text += link("ball", (0.8, 0.8, 0.8), (0, 0, -0.4), 500) + hinge("hb", "p5", "ball", (0, 0, -0.5), Y)
    robot(s, "crane", text, position=[-2, 0, 4.2], joints={"h0": 1.2})
    for k in range(6):
        for j in range(3):
            s.add(box(0.3, 0.6, 0.5), [-0.8, 0.61 * (j - 1), (k + 0.5) * 0.5 + (k + 1) * s.g], density=50)
    return s


@suite
def b2_circle_stack():
    s = Suite(0.5)
    for k in range(8):
        s.add(rod(0.5, 1, 24), [0.001 * k, 0, 0.5 + 1.05 * k], orientation=turned(X, math.pi / 2))
    return s


@suite
def b2_capsules():
    s = Suite(0.3)
    for k in range(8):
        s.add({"capsule": {"radius": 0.15, "length": 0.6, "sides": 12, "vertices": 24}}, [0.03 * k, 0, 0.2 + 0.4 * k],
              orientation=turned(Y if k % 2 else X, math.pi / 2))
    return s


@suite
def b2_cliff():
    s = Suite(0.5)
    s.fixed(box(6, 4, 3), [-3, 0, 1.5])
    for k in range(4):
        s.add([cube(0.5), rod(0.25, 0.8, 16), ball(0.25), box(0.8, 0.4, 0.2)][k], [-2, k - 1.5, 3.5],
              velocity=[4, 0, 0])
    return s


@suite
def b2_compound_shapes():
    s = Suite(0.5)
    table = {"compound": [{"shape": box(2, 1, 0.1), "position": [0, 0, 0.9]}] + [
        {"shape": box(0.1, 0.1, 0.85), "position": [x, y, 0.425]} for x in (-0.9, 0.9) for y in (-0.45, 0.45)]}
    ship = {"compound": [{"shape": prism([(0, -0.5), (0.5, 0.4), (0, 0.5)], 0.4)},
                         {"shape": prism([(0, -0.5), (-0.5, 0.4), (0, 0.5)], 0.4)}]}
    for k in range(3):
        s.add(table, [3 * k, 0, 0.3 * k + s.g])
        s.add(ship, [3 * k + 0.2, 0, 2 + 0.3 * k], orientation=turned(Y, 0.3 * k))
    return s


@suite
def b2_falling_hinges():
    s = Suite(0.3)
    for k in range(3):
        text = "".join(link(f"a{j}", (0.4, 0.2, 0.1), (0.2, 0, 0), 5) for j in range(4))
        text += "".join(hinge(f"h{j}", f"a{j - 1}", f"a{j}", (0.42, 0, 0), Y) for j in range(1, 4))
        s.files[f"c{k}.urdf"] = f'<robot name="c{k}">\n{text}</robot>\n'
        s.robots.append({"name": f"c{k}", "urdf": f"c{k}.urdf", "position": [0, 0.05 * k, 0.4 + 0.5 * k]})
    return s


@suite
def b2_see_saw():
    s = Suite(0.3)
    s.fixed(prism([(-0.3, 0), (0.3, 0), (0, 0.5)], 1), [0, 0, 0])
    s.add(box(4, 0.8, 0.1), [0, 0, 0.55 + s.g])
    s.add(cube(0.3), [1.7, 0, 0.75 + 2 * s.g], density=500)
    s.add(cube(0.5), [-1.7, 0, 2.5], density=1000)
    return s


# Bullet

@suite
def bullet_basic():
    s = Suite(0.2)
    for k in range(64):
        s.add(cube(0.2), [0.2001 * (k % 4), 0.2001 * (k // 4 % 4), 2 + 0.2001 * (k // 16)])
    return s


@suite
def bullet_gyroscopic():
    s = Suite(0.5, floor=False, gravity=[0, 0, 0])
    handle = {"compound": [{"shape": rod(0.1, 1.0)}, {"shape": rod(0.05, 0.5), "position": [0, 0.3, 0],
                                                     "orientation": turned(X, math.pi / 2)}]}
    for k, w in enumerate(([0, 0, 20], [20, 0.01, 0.01], [0.01, 20, 0.01])):
        s.add(handle if k == 0 else box(1, 0.5, 0.1), [3 * k, 0, 0], angular_velocity=w)
    return s


@suite
def bullet_newtons_cradle():
    s = Suite(0.2, friction=0, restitution=1, floor=False)
    for k in range(5):
        text = link("bob", (0.1, 0.1, 0.1), (0, 0, -1), 1) + hinge("h", "world", "bob", (0, 0, 0), Y)
        robot(s, f"c{k}", text, position=[0.1001 * k, 0, 0], joints={"h": 0.8 if k == 0 else 0})
    return s


@suite
def bullet_rolling():
    s = Suite(0.2, friction=0.8)
    s.fixed(box(10, 6, 0.2), [0, 0, 2], orientation=turned(Y, 0.35))
    up = 0.1 + 0.35
    for k in range(5):
        shape, turn = [(ball(0.2, 100), 0), (rod(0.2, 0.4, 32), math.pi / 2), (cube(0.4), 0),
                       (rod(0.2, 0.6, 8), math.pi / 2),
                       ({"capsule": {"radius": 0.2, "length": 0.3}}, math.pi / 2)][k]
        s.add(shape, [-3 + up * math.sin(0.35), k - 2, 2 + 3 * math.tan(0.35) + up * math.cos(0.35)],
              orientation=turned(X, turn))
    return s


@suite
def bullet_wall():
    s = Suite(0.2)
    for k in range(8):
        for j in range(8):
            s.add(box(0.4, 0.2, 0.2), [0.4001 * j + 0.2 * (k % 2), 0, (k + 0.5) * 0.2 + (k + 1) * s.g])
    s.add(ball(0.25), [1.5, -2, 0.6], velocity=[0, 10, 1], density=3000)
    return s


def tower(s, rings_, n, radius, brick):
    """Bricks in circles, bond by bond."""
    for k in range(rings_):
        for j in range(n):
            a = 2 * math.pi * (j + 0.5 * (k % 2)) / n
            s.add(box(*brick), [radius * math.cos(a), radius * math.sin(a), (k + 0.5) * brick[2] + (k + 1) * s.g],
                  orientation=turned(Z, a + math.pi / 2))


@suite
def bullet_circular_tower():
    s = Suite(0.2)
    tower(s, 8, 8, 0.6, (0.35, 0.15, 0.15))
    return s


@suite
def bullet_hull_heap():
    s = Suite(0.2)
    r = random.Random("hulls")
    for k in range(16):
        s.add(hull([[r.gauss(0, 0.1) for _ in range(3)] for _ in range(12)]),
              [r.uniform(-0.15, 0.15), r.uniform(-0.15, 0.15), 0.4 + 0.45 * k])
    return s


@suite
def bullet_ragdolls():
    s = Suite(0.1)
    for k in range(2):
        text = link("pelvis", (0.2, 0.3, 0.2), (0, 0, 0), 10)
        for name, parent, at, size, centre in (
                ("spine", "pelvis", (0, 0, 0.15), (0.2, 0.3, 0.3), (0, 0, 0.2)),
                ("head", "spine", (0, 0, 0.4), (0.15, 0.15, 0.2), (0, 0, 0.15)),
                ("thigh-l", "pelvis", (0, 0.1, -0.12), (0.12, 0.12, 0.4), (0, 0, -0.22)),
                ("thigh-r", "pelvis", (0, -0.1, -0.12), (0.12, 0.12, 0.4), (0, 0, -0.22)),
                ("shin-l", "thigh-l", (0, 0, -0.45), (0.1, 0.1, 0.4), (0, 0, -0.2)),
                ("shin-r", "thigh-r", (0, 0, -0.45), (0.1, 0.1, 0.4), (0, 0, -0.2)),
                ("arm-l", "spine", (0, 0.2, 0.3), (0.1, 0.4, 0.1), (0, 0.22, 0)),
                ("arm-r", "spine", (0, -0.2, 0.3), (0.1, 0.4, 0.1), (0, -0.22, 0))):
            text += link(name, size, centre, 3) + hinge(f"j-{name}", parent, name, at, X if "arm" in name else Y)
        s.files[f"doll{k}.urdf"] = f'<robot name="doll{k}">\n{text}</robot>\n'
        s.robots.append({"name": f"doll{k}", "urdf": f"doll{k}.urdf", "position": [0.1 * k, 0.3 * k, 1.3 + 1.5 * k],
                         "rpy": [0.3 * k, 0.4, 0.2]})
    return s


@suite
def bullet_spinning_tops():
    s = Suite(0.05, friction=0.5)
    top = hull([[0, 0, -0.05]] + [[0.04 * math.cos(t), 0.04 * math.sin(t), z] for z in (0, 0.01)
                                  for t in (2 * math.pi * j / 12 for j in range(12))])
    s.add(top, [0, 0, 0.0501], orientation=turned(X, 0.1), angular_velocity=[0, 0, 150])
    s.add(top, [0.3, 0, 0.06], orientation=turned(X, 0.4), angular_velocity=[0, 0, 60])
    return s


# Jolt

@suite
def jolt_wall():
    s = Suite(1)
    for k in range(8):
        for j in range(12 - k % 2):
            s.add(box(1.99, 1, 1), [2 * j + (k % 2), 0, (k + 0.5) + (k + 1) * s.g])
    return s


@suite
def jolt_pyramid():
    s = Suite(1)
    for k in range(5):
        for i in range(5 - k):
            for j in range(5 - k):
                s.add(cube(1), [1.01 * i + 0.5 * k, 1.01 * j + 0.5 * k, k + 0.5 + (k + 1) * s.g])
    return s


@suite
def jolt_heavy_on_light():
    s = Suite(1)
    for k in range(8):
        column(s, 2, (1, 1, 1), x=4 * k, masses=[1000, 5000 * (k + 1)])
        s.bodies[-1]["shape"] = box(4 - 0.5, 4 - 0.5, 1)
    return s


@suite
def jolt_friction_row():
    s = Suite(0.5, friction=1)
    s.fixed(box(40, 20, 0.2), [0, 0, 0], orientation=turned(Y, math.pi / 4))
    up = 0.1 + 0.25 + 1e-6
    c = math.sqrt(0.5)
    for k in range(9):
        s.add(cube(0.5), [-8 * c + up * c, 2 * k - 8, 8 * c + up * c], orientation=turned(Y, math.pi / 4),
              friction=(k / 8) ** 2 * 1.2)
    return s


@suite
def jolt_funnel():
    s = Suite(0.2)
    r = random.Random("funnel")
    for k in range(4):
        a = k * math.pi / 2
        s.fixed(box(1.5, 4, 0.1), [1.25 * math.cos(a), 1.25 * math.sin(a), 2],
                orientation=[math.cos(a / 2) * math.cos(0.4), math.sin(a / 2) * math.sin(0.4),
                             -math.cos(a / 2) * math.sin(0.4), math.sin(a / 2) * math.cos(0.4)])
    for k in range(24):
        shape = [cube(0.25), ball(0.15, 24), rod(0.12, 0.3, 12), box(0.4, 0.2, 0.15)][k % 4]
        s.add(shape, [0.6 * (k % 2) - 0.3 + r.uniform(-0.1, 0.1), 0.6 * (k // 2 % 2) - 0.3, 3.2 + 0.5 * (k // 4)],
              orientation=quaternion(r))
    return s


@suite
def jolt_high_speed():
    s = Suite(0.1, friction=0.3, restitution=0.2)
    for k in range(4):
        s.fixed(box(0.02, 2, 2), [2.0 * k, 0, 1])
        s.add([cube(0.1), box(0.4, 0.02, 0.02), ball(0.05, 24), box(0.01, 0.1, 0.1)][k], [2.0 * k - 1, 0, 1],
              velocity=[200 if k < 3 else 1000, 3, 0], angular_velocity=[1, 2, 3])
    return s


@suite
def jolt_roly_poly():
    s = Suite(0.2, friction=0.6)
    s.add(ball(0.2, 200), [0, 0, 0.25], com=[0, 0, -0.12], orientation=turned(X, 1.2), mass=2)
    s.add(rod(0.2, 0.3, 40), [1, 0, 0.25], com=[0, 0.1, 0], orientation=turned(X, math.pi / 2), mass=2)
    return s


@suite
def jolt_active_edges():
    s = Suite(0.2, friction=0)
    s.bodies.clear()
    for k in range(8):
        s.fixed(box(1, 2, 0.2), [k, 0, -0.1])
    for k, shape in enumerate((cube(0.3), ball(0.15, 60), rod(0.15, 0.3, 24))):
        s.add(shape, [0, 0.6 * (k - 1), 0.15 + 1e-5], velocity=[4, 0, 0])
    return s


@suite
def jolt_big_and_small():
    s = Suite(0.02)
    s.add(cube(2), [0, 0, 1 + s.g])
    for k in range(4):
        s.add(cube(0.02), [0.3 * k, 0.1, 2.05 + 0.05 * k])
    s.add(cube(1), [0, 0, 4])
    return s


@suite
def jolt_islands():
    s = Suite(1)
    for i in range(4):
        for j in range(4):
            column(s, 5, (1, 1, 1), x=2 * i, y=2 * j)
    return s


@suite
def jolt_friction_coin():
    s = Suite(0.02, friction=0.4)
    s.add(rod(0.012, 0.002, 24), [0, 0, 0.0121], orientation=turned(X, math.pi / 2), angular_velocity=[0, 0, 60])
    s.add(rod(0.012, 0.002, 24), [0.1, 0, 0.0125], orientation=turned(X, 1.3), velocity=[0.2, 0, 0],
          angular_velocity=[0, -15, 5])
    return s


# rapier

@suite
def rapier_keva():
    s = Suite(0.1)
    long, wide, high = 1.2, 0.25, 0.1
    apart, edge = (long - high) / 2, (long - wide) / 2
    z = 0.0
    for level in range(6):
        turn = level % 2
        for k in (-1, 0, 1):
            for side in (-edge, edge):
                s.add(box(wide, high, 0.6) if turn else box(high, wide, 0.6),
                      [side, k * apart, z + 0.3 + s.g] if turn else [k * apart, side, z + 0.3 + s.g])
        z += 0.6 + s.g
        for k in (-1, 0, 1):
            s.add(box(long, wide, high) if turn else box(wide, long, high),
                  [0, k * apart, z + high / 2 + s.g] if turn else [k * apart, 0, z + high / 2 + s.g])
        z += high + s.g
    return s


@suite
def rapier_dominoes():
    s = Suite(0.1)
    for k in range(30):
        a = 0.25 * k
        rho = 1 + 0.06 * k / math.pi * 2
        body = s.add(box(0.05, 0.2, 0.4), [rho * math.cos(a), rho * math.sin(a), 0.2 + s.g],
                     orientation=turned(Z, a + math.pi / 2))
        if k == 0:
            body["angular_velocity"] = [2 * -math.cos(a), 2 * -math.sin(a), 0]
    return s


@suite
def rapier_cube_high_mass_ratio():
    s = Suite(0.4)
    z = 0.2
    for k in range(6):
        for side in (-0.8, 0.8):
            along_x = k % 2 == 0
            s.add(box(2, 0.4, 0.4) if along_x else box(0.4, 2, 0.4),
                  [0, side, z + s.g] if along_x else [side, 0, z + s.g], density=10)
        z += 0.4 + s.g
    s.add(box(2, 2, 2), [0, 0, z + 0.8 + s.g], density=2000)
    return s


@suite
def rapier_ball_high_mass_ratio():
    s = Suite(0.2)
    s.add(ball(0.1, 60), [0, 0, 0.15], density=10)
    s.add(ball(1, 200), [0.01, 0, 1.4], density=10)
    return s


@suite
def rapier_stacks():
    s = Suite(0.5)
    pyramid(s, 6, 0.5)
    column(s, 8, (0.5, 0.5, 0.5), x=4)
    for k in range(6):
        s.add(rod(0.25, 0.5, 16), [6, 0, 0.25 + 0.5 * k + (k + 1) * s.g])
    return s


@suite
def rapier_thin_cube():
    s = Suite(0.01)
    s.add(box(1, 1, 0.002), [0, 0, 0.5], orientation=turned(X, 0.4))
    s.add(box(1, 1, 0.002), [0, 0.1, 1.2], orientation=turned(Y, 1.2))
    s.add(box(0.5, 0.01, 0.01), [0, 0, 1.9], orientation=turned([0.6, 0.8, 0], 0.5))
    return s


@suite
def rapier_big_cylinder():
    s = Suite(1, friction=0.5)
    s.add(rod(1, 2, 60), [0, 0, 3], orientation=turned(X, 0.5))
    return s


@suite
def rapier_polyhedra():
    s = Suite(0.2)
    r = random.Random("polyhedra")
    for k in range(27):
        s.add(hull([[r.uniform(-0.1, 0.1) for _ in range(3)] for _ in range(10)]),
              [0.4 * (k % 3), 0.4 * (k // 3 % 3), 0.3 + 0.4 * (k // 9)])
    return s


@suite
def rapier_compounds():
    s = Suite(0.1)
    u = {"compound": [{"shape": box(0.5, 0.1, 0.1)}, {"shape": box(0.1, 0.1, 0.5), "position": [0.3, 0, 0.2]},
                      {"shape": box(0.1, 0.1, 0.5), "position": [-0.3, 0, 0.2]}]}
    for k in range(12):
        s.add(u, [0.8 * (k % 2), 0.02 * k, 0.3 + 0.65 * (k // 2)], orientation=turned(Z, 0.4 * k))
    return s


@suite
def rapier_ccd():
    s = Suite(0.2)
    for j in range(3):
        for k in range(5):
            s.add(box(0.2, 1, 0.5), [j, 0, 0.25 + 0.5 * k + (k + 1) * s.g])
    s.add(ball(0.2), [-2, 0, 1], velocity=[60, 0, 0], density=5000)
    return s


@suite
def rapier_heightfield():
    s = Suite(0.2)
    heights = [[0.4 * math.sin(0.9 * i) * math.cos(0.7 * j) for i in range(12)] for j in range(12)]
    s.bodies.clear()
    s.fixed({"heightfield": {"heights": heights, "size": [6, 6]}}, [0, 0, 0])
    for k in range(9):
        s.add([cube(0.3), ball(0.2), rod(0.15, 0.4, 16)][k % 3], [(k % 3 - 1) * 1.2, (k // 3 - 1) * 1.2, 1.2])
    return s


@suite
def rapier_restitution():
    s = Suite(0.2, restitution=0)
    for k in range(11):
        s.add(ball(0.1, 60), [0.4 * k, 0, 1], restitution=k / 10)
        s.add(cube(0.2), [0.4 * k, 1, 1], restitution=k / 10)
    return s


# Rigid-IPC, with Erleben's degenerate cases

def spike(a, h):
    return hull([[x, y, 0] for x in (-a, a) for y in (-a, a)] + [[0, 0, h]])


def pair(s, fixed_parts, shape, position, **more):
    for part, place in fixed_parts:
        s.fixed(part, place)
    s.add(shape, position, **more)


@suite
def ripc_spikes():
    s = Suite(0.3, floor=False)
    pair(s, [(spike(0.5, 0.8), [0, 0, 0])], spike(0.5, 0.8), [0, 0, 1.7], orientation=turned(X, math.pi))
    return s


@suite
def ripc_spike_and_wedge():
    s = Suite(0.3, floor=False)
    pair(s, [(prism([(-0.5, 0), (0.5, 0), (0, 0.8)], 1), [0, 0, 0])], spike(0.5, 0.8), [0, 0, 1.7],
         orientation=turned(X, math.pi))
    return s


@suite
def ripc_wedges():
    s = Suite(0.3, floor=False)
    wedge = prism([(-0.5, 0), (0.5, 0), (0, 0.8)], 1)
    pair(s, [(wedge, [0, 0, 0])], wedge, [0, 0, 1.7], orientation=turned(X, math.pi))
    return s


@suite
def ripc_wedge_in_crack():
    s = Suite(0.3, friction=0.2, floor=False)
    crack = [prism([(-1, 0), (0, 0), (-0.5, 1), (-1, 1)], 1), prism([(1, 0), (0, 0), (0.5, 1), (1, 1)], 1)]
    pair(s, [(part, [0, 0, 0]) for part in crack], prism([(-0.5, 1), (0.5, 1), (0, 0)], 0.8), [0, 0, 0.3])
    return s


@suite
def ripc_spike_in_crack():
    s = Suite(0.3, friction=0.2, floor=False)
    crack = [prism([(-1, 0), (0, 0), (-0.5, 1), (-1, 1)], 1), prism([(1, 0), (0, 0), (0.5, 1), (1, 1)], 1)]
    pair(s, [(part, [0, 0, 0]) for part in crack], spike(0.4, 0.9), [0, 0, 1.5], orientation=turned(X, math.pi))
    return s


@suite
def ripc_cliff_edges():
    s = Suite(0.3, friction=0.3)
    s.fixed(cube(1), [0, 0, 0.5])
    s.add(cube(1), [1, 0, 1.8])
    return s


@suite
def ripc_sliding_spike():
    s = Suite(0.3, friction=0.2, floor=False)
    for k in range(4):
        s.fixed(box(1, 1, 0.2), [k, 0, -0.1])
    s.add(spike(0.3, 0.5), [0, 0, 0.5001], orientation=turned(X, math.pi), velocity=[2, 0, 0])
    return s


@suite
def ripc_internal_edges():
    s = Suite(0.3, friction=0.1, floor=False)
    for k in range(25):
        s.fixed(cube(1), [k % 5 - 2, k // 5 - 2, -0.5])
    s.add(cube(1), [-1.3, -1.1, 0.5 + 1e-6], velocity=[2, 1.5, 0])
    return s


@suite
def ripc_spike_in_hole():
    s = Suite(0.3, friction=0.2, floor=False)
    for x, y, a, b in ((0.75, 0, 0.5, 2), (-0.75, 0, 0.5, 2), (0, 0.75, 1, 0.5), (0, -0.75, 1, 0.5)):
        s.fixed(box(a, b, 0.5), [x, y, 0.25])
    s.add(spike(0.6, 0.9), [0, 0, 1.7], orientation=turned(X, math.pi))
    return s


@suite
def ripc_arch_25():
    s = Suite(0.25, friction=0.5)
    stones(s, 25, 0.9, 1.1, 0.3)
    return s


@suite
def ripc_arch_101():
    s = Suite(0.25, friction=0.5)
    stones(s, 101, 0.9, 1.1, 0.3)
    return s


@suite
def ripc_arch_101_kicked():
    s = ripc_arch_101()
    s.add(cube(0.1), [0.05, 0, 1.3], density=2000)
    return s


@suite
def ripc_chain_5():
    return rings_of_hulls(5, 20)


@suite
def ripc_chain_10():
    return rings_of_hulls(10, 20)


def rings_of_hulls(n, parts):
    s = Suite(0.3, friction=0, floor=False)
    radius, thick = 0.4, 0.1
    shape = ring(radius, thick, thick, parts)
    step = 2 * radius - 0.03
    for k in range(n):
        turn = turned(X, math.pi / 2) if k % 2 else turned(X, 0)
        if k == 0:
            s.fixed(shape, [0, 0, 0], orientation=turn)
        else:
            s.add(shape, [step * k, 0, 0], orientation=turn)
    return s


@suite
def ripc_chain_net():
    s = Suite(0.3, friction=0, floor=False)
    shape = ring(0.4, 0.1, 0.1, 8)
    bar = ring(0.35, 0.1, 0.1, 8)
    for i in range(3):
        for j in range(3):
            edge = i in (0, 2) and j in (0, 2)
            (s.fixed if edge else s.add)(shape, [1.4 * i, 1.4 * j, 0])
    for i in range(2):
        for j in range(3):
            s.add(bar, [1.4 * i + 0.7, 1.4 * j, 0], orientation=turned(X, math.pi / 2))
            s.add(bar, [1.4 * j, 1.4 * i + 0.7, 0], orientation=turned(Y, math.pi / 2))
    return s


@suite
def ripc_bullets():
    s = Suite(0.1, friction=0, restitution=0)
    for k in range(3):
        s.add(box(0.02, 0.6, 0.6), [0.4 * k, 0, 0.3 + s.g])
    s.add(box(0.05, 0.02, 0.02), [-1, 0, 0.31], velocity=[500, 0, 0], density=8000)
    return s


@suite
def ripc_turntable():
    s = Suite(0.2, friction=0.5, floor=False)
    text = link("table", (3, 3, 0.1), (0, 0, -0.05), 100) + hinge("turn", "world", "table", (0, 0, 0), Z)
    robot(s, "plate", text, controller=motor(s, "plate", "turn", 3, 20, 2e4, 4e2))
    for k in range(6):
        s.add(cube(0.2), [0.2 + 0.22 * k, 0, 0.1 + 1e-6])
    return s


@suite
def ripc_slope_at_friction_angle():
    s = Suite(0.2, friction=0.5)
    for k, a in enumerate((math.atan(0.5) - 1e-3, math.atan(0.5), math.atan(0.5) + 1e-3)):
        s.fixed(box(6, 1, 0.2), [0, 2 * k, 3], orientation=turned(Y, a))
        up = 0.2 + 1e-6
        s.add(cube(0.2), [-2 * math.cos(a) + up * math.sin(a), 2 * k, 3 + 2 * math.sin(a) + up * math.cos(a)],
              orientation=turned(Y, a))
    return s


@suite
def ripc_lewis():
    """Three parts in a dovetail hold by wedging what they lift: here the block hangs on them."""
    s = Suite(0.1, friction=0.4, floor=False)
    block = [{"shape": box(0.6, 0.4, 0.1), "position": [0, 0, -0.05]}]
    for side in (-1, 1):
        block.append({"shape": prism([(side * x, z) for x, z in ((0.3, 0), (0.13, 0), (0.1, 0.3), (0.3, 0.3))], 0.4)})
    s.add({"compound": block}, [0, 0, 0], density=2000)
    for side in (-1, 1):
        leg = [(side * x, z) for x, z in ((0.025, 0.02), (0.11, 0.02), (0.085, 0.5), (0.025, 0.5))]
        s.fixed(prism(leg, 0.3), [0, 0, 0])
    s.fixed(box(0.04, 0.3, 0.48), [0, 0, 0.26])
    return s


@suite
def ripc_gears():
    s = Suite(0.1, friction=0.2, floor=False)
    teeth, inner, outer = 10, 0.4, 0.55
    parts = [{"shape": rod(inner, 0.2, 20)}]
    for k in range(teeth):
        a = 2 * math.pi * k / teeth
        tooth = [[x, y, z] for z in (-0.1, 0.1) for x, w in ((inner - 0.03, 0.07), (outer, 0.04)) for y in (-w, w)]
        parts.append({"shape": hull(tooth), "orientation": turned(Z, a)})
    gear = {"compound": parts}
    s.add(gear, [0, 0, 0], angular_velocity=[0, 0, 3])
    s.add(gear, [0.99, 0, 0], orientation=turned(Z, math.pi / teeth))
    for x in (0, 0.99):
        for z in (-0.35, 0.35):
            s.fixed(box(0.8, 0.8, 0.4), [x, 0, z])
    s.more["gravity"] = [0, 0, 0]
    return s


@suite
def ripc_compactor():
    s = Suite(0.1, friction=0.3)
    for x, y, a, b in ((-0.55, 0, 0.1, 1), (0, 0.55, 1.2, 0.1), (0, -0.55, 1.2, 0.1)):
        s.fixed(box(a, b, 0.6), [x, y, 0.3 + 1e-6])
    text = link("wall", (0.1, 0.96, 0.5), (0, 0, 0.3), 50) + (
        '<joint name="press" type="prismatic"><parent link="world"/><child link="wall"/><origin xyz="0.9 0 0"/>'
        '<axis xyz="-1 0 0"/><limit lower="-1" upper="2" effort="2000" velocity="10"/></joint>\n')
    robot(s, "press", text, controller=motor(s, "press", "press", 0.3, 20, 2e4, 2e3))
    r = random.Random("compactor")
    for k in range(9):
        s.add(cube(0.18), [0.3 * (k % 3) - 0.3, 0.3 * (k // 3) - 0.3, 0.2], orientation=turned(Z, r.uniform(0, 1)))
    return s


# What several suites have

def kicked(s, speed=1):
    """The body in the middle is pushed at 1 m/s."""
    moving = [b for b in s.bodies if not b.get("fixed")]
    moving[len(moving) // 2]["velocity"] = [speed, 0.3, 0]
    return s


@suite
def any_stack_30():
    s = Suite(0.1)
    column(s, 30, (0.1, 0.1, 0.1))
    return s


@suite
def any_stack_30_kicked():
    return kicked(any_stack_30())


@suite
def any_stack_30_heavy():
    s = Suite(0.1)
    column(s, 30, (0.1, 0.1, 0.1), masses=[1] * 29 + [1e4])
    return s


@suite
def any_stack_30_heavy_kicked():
    return kicked(any_stack_30_heavy())


@suite
def any_stack_mass_ratios():
    s = Suite(0.1)
    column(s, 10, (0.1, 0.1, 0.1), masses=[10 ** (4 * k / 9) for k in range(10)])
    return s


@suite
def any_stack_mass_ratios_kicked():
    return kicked(any_stack_mass_ratios())


@suite
def any_stack_mass_ratios_kicked_gently():
    return kicked(any_stack_mass_ratios(), 0.7)


@suite
def any_heavy_on_light():
    s = Suite(0.1)
    column(s, 2, (0.1, 0.1, 0.1), masses=[1, 1e4])
    return s


@suite
def any_card_house_kicked():
    return kicked(b2_card_house())


@suite
def any_keva_kicked():
    return kicked(rapier_keva())


@suite
def any_nested_cups():
    s = Suite(0.1)
    cup = {"compound": [{"shape": prism_cup(k), "orientation": turned(Z, k * math.pi / 4)} for k in range(8)]
           + [{"shape": rod(0.045, 0.005, 8), "position": [0, 0, 0.0025], "orientation": turned(Z, math.pi / 8)}]}
    for k in range(4):
        s.add(cup, [0.002 * k, 0, 0.01 + 0.13 * k], orientation=turned(Z, 0.2 * k))
    return s


def prism_cup(_):
    t, a = 0.004, math.pi / 8
    return hull([[rho, rho * math.tan(a) * side, z] for z, r in ((0, 0.04), (0.12, 0.06)) for rho in (r, r + t)
                 for side in (-1, 1)])


@suite
def any_wedge_in_slot():
    s = Suite(0.1, friction=0.3, floor=False)
    for side in (-1, 1):
        wall = [(side * x, z) for x, z in ((0.3, 0), (0.02, 0), (0.06, 0.3), (0.3, 0.3))]
        s.fixed(prism(wall, 0.3), [0, 0, 0])
    s.add(prism([(-0.02, 0), (0.02, 0), (-0.06, 0.3), (0.06, 0.3)], 0.2), [0, 0, 0.1])
    s.add(cube(0.1), [0, 0, 0.6], density=4000)
    return s


@suite
def any_peg_in_hole():
    s = Suite(0.02, friction=0.2, floor=False)
    w, c = 0.02, 2e-5
    for x, y, a, b in ((1, 0, 0.03, 0.1), (-1, 0, 0.03, 0.1), (0, 1, w + 2 * c, 0.03), (0, -1, w + 2 * c, 0.03)):
        half = w / 2 + c
        s.fixed(box(a, b, 0.05), [x * (half + 0.015), y * (half + 0.015), 0.025])
    s.add(box(w, w, 0.08), [0, 0, 0.095], orientation=turned(Z, 0.001))
    return s


@suite
def any_spools():
    s = Suite(0.1, friction=0.5)
    spool = {"compound": [{"shape": rod(0.03, 0.1, 12)}, {"shape": rod(0.06, 0.01, 20), "position": [0, 0, 0.055]},
                          {"shape": rod(0.06, 0.01, 20), "position": [0, 0, -0.055]}]}
    for k in range(6):
        s.add(spool, [0.02 * k, 0.01 * k, 0.1 + 0.15 * k], orientation=turned(Y if k % 2 else X, 1.2 + 0.1 * k))
    return s


@suite
def any_needle_heap():
    s = Suite(0.01)
    r = random.Random("needles")
    for k in range(16):
        s.add(box(0.2, 0.004, 0.004), [r.uniform(-0.03, 0.03), r.uniform(-0.03, 0.03), 0.05 + 0.03 * k],
              orientation=turned(Z, r.uniform(0, 3.1)))
    return s


@suite
def any_thin_plates():
    s = Suite(0.01)
    for k in range(10):
        s.add(box(0.3, 0.2, 0.001), [0.01 * k, 0.005 * k, 0.02 + 0.02 * k], orientation=turned(Y, 0.03 * (k % 3)))
    return s


@suite
def any_elastic_gas():
    s = Suite(0.1, friction=0, restitution=1, floor=False, gravity=[0, 0, 0])
    r = random.Random("gas")
    for axis in range(3):
        for side in (-1, 1):
            size, place = [1.2, 1.2, 1.2], [0, 0, 0]
            size[axis], place[axis] = 0.1, 0.55 * side
            s.fixed(box(*size), place)
    for k in range(12):
        place = [0.3 * (k % 3 - 1), 0.3 * (k // 3 % 2) - 0.15, 0.4 * (k // 6) - 0.2]
        s.add(cube(0.1), place, orientation=quaternion(r), velocity=[r.uniform(-2, 2) for _ in range(3)],
              angular_velocity=[r.uniform(-3, 3) for _ in range(3)])
    return s


@suite
def any_cradle_of_boxes():
    s = Suite(0.1, friction=0, restitution=1)
    for k in range(6):
        s.add(cube(0.1), [0.1 * k + (k + 1) * s.g if k else -0.3, 0, 0.05 + s.g], velocity=[0 if k else 2, 0, 0])
    return s


@suite
def any_tippe_top():
    s = Suite(0.05, friction=0.3)
    s.add(ball(0.025, 200), [0, 0, 0.0252], com=[0, 0, -0.005], mass=0.02, orientation=turned(X, 0.1),
          angular_velocity=[0, 0, 180])
    return s


@suite
def any_books():
    s = Suite(0.03, friction=0.35)
    s.fixed(box(0.1, 0.4, 0.4), [-0.05, 0, 0.2 + 1e-6])
    x = s.g
    for k, (t, h) in enumerate(((0.03, 0.24), (0.02, 0.3), (0.04, 0.22), (0.015, 0.26), (0.03, 0.28), (0.025, 0.2))):
        s.add(box(t, 0.18, h), [x + t / 2 + 2e-3 * k, 0, h / 2 + s.g])
        x += t + s.g
    s.bodies[-1]["angular_velocity"] = [0, 1.5, 0]
    s.bodies[2]["velocity"] = [0, -0.8, 0]
    return s


@suite
def any_jenga_pull():
    s = Suite(0.02, friction=0.4)
    a, h = 0.025, 0.015
    for k in range(10):
        for j in range(3):
            at = (j - 1) * (a + 1e-5)
            z = (k + 0.5) * h + (k + 1) * s.g
            s.add(box(a, 3 * a, h) if k % 2 else box(3 * a, a, h), [at, 0, z] if k % 2 else [0, at, z], density=600)
    s.bodies[11]["velocity"] = [0, 0.6, 0]
    return s


@suite
def any_painleve():
    s = Suite(0.1, friction=1.5)
    s.add(box(0.02, 0.02, 1), [0, 0, 0.45], orientation=turned(Y, 0.5), velocity=[1.5, 0, 0])
    s.add(box(0.02, 0.02, 1), [0, 1, 0.45], orientation=turned(Y, -0.5), velocity=[1.5, 0, 0])
    return s


@suite
def any_rolling_polygons():
    s = Suite(0.1, friction=1)
    s.fixed(box(6, 2, 0.2), [0, 0, 1], orientation=turned(Y, 0.15))
    for k, sides in enumerate((5, 8, 20, 64)):
        s.add(rod(0.1, 0.2, sides), [-2, 0.4 * k - 0.6, 1.55], orientation=turned(X, math.pi / 2))
    return s


@suite
def any_beam_pushed_off():
    s = Suite(0.1, friction=0.3)
    for x in (-0.4, 0.4):
        s.add(cube(0.2), [x, 0, 0.1 + s.g])
    s.add(box(1.2, 0.15, 0.1), [0, 0, 0.25 + 2 * s.g])
    s.add(cube(0.1), [0.1, -1, 0.25], velocity=[0, 3, 0.5], density=4000)
    return s


def main():
    parser = scene_judge.parser(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="all scenes whose names begin so; all by default")
    options = parser.parse_intermixed_args()
    chosen = [n for n in SCENES if not options.names or any(n.startswith(o) for o in options.names)]
    return scene_judge.judge_all((SCENES[name]().text(name, options.until) for name in chosen), options)


if __name__ == "__main__":
    sys.exit(main())
