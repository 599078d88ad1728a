#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks motions that MuJoCo, Bullet and ODE computed, and proves that what `rigor check` says of them is so.

Usage: check_motions.py RIGOR EXAMPLE_PROGRAM mujoco|bullet|ode. Oracles: MuJoCo's own poses of bodies and depths of
contacts; the lowest corner of a box above a floor, worked out here from its pose; the samples on both sides of a wall.
Ends with 77 (skipped) without the module `rigor` where it is needed (MuJoCo).
"""
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
POSE = ("px", "py", "pz", "qw", "qx", "qy", "qz")
COLUMNS = ("time", *POSE)
ROUNDING = 1e-12  # [m] Of depths and positions of some metres, worked out in two ways: thousands of roundings.


def printed(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout


def check(rigor, scene, motion, *options):
    done = subprocess.run([rigor, "check", str(scene), str(motion), "--json", "--second-opinion", *options],
                          capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    report = json.loads(done.stdout)
    opinion = report["second_opinion"]
    assert not opinion["differ"] and opinion["agree"] > 0.9 * opinion["asked"] > 0, opinion
    assert (done.returncode == 0) == (report["status"] == "apart"), report
    return report


def motions(text):
    """A dict from body to times (n) and poses (n, 7) of what an example printed."""
    found = {}
    for row in csv.DictReader(io.StringIO(text)):
        found.setdefault(row["body"], []).append([float(row[key]) for key in COLUMNS])
    return {name: (np.array(rows)[:, 0], np.array(rows)[:, 1:]) for name, rows in found.items()}


def lowest(poses, half):
    """Height of the lowest corner of a cube of edge 2 `half` at each pose: its centre's, less its edges' reach down."""
    w, x, y, z = (poses[:, 3:] / np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)).T
    down = np.abs([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]).sum(axis=0)
    return poses[:, 2] - half * down


def pair(report, *names):
    return next((one for one in report["pairs"] if set(one["pair"]) == set(names)), None)


def demand_depth(found, heights, times, poses, half):
    """`found` is the depth of a cube in the floor: that of the deepest sample, or as much more as a corner may dip
    between two samples, where an angle a takes it at most (1 - cos(a / 2)) of its distance from the centre off the
    line.
    """
    sampled = -heights.min()
    unit = poses[:, 3:] / np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
    cosine = np.abs((unit[1:] * unit[:-1]).sum(axis=1)).min()  # Of half the largest angle between two samples.
    dip = (1 - cosine) * np.sqrt(3) * half
    assert sampled > 0
    assert sampled - ROUNDING <= found["deepest"]["depth"] <= sampled + dip + ROUNDING, (found, sampled)
    first = times[np.argmax(heights < 0)]
    assert times[np.argmax(heights < 0) - 1] - ROUNDING <= found["first"] <= first + ROUNDING, (found, first)


def bullet(rigor, program, folder):
    for mode in ("discrete", "continuous"):
        text = printed(program, mode, 240, 1)
        (folder / f"{mode}.csv").write_text(text)
        report = check(rigor, HERE / "bullet.yaml", folder / f"{mode}.csv")
        times, die = motions(text)["die"]
        demand_depth(pair(report, "floor", "die"), lowest(die, 0.05), times, die, 0.05)
        # From one side of the wall at 5.14 to 5.16 m to the other, and at no sample in it.
        x = motions(text)["shot"][1][:, 0]
        through = bool(np.any((x[:-1] < 5.12) & (x[1:] > 5.18)))
        assert through == (mode == "discrete")
        wall = pair(report, "wall", "shot")
        assert bool(wall and wall["tunnels"]) == through and (report["tunnelling"] > 0) == through, report
        deepest = report["deepest"]["depth"]
        allowed = check(rigor, HERE / "bullet.yaml", folder / f"{mode}.csv", "--allow", repr(1.001 * deepest))
        assert allowed["status"] == "apart"
        die_depth = pair(report, "floor", "die")["deepest"]["depth"]
        print(f"Bullet, {mode} collision detection, 240 steps/s: die {1e3 * die_depth:.2f} mm in the floor; the shot"
              f" {'passes through the wall' if through else 'stops at the wall'}")
    helper(folder, text)


def helper(folder, text):
    """Bullet's quaternions are [x, y, z, w]: through rigor.simulators the same poses give the same report."""
    try:
        import rigor
        from rigor import simulators
    except ImportError:
        return
    scene, found = rigor.load_scene(HERE / "bullet.yaml"), motions(text)
    poses = {name: simulators.from_bullet(rows[:, :3], np.roll(rows[:, 3:], -1, axis=1))
             for name, (_, rows) in found.items()}
    times = found["die"][0]
    simulators.save(folder / "bullet.npz", times, poses)
    direct, read = rigor.check(scene, times, poses), rigor.check(scene, folder / "bullet.npz")
    assert direct.status == read.status == "penetrates" and direct.deepest.depth == read.deepest.depth
    assert np.array_equal(poses["die"], found["die"][1])


def ode(rigor, program, folder):
    for rate in (240, 1000):
        text = printed(program, rate, 1)
        (folder / "ode.csv").write_text(text)
        report = check(rigor, HERE / "ode.yaml", folder / "ode.csv")
        times, die = motions(text)["die"]
        demand_depth(pair(report, "floor", "die"), lowest(die, 0.05), times, die, 0.05)
        print(f"ODE, quick step, {rate} steps/s: die {1e3 * report['deepest']['depth']:.2f} mm in the floor")


def mujoco(rigor_program, program, folder):
    try:
        import rigor
        from rigor import simulators
    except ImportError:
        sys.exit(77)
    text = printed(program, HERE / "mujoco.xml", 1)
    rows = np.genfromtxt(io.StringIO(text), delimiter=",", names=True, deletechars="")
    times = rows["time"]
    qpos = np.column_stack([rows[name] for name in rows.dtype.names if name[0] == "q"])
    scene = rigor.load_scene(HERE / "mujoco.yaml")
    poses = scene.link_poses("model", qpos)  # The same MJCF, read by rigor.
    for body in ("box", "upper", "fore"):
        theirs = np.column_stack([rows[f"{body}.{key}"] for key in POSE])
        ours = poses[f"model/{body}"]
        assert np.abs(ours[:, :3] - theirs[:, :3]).max() < ROUNDING
        turns = np.abs((ours[:, 3:] * theirs[:, 3:]).sum(axis=1)) / np.linalg.norm(ours[:, 3:], axis=1)
        assert np.abs(turns - 1).max() < ROUNDING
    simulators.save(folder / "mujoco.npz", times, poses)
    report = check(rigor_program, HERE / "mujoco.yaml", folder / "mujoco.npz")
    box = poses["model/box"]
    demand_depth(pair(report, "floor", "model/box"), lowest(box, 0.05), times, box, 0.05)
    # MuJoCo says itself how deep its contacts are.
    assert report["deepest"]["depth"] >= -rows["contact"].min() - ROUNDING
    assert abs(-rows["contact"].min() + lowest(box, 0.05).min()) < ROUNDING
    depths = [1e3 * pair(report, "floor", f"model/{body}")["deepest"]["depth"] for body in ("box", "fore")]
    print(f"MuJoCo, 2 ms steps: box {depths[0]:.2f} mm in the floor, arm {depths[1]:.2f} mm")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        {"bullet": bullet, "ode": ode, "mujoco": mujoco}[sys.argv[3]](sys.argv[1], sys.argv[2], pathlib.Path(name))
