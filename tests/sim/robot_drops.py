#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Robots without a controller, dropped onto a floor from random starts: each is run and its record verified, and what
failed, stalled or took long is counted.

usage: robot_drops.py RIGOR MODEL [MODEL ...] [--first N] [--count N] [--seconds S] [--until T] [--keep FOLDER]

MODEL is a URDF, MJCF or SDF file. Start N of a model depends on its name and N alone: pose, speeds, joint angles within
their limits, friction, and whether links of the robot collide with each other. It starts as low as it can without
touching the floor, up to a factor of 1.3. A run fails where rigor ends with another code than 0 or the record is not
proved; it stalls where more than STALL steps of it begin within STALL_TIME sqrt(L/g), L the robot's smallest part.
Exit code: 1 where one failed or stalled.
"""
import argparse
import collections
import json
import math
import os
import random
import subprocess
import sys
import tempfile

from scene_judge import STALL, STALL_TIME, seconds_of, stalls
from scene_text import quaternion

LOWEST, HIGHER, HIGHEST = 0.1, 1.3, 20  # Of the root link [m].
SPRUNG = 0.1  # [rad or m]
SLOWLY, VERIFY_LIMIT = 10, 300  # Of the run's processor time, where verifying is counted as slow; [s].
DRAWS = 20  # Of angles at which links do not start in each other; then links do not collide.


def start(r, joint):
    lower, upper = joint.get("lower"), joint.get("upper")
    if lower is None or upper is None or upper - lower > 2 * math.pi:
        lower, upper = -math.pi, math.pi
    if joint.get("stiffness", 0) > 0:  # Springs start nearly at rest.
        lower, upper = joint["rest"] - SPRUNG, joint["rest"] + SPRUNG
    return r.uniform(lower, upper)


def scene(r, model, path, height, until, collides):
    joints = {j["name"]: start(r, j) for j in model["joints"] if j.get("coordinates") == 1 and "mimic" not in j}
    robot = {"name": "r", model["format"]: path, "position": [0, 0, height], "orientation": quaternion(r),
             "joints": joints, "self_collision": collides, "move_inside_limits": True}
    if model["base"] == "floating":
        robot |= {"velocity": [r.uniform(-1, 1) for _ in range(3)],
                  "angular_velocity": [r.uniform(-3, 3) for _ in range(3)]}
    return {"until": until, "contact": {"friction": r.choice([0, 0.3, 0.6, 1.0]), "restitution": r.choice([0, 0, 0.3])},
            "robots": [robot],
            "bodies": [{"name": "floor", "fixed": True, "shape": {"halfspace": {"normal": [0, 0, 1], "offset": 0}}}]}


def starts(rigor, path, text):
    """Whether the scene starts apart; None: it is refused for another reason."""
    with open(path, "w") as out:
        json.dump(text | {"until": 1e-9}, out)
    done = subprocess.run([rigor, "run", path, "-o", path + ".rigor", "--force", "--quiet"], capture_output=True,
                          text=True)
    if done.returncode in (0, 4):
        return True, done.stderr
    near = any(word in done.stderr for word in ("overlap", "apart", "touch"))
    return (False if near else None), done.stderr


def place(rigor, model, file, number, until, path):
    """@returns the scene's text, or why there is none."""
    said = ""
    for draw in range(DRAWS + 1):
        height = LOWEST
        while height < HIGHEST:
            r = random.Random(f"{model['model']} {number} {draw}")
            text = scene(r, model, file, height, until, r.random() < 0.5 and draw < DRAWS)
            apart, said = starts(rigor, path, text)
            if apart:
                with open(path, "w") as out:
                    json.dump(text, out)
                return text, ""
            if apart is None or "floor" not in said:
                break
            height *= HIGHER
    return None, said


def last_line(text):
    return (text.strip().splitlines() or [""])[-1]


def judge(rigor, model, file, number, folder, until, seconds):
    name = f"{model['model']}-{number}".replace("/", "_")
    path, record, trace = (os.path.join(folder, f"{name}.{end}") for end in ("yaml", "rigor", "trace"))
    text, said = place(rigor, model, file, number, until, path)
    if text is None:
        return name, 0, [f"refused: {last_line(said)}"]
    limit = math.ceil(3 * seconds * until)
    code, took, said = seconds_of([rigor, "run", path, "-o", record, "--force", "--quiet", "--trace", trace], limit)
    wrong = []
    if code not in (0, None):
        wrong.append(f"failed ({code}): {last_line(said)}")
    if code == 0:
        size = min(part["size"] for link in model["links"] for part in link["parts"] if "size" in part)  # No plane has.
        stalled = stalls(trace, STALL_TIME * math.sqrt(size / 9.81))
        if stalled > STALL:
            wrong.append(f"stalls: {stalled} steps")
        verified, proving, said = seconds_of([rigor, "verify", record], VERIFY_LIMIT)
        if verified is None or proving > max(1, SLOWLY * took):
            wrong.append(f"proved slowly: {proving:.1f} s")
        elif verified != 0:
            wrong.append(f"not proved: {last_line(said)}")
    if took > seconds * until or code is None:
        wrong.append("slow")
    return name, took, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rigor")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=3, help="of processor time for a second: beyond, it is slow")
    parser.add_argument("--until", type=float, default=1)
    parser.add_argument("--keep")
    options = parser.parse_args()
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        if options.keep:
            os.makedirs(options.keep, exist_ok=True)
        for file in map(os.path.abspath, options.models):
            model = json.loads(subprocess.run([options.rigor, "info", file, "--json"], capture_output=True, text=True,
                                              check=True).stdout)
            for number in range(options.first, options.first + options.count):
                name, took, wrong = judge(options.rigor, model, file, number, options.keep or folder, options.until,
                                          options.seconds)
                counts["drops"] += 1
                counts["seconds"] += took
                for what in wrong:
                    counts[what.split(" ")[0].rstrip(":")] += 1
                print(f"{name}: {took:.2f} s{''.join('; ' + what for what in wrong)}", flush=True)
    print({k: round(v, 1) for k, v in counts.items()})
    return 1 if any(k in ("failed", "not", "stalls", "refused") for k in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
