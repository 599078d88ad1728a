#!/usr/bin/env python3
"""Proves: joint coordinates that `rigor export` tells from the poses of links at given times are the simulator's own at
the starts of steps, whole turns included; joints.csv ends with the run. Usage: joint_export.py RIGOR SOURCE_DIR.
Oracle: the coordinates that the simulator recorded.
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

# A link follows its joint to `joint_fit`, a tenth of the contact gap (1e-7 of a size at most): as an angle, and over
# the length of a chain.
POSITION = 1e-6  # [rad] or [m]
# The pieces' angular velocity differs from the integrated one by up to 1e-4 of itself inside a step, and is exact at
# its ends.
VELOCITY = 1e-6  # Relative to the largest.


def table(path):
    with open(path, newline="") as file:
        return {(row["joint"], float(row["time"])): row for row in csv.DictReader(file)}


def check(rigor, scene, until, folder, most_turns=0):
    def call(*words):
        return subprocess.run([rigor, *map(str, words)], check=True, capture_output=True, text=True).stdout
    summary = json.loads(call("run", scene, "-o", folder / "run.rigor", "--until", until, "--json", "--force"))
    call("export", folder / "run.rigor", "--format", "csv", "-o", folder / "steps")
    recorded = table(folder / "steps" / "joints.csv")
    names = {name for name, _ in recorded}
    assert all((name, summary["time"]) in recorded for name in names), "the end of the run is missing"
    times = sorted({time for _, time in recorded})
    (folder / "times").write_text("\n".join(map(repr, times)))
    call("export", folder / "run.rigor", "--format", "csv", "-o", folder / "at", "--at", folder / "times")
    told = table(folder / "at" / "joints.csv")
    fastest = max(1, *(abs(float(row["velocity"])) for row in recorded.values()))
    turns = 0
    for key, row in recorded.items():
        found = told[key]
        assert abs(float(found["position"]) - float(row["position"])) <= POSITION, (scene, key, found, row)
        assert abs(float(found["velocity"]) - float(row["velocity"])) <= VELOCITY * fastest, (scene, key, found, row)
        assert float(found["effort"]) == float(row["effort"]), (scene, key, found, row)
        turns = max(turns, abs(float(row["position"])) / 6.283185307179586)
    assert turns >= most_turns, f"{scene}: {turns} turns"
    return len(recorded)


WHEEL = """<robot name="wheel"><link name="world"/><link name="disk"><inertial><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="axle" type="continuous"><parent link="world"/><child link="disk"/>
<axis xyz="0 0.6 0.8"/></joint></robot>"""


def main(rigor, source):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "wheel.urdf").write_text(WHEEL)
        (folder / "wheel.yaml").write_text(
            "name: wheel\nrobots:\n  - name: w\n    urdf: wheel.urdf\n    joint_velocities: {axle: 37}\n")
        compared = check(rigor, folder / "wheel.yaml", 2, folder, most_turns=10)
        for scene, until in ("double-pendulum", 2), ("gripper", 1), ("quadruped-trot", 0.3), ("compass-gait", 1):
            compared += check(rigor, source / "scenes" / f"{scene}.yaml", until, folder)
        print(f"{compared} coordinates")


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
