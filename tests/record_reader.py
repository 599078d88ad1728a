#!/usr/bin/env python3
"""Proves: the Python reader that docs/record-format.md prints reads the motion that `rigor export` evaluates, in every
branch.

Usage: record_reader.py RIGOR SOURCE_DIR. The reader is taken from the page as it stands; it shares no code with the
program.
"""
import csv
import json
import math
import pathlib
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile

ROUNDING = 1e-13  # Of some dozens of operations on numbers of size 1.


def rotate(q, v):
    w, x, y, z = q
    s = 2 / (w * w + x * x + y * y + z * z)
    R = [[1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
         [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
         [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)]]
    return [sum(a * b for a, b in zip(row, v)) for row in R]


def heads(record):
    """The heads of each row, and whether links that are held follow."""
    for motions, in sqlite3.connect(record).execute("SELECT motions FROM pieces"):
        n = struct.unpack_from("<I", motions)[0]
        yield struct.unpack_from("<%dI" % (n & 0x7fffffff), motions, 4), n >> 31


def check(rigor, reader, arguments, folder):
    record = folder / "run.rigor"
    subprocess.run([rigor, *arguments, "--force", "--quiet", "-o", record], check=False, stdout=subprocess.DEVNULL)
    subprocess.run([rigor, "export", record, "--format", "csv", "-o", folder / "csv", "--rate", "401"], check=True,
                   stderr=subprocess.DEVNULL)
    database = sqlite3.connect(record)
    bodies = json.loads(database.execute("SELECT value FROM meta WHERE key = 'model'").fetchone()[0])["bodies"]
    names = {body["name"]: number for number, body in enumerate(bodies)}
    numbers = {name: number for number, name in database.execute("SELECT number, id FROM branches")}
    motions = {}
    for branch, number in numbers.items():
        for body, t0, t1, p, q in reader["pieces"](record, number):
            motions.setdefault((branch, body), []).append((t0, t1, p, q))
    compared = 0
    with open(folder / "csv" / "states.csv", newline="") as file:
        for row in csv.DictReader(file):
            t, body = float(row["time"]), names[row["body"]]
            t0, t1, p, q = next(piece for piece in reversed(motions[row["branch"], body]) if piece[0] <= t)
            u = (t - t0) / (t1 - t0)
            turn = reader["at"](q, u)
            origin = [a - b for a, b in zip(reader["at"](p, u), rotate(turn, bodies[body]["centre"]))]
            for found, name in zip(origin + turn, ("px", "py", "pz", "qw", "qx", "qy", "qz")):
                expected = float(row[name])
                if not math.isclose(found, expected, rel_tol=ROUNDING, abs_tol=ROUNDING):
                    sys.exit(f"{arguments}: {row['body']} at {t} s: {name} is {found}, exported as {expected}")
            compared += 1
    if compared < 100:
        sys.exit(f"{arguments}: only {compared} states were compared")
    return len(numbers)


def main(rigor, source):
    page = (source / "docs" / "record-format.md").read_text()
    code, = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    reader = {}
    exec(code, reader)  # What a reader of the page would do.
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check(rigor, reader, ["run", source / "scenes" / "die.yaml"], folder)
        check(rigor, reader, ["run", source / "scenes" / "double-pendulum.yaml", "--until", "1"], folder)
        branches = check(rigor, reader, ["explore", source / "scenes" / "box-and-wall.yaml", "--max-branches", "4",
                                         "--samples", "20"], folder)
        if branches < 2:
            sys.exit("the explored scene has no second branch")
        check(rigor, reader, ["run", source / "scenes" / "compass-gait.yaml", "--until", "0.5"], folder)
        if not any(follow for _, follow in heads(folder / "run.rigor")):
            sys.exit("no foot of the walker is carried by its leg")
        check(rigor, reader, ["run", source / "scenes" / "quadruped-drop.yaml", "--until", "0.3"], folder)
        if not any(head >> 24 & 0xdf == 0xd4 for row, _ in heads(folder / "run.rigor") for head in row):
            sys.exit("no shank of the quadruped follows from its joint")


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
