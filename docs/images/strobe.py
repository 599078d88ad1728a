#!/usr/bin/env python3
"""A strobe picture of a run: strobe.py RUN.rigor BODY OUT.svg [EVERY [UNTIL]], a flash every EVERY seconds.

Asks the program `rigor` (RIGOR_PROGRAM: another one) for the poses, which it evaluates on the proved motion.
"""
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

VIEW = (0.3, -0.9, 0.25)  # Towards the camera, not normalised.
LIGHT = (0.3, -0.5, 0.81)


def ask(*words):
    program = os.environ.get("RIGOR_PROGRAM", "rigor")
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def shape(record, name):
    bodies = json.loads(ask("info", record, "--model"))["bodies"]
    return next(body["parts"][0]["vertices"] for body in bodies if body["name"] == name)


def poses(record, name, every, until):
    """Position of the body's origin and quaternion at each flash."""
    with tempfile.TemporaryDirectory() as folder:
        ask("export", record, "--format", "csv", "-o", folder, "--rate", repr(1 / every))
        with open(pathlib.Path(folder) / "states.csv", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["body"] == name and float(row["time"]) <= until]
    return [([float(row[k]) for k in ("px", "py", "pz")], [float(row[k]) for k in ("qw", "qx", "qy", "qz")])
            for row in rows]


def rotate(q, v):
    w, x, y, z = q
    n = w * w + x * x + y * y + z * z
    rows = ((w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z))
    return [sum(a * b for a, b in zip(row, v)) / n for row in rows]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    n = math.sqrt(dot(a, a))
    return tuple(x / n for x in a)


def box_faces(vertices):
    """Faces of a box from its eight corners: those that share the extreme of a coordinate, as a loop."""
    faces = []
    for axis in range(3):
        for pick in (min, max):
            level = pick(v[axis] for v in vertices)
            corners = [v for v in vertices if v[axis] == level]
            i, j = (axis + 1) % 3, (axis + 2) % 3
            corners.sort(key=lambda v: math.atan2(v[j], v[i]) if pick is max else -math.atan2(v[j], v[i]))
            faces.append(corners)
    return faces


def main(record, name, out, every=0.05, until=math.inf):
    faces = box_faces(shape(record, name))
    eye = unit(VIEW)
    right = unit(cross((0, 0, 1), eye))
    up = cross(eye, right)
    scale, flashes = 700, []
    for p, q in poses(record, name, every, until):
        drawn = []
        for face in faces:
            world = [[a + b for a, b in zip(p, rotate(q, v))] for v in face]
            normal = unit(cross([a - b for a, b in zip(world[1], world[0])],
                                [a - b for a, b in zip(world[2], world[0])]))
            if dot(normal, eye) > 0:
                shade = 0.45 + 0.55 * max(0.0, dot(normal, unit(LIGHT)))
                drawn.append((shade, [(scale * dot(v, right), -scale * dot(v, up)) for v in world]))
        flashes.append(drawn)

    points = [point for drawn in flashes for _, loop in drawn for point in loop]
    low = [min(p[i] for p in points) - 20 for i in range(2)]
    high = [max(p[i] for p in points) + 20 for i in range(2)]
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{low[0]:.0f} {low[1]:.0f} '
             f'{high[0] - low[0]:.0f} {high[1] - low[1]:.0f}">',
             f"<title>{name}: a flash every {every:g} s</title>",
             f'<rect x="{low[0]:.0f}" y="{low[1]:.0f}" width="100%" height="100%" fill="#f7f5f0"/>']
    for i, drawn in enumerate(flashes):
        opacity = 0.35 + 0.65 * i / (len(flashes) - 1)
        for shade, loop in drawn:
            colour = "#" + "".join(f"{round(shade * c):02x}" for c in (214, 86, 58))
            lines.append(f'<polygon points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in loop)}" fill="{colour}" '
                         f'stroke="#3a1a12" stroke-width="1" opacity="{opacity:.2f}"/>')
    with open(out, "w") as file:
        file.write("\n".join(lines + ["</svg>", ""]))


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:4], *map(float, sys.argv[4:6]))
