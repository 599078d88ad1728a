#!/usr/bin/env python3
"""Proves: the commands that docs/gallery.md prints for a strobe picture work as they stand, and draw the die where it
is. Oracle: free fall in closed form; a box is seen as a figure that is symmetric about its centre.

Usage: strobe.py FOLDER_OF_RIGOR SOURCE_DIR
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

VIEW, SCALE, EVERY = (0.3, -0.9, 0.25), 700, 0.04


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    return [x / sum(y * y for y in a) ** 0.5 for x in a]


def centre(flash):
    points = [[float(x) for x in point.split(",")] for loop in flash for point in loop.split()]
    return [(min(p[i] for p in points) + max(p[i] for p in points)) / 2 for i in range(2)]


def main(program, source):
    section = next(s for s in (source / "docs/gallery.md").read_text().split("\n## ") if "strobe.py" in s)
    commands = "\n".join(re.findall(r"^    (.*)", section, re.MULTILINE))
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "docs").symlink_to(source.resolve() / "docs")
        environment = dict(os.environ, PATH=f"{program}:{os.environ['PATH']}")
        subprocess.run(["sh", "-e", "-c", commands], cwd=folder, env=environment, check=True)
        loops = re.findall(r'<polygon points="([^"]*)"', (pathlib.Path(folder) / "die.svg").read_text())
    eye = unit(VIEW)
    right = unit(cross((0, 0, 1), eye))
    up = cross(eye, right)
    assert len(loops) == 3 * 13, len(loops)  # Three faces of a die are seen, at 0, 0.04, ..., 0.48 s.
    for k in range(4):  # It hits the table at 0.154 s.
        t = k * EVERY
        p = (t, 0.5 * t, 0.5 - 2 * t - 0.5 * 9.81 * t * t)
        x, y = centre(loops[3 * k:3 * k + 3])
        assert abs(x - SCALE * sum(a * b for a, b in zip(p, right))) < 0.1, (t, x)
        assert abs(y + SCALE * sum(a * b for a, b in zip(p, up))) < 0.1, (t, y)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]))
