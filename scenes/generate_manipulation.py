#!/usr/bin/env python3
"""Write the scenes in which an arm carries things: generate_manipulation.py [FOLDER], by default that of this file.

The arm is of this project: five joints that turn, and two fingers of which one follows the other. Its script holds
joint positions every 20 ms, from lines of the hand by inverse kinematics. A scene is SCENE.yaml and robots/SCENE.csv,
the arm robots/arm.urdf.
"""
import math
import pathlib
import sys

from generate_robots import HEADER, box, box_inertia, joint, link

SHOULDER, UPPER, FORE, HAND = 0.3, 0.32, 0.3, 0.15  # Height; lengths; from the wrist to between the fingertips [m].
JOINTS = ["yaw", "shoulder", "elbow", "pitch", "roll", "finger"]
LIFT = 0.12  # Between above a thing and at it [m].
SAMPLE = 0.02  # Of the script [s].


def arm():
    def solid(name, mass, size, centre=(0, 0, 0)):
        return link(name, mass, box_inertia(mass, size), centre, [(box(size), centre, (0, 0, 0))])

    def turn(name, parent, child, at, axis, armature, damping):
        return joint(name, "revolute", parent, child, at, axis, (-3.1, 3.1, 87, 3),
                     f"damping=\"{damping}\" armature=\"{armature}\"")

    def slide(name, child, axis, dynamics):
        return joint(name, "prismatic", "hand", child, (0, 0, 0.08), axis, (0, 0.07, 40, 0.5), dynamics)

    parts = [link("world"), solid("base", 5, (0.12, 0.12, 0.2), (0, 0, -0.15)), solid("turret", 3, (0.1, 0.1, 0.08)),
             solid("upper", 3, (0.06, 0.05, UPPER - 0.1), (0, 0, UPPER / 2)),
             solid("fore", 2, (0.05, 0.05, FORE - 0.1), (0, 0, FORE / 2)), solid("wrist", 0.5, (0.04, 0.04, 0.04)),
             solid("hand", 0.6, (0.04, 0.17, 0.03), (0, 0, 0.065)),
             solid("left_finger", 0.1, (0.02, 0.012, 0.06), (0, 0.006, 0.03)),
             solid("right_finger", 0.1, (0.02, 0.012, 0.06), (0, -0.006, 0.03)),
             joint("mount", "fixed", "world", "base", (0, 0, SHOULDER)),
             turn("yaw", "base", "turret", (0, 0, 0), (0, 0, 1), 0.2, 2),
             turn("shoulder", "turret", "upper", (0, 0, 0), (0, 1, 0), 0.2, 2),
             turn("elbow", "upper", "fore", (0, 0, UPPER), (0, 1, 0), 0.2, 2),
             turn("pitch", "fore", "wrist", (0, 0, FORE), (0, 1, 0), 0.1, 1),
             turn("roll", "wrist", "hand", (0, 0, 0), (0, 0, 1), 0.1, 1),
             slide("finger", "left_finger", (0, 1, 0), "damping=\"10\" armature=\"0.5\""),
             slide("mirror", "right_finger", (0, -1, 0), "").replace(
                 "  </joint>", "    <mimic joint=\"finger\"/>\n  </joint>")]
    return HEADER + "<robot name=\"arm\">\n" + "".join(parts) + "</robot>\n"


def angles(x, y, z):
    """Of the joints that turn, where the tip is at (x, y, z), the hand points down and the fingers move along y."""
    yaw, reach, height = math.atan2(y, x), math.hypot(x, y), z + HAND - SHOULDER
    square = reach * reach + height * height
    elbow = math.acos((square - UPPER * UPPER - FORE * FORE) / (2 * UPPER * FORE))
    shoulder = math.atan2(reach, height) - math.atan2(FORE * math.sin(elbow), UPPER + FORE * math.cos(elbow))
    return [yaw, shoulder, elbow, math.pi - shoulder - elbow, yaw]


def script(ways):
    """Rows of (time, positions), from (duration, tip, finger): lines, at rest at their ends. The first has none."""
    rows, time, (_, start, held) = [], 0.0, ways[0]
    for duration, tip, finger in ways[1:]:
        count = round(duration / SAMPLE)
        for k in range(count):
            s = k / count
            s = s * s * s * (10 + s * (6 * s - 15))
            place = [a + s * (b - a) for a, b in zip(start, tip)]
            rows.append((time + k * duration / count, angles(*place) + [held + s * (finger - held)]))
        time, start, held = time + duration, tip, finger
    return rows + [(time, angles(*start) + [held])]


def carry(name, description, ways, things):
    rows = script(ways)
    table = "time," + ",".join(JOINTS) + "\n"
    table += "".join(f"{time:.6g}," + ",".join(f"{value:.9g}" for value in row) + "\n" for time, row in rows)
    start = ", ".join(f"{joint}: {value:.9g}" for joint, value in zip(JOINTS, rows[0][1]))
    scene = f"""# Written by generate_manipulation.py.
name: {name}
description: {description}
until: {rows[-1][0] + 0.3:g}
contact: {{friction: 0.8}}
robots:
  - name: arm
    urdf: robots/arm.urdf
    joints: {{{start}}}
    controller:
      type: script
      file: robots/{name}.csv
      mode: position
      rate: 500
      gravity_compensation: true
      kp: {{yaw: 4000, shoulder: 4000, elbow: 4000, pitch: 1000, roll: 1000, finger: 4000}}
      kd: {{yaw: 40, shoulder: 40, elbow: 40, pitch: 20, roll: 20, finger: 60}}
bodies:
  - {{name: table, fixed: true, shape: {{halfspace: {{}}}}}}
{things}"""
    return {f"{name}.yaml": scene, f"robots/{name}.csv": table}


def above(tip):
    return tip[0], tip[1], tip[2] + LIFT


def from_to(a, b, opened, closed):
    """Takes what is at a, the fingers then pressing towards `closed`, and puts it down at b."""
    return [(0, above(a), opened), (0.3, above(a), opened), (0.7, a, opened), (0.4, a, closed), (0.6, above(a), closed),
            (1, above(b), closed), (0.8, b, closed), (0.3, b, opened - 0.01), (0.6, above(b), opened - 0.01)]


def pick_cube():
    return carry("pick-cube", "An arm picks a cube up, carries it to another place and puts it down.",
                 from_to((0.38, 0.1, 0.02), (0.32, -0.15, 0.021), 0.05, 0.019), """  - name: cube
    shape: {box: {size: [0.04, 0.04, 0.04]}}
    mass: 0.1
    position: [0.38, 0.1, 0.02]
""")


def mug(radius=0.035, wall=0.005, height=0.08, sides=8):
    parts = []
    for k in range(sides):
        turn = 2 * math.pi * k / sides
        middle = radius - wall / 2
        side = 2 * radius * math.tan(math.pi / sides)
        place = f"{middle * math.cos(turn):.9g}, {middle * math.sin(turn):.9g}, {height / 2}"
        parts.append(f"{{shape: {{box: {{size: [{wall}, {side:.6g}, {height}]}}}}, "
                     f"position: [{place}], rpy: [0, 0, {turn:.9g}]}}")
    corner = (radius - wall) / math.cos(math.pi / sides)
    rim = [2 * math.pi * (k + 0.5) / sides for k in range(sides)]
    points = [f"[{corner * math.cos(t):.6g}, {corner * math.sin(t):.6g}, {z}]" for z in (0, wall) for t in rim]
    parts.append(f"{{shape: {{hull: {{vertices: [{', '.join(points)}]}}}}}}")
    for z in (0.02, 0.06):
        parts.append(f"{{shape: {{box: {{size: [0.02, 0.01, 0.01]}}}}, position: [{radius + 0.01:.6g}, 0, {z}]}}")
    parts.append(f"{{shape: {{box: {{size: [0.008, 0.01, 0.05]}}}}, position: [{radius + 0.024:.6g}, 0, 0.04]}}")
    return "".join(f"        - {part}\n" for part in parts)


def pick_mug():
    return carry("pick-mug", "An arm picks up a mug, a compound of twelve convex parts, carries it and puts it down.",
                 from_to((0.38, 0.1, 0.05), (0.32, -0.15, 0.051), 0.06, 0.034), f"""  - name: mug
    mass: 0.2
    position: [0.38, 0.1, 0]
    shape:
      compound:
{mug()}""")


def peg_in_hole(width=0.02, clearance=5e-5, border=0.03, depth=0.03):
    a = (0.36, 0.1, 0.045)
    hole = (a[0], -a[1])
    ways = [(0, above(a), 0.05), (0.2, above(a), 0.05), (0.7, a, 0.05), (0.4, a, 0.009), (0.6, above(a), 0.009)]
    ways += [(duration, (*hole, z), finger) for duration, z, finger in (
        (0.8, 0.165, 0.009), (0.5, 0.165, 0.009), (1, 0.075, 0.009), (1.2, 0.05, 0.009), (0.3, 0.05, 0.02),
        (0.5, 0.17, 0.02))]
    inside = width + clearance
    off = (inside + border) / 2
    walls = [(off, 0, border, inside + 2 * border), (-off, 0, border, inside + 2 * border), (0, off, inside, border),
             (0, -off, inside, border)]
    block = "".join(f"        - {{shape: {{box: {{size: [{sx:.9g}, {sy:.9g}, {depth}]}}}}, "
                    f"position: [{x:.9g}, {y:.9g}, {depth / 2}]}}\n" for x, y, sx, sy in walls)
    # Square, its lower end tapered by 3 mm to a side.
    corners = [(width / 2, 0.07), (width / 2, 0.004), (width / 2 - 0.003, 0)]
    points = ", ".join(f"[{x * s:g}, {y * s:g}, {z:g}]" for s, z in corners for x in (-1, 1) for y in (-1, 1))
    return carry("peg-in-hole", "An arm puts a peg of 20 mm into a hole that is 50 um wider.", ways, f"""  - name: block
    fixed: true
    position: [{hole[0]}, {hole[1]}, 0]
    shape:
      compound:
{block}  - name: peg
    shape: {{hull: {{vertices: [{points}]}}}}
    mass: 0.1
    position: [{a[0]}, {a[1]}, 0]
""")


def main(folder):
    files = {"robots/arm.urdf": arm()} | pick_cube() | pick_mug() | peg_in_hole()
    for name, content in files.items():
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
