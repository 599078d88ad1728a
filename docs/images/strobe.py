#!/usr/bin/env python3
"""A strobe picture of a run: strobe.py RUN.rigor BODY OUT.svg [EVERY [UNTIL]], a flash every EVERY seconds.

Reads the published Bezier pieces (docs/record-format.md), so that what is drawn is the motion that was proved.
"""
import math
import sqlite3
import struct
import sys

VIEW = (0.3, -0.9, 0.25)  # Towards the camera, not normalised.
LIGHT = (0.3, -0.5, 0.81)


def doubles(blob):
    return struct.unpack(f"<{len(blob) // 8}d", blob)


def bezier(points, size, u):
    rows = [list(points[i:i + size]) for i in range(0, len(points), size)]
    while len(rows) > 1:
        rows = [[(1 - u) * a + u * b for a, b in zip(p, q)] for p, q in zip(rows, rows[1:])]
    return rows[0]


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
    run = sqlite3.connect(record)
    body, centre = run.execute("SELECT id, centre FROM bodies WHERE name = ?", (name,)).fetchone()
    centre = doubles(centre)
    corners = doubles(run.execute("SELECT vertices FROM parts WHERE body = ?", (body,)).fetchone()[0])
    faces = box_faces([tuple(corners[i:i + 3]) for i in range(0, len(corners), 3)])
    pieces = run.execute("SELECT t0, t1, position, orientation FROM pieces WHERE body = ? ORDER BY t0",
                         (body,)).fetchall()

    eye = unit(VIEW)
    right = unit(cross((0, 0, 1), eye))
    up = cross(eye, right)
    scale, flashes, t = 700, [], 0.0
    while t <= min(until, pieces[-1][1]):
        t0, t1, p, q = next(piece for piece in pieces if t <= piece[1])
        u = (t - t0) / (t1 - t0)
        p, q = bezier(doubles(p), 3, u), bezier(doubles(q), 4, u)
        drawn = []
        for face in faces:
            world = [[a + b for a, b in zip(p, rotate(q, [x - c for x, c in zip(v, centre)]))] for v in face]
            normal = unit(cross([a - b for a, b in zip(world[1], world[0])],
                                [a - b for a, b in zip(world[2], world[0])]))
            if dot(normal, eye) > 0:
                shade = 0.45 + 0.55 * max(0.0, dot(normal, unit(LIGHT)))
                drawn.append((shade, [(scale * dot(v, right), -scale * dot(v, up)) for v in world]))
        flashes.append(drawn)
        t += every

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
