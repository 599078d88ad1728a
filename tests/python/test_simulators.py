# SPDX-License-Identifier: MIT
"""Proves that motions of other simulators arrive as what they are. Oracles: rigor's own links, whose poses and joints
are recorded side by side; rotation matrices; `rigor check`."""
import numpy as np
import pytest

import rigor
from rigor import simulators

JOINT_FIT = 1e-8   # [m] Links of a metre follow their joints this closely (solver.joint_fit: a tenth of the gap)...
TURN_FIT = 1e-7    # ... and turn with them.
ROUNDING = 1e-13   # Of positions of some metres: hundreds of roundings.


def matrix(q):
    w, x, y, z = q / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def test_configurations_place_the_links_where_the_record_has_them(scenes, tmp_path):
    scene = rigor.load_scene(scenes / "double-pendulum.yaml")
    path = tmp_path / "run.rigor"
    rigor.run(scene, until=0.5, record=path)
    record = rigor.Record(path)
    samples = record.joints
    times = sorted({row["time"] for row in samples})
    robot = scene.robots[0]
    position = {(row["time"], row["joint"]): row["position"] for row in samples}
    q = np.array([[position[t, f"{robot.name}/{j.name}"] for j in robot.joints if j.num_q] for t in times])
    poses = scene.link_poses(robot.name, q)
    assert set(poses) == {f"{robot.name}/{link}" for link in robot.links}
    for name, rows in poses.items():
        recorded = record.poses(name, times)
        assert np.abs(rows[:, :3] - recorded[:, :3]).max() < JOINT_FIT
        for ours, theirs in zip(rows, recorded):
            assert np.abs(matrix(ours[3:]) - matrix(theirs[3:])).max() < TURN_FIT
    with pytest.raises(rigor.InputError, match="2 numbers"):
        scene.link_poses(robot.name, q[:, :1])
    with pytest.raises(rigor.InputError, match="no-robot"):
        scene.link_poses("no-robot", q)


def test_floating_robots_are_where_their_base_is(scenes):
    scene = rigor.load_scene(scenes / "quadruped-drop.yaml")
    robot = scene.robots[0]
    root = next(j for j in robot.joints if j.type == "floating")
    size = sum(j.num_q for j in robot.joints)
    q = np.zeros((3, size))
    start = sum(j.num_q for j in robot.joints[:robot.joints.index(root)])
    q[:, start:start + 3] = [[0, 0, 1], [1, 2, 3], [-1, 0, 2]]
    q[:, start + 3:start + 7] = [[1, 0, 0, 0], [0.5, 0.5, 0.5, 0.5], [2, 0, 0, 2]]
    poses = scene.link_poses(robot.name, q)
    at_home = {name: rows[0] for name, rows in poses.items()}
    for name, rows in poses.items():
        for row, base in zip(rows, q[:, start:start + 7]):
            R = matrix(base[3:])
            assert np.abs(row[:3] - (base[:3] + R @ (at_home[name][:3] - [0, 0, 1]))).max() < ROUNDING
            assert np.abs(matrix(row[3:]) - R @ matrix(at_home[name][3:])).max() < ROUNDING


def test_centres_of_mass_become_origins(program, scenes, tmp_path):
    random = np.random.default_rng(2)
    centre = np.array([0.1, -0.2, 0.3])
    p, q = random.normal(size=(20, 3)), random.normal(size=(20, 4))
    rows = simulators.from_centres(p, q, centre)
    for row, position, orientation in zip(rows, p, q):
        assert np.abs(row[:3] + matrix(orientation) @ centre - position).max() < ROUNDING
        assert np.array_equal(row[3:], orientation)
    assert np.array_equal(simulators.from_bullet(p, np.roll(q, -1, axis=1), centre), rows)
    with pytest.raises(ValueError):
        simulators.from_centres(p, q[:, :3])

    scene = rigor.load_scene(scenes / "die.yaml")
    times = np.linspace(0, 0.2, 21)
    poses = {"die": simulators.from_bullet(np.stack([0 * times, 0 * times, 0.5 - times], axis=1),
                                           np.tile([0, 0, 0, 1.0], (21, 1)))}
    assert rigor.check(scene, times, poses).status == "apart"
    simulators.save(tmp_path / "fall.npz", times, poses)
    assert program.json("check", scenes / "die.yaml", tmp_path / "fall.npz")["status"] == "apart"
    with pytest.raises(ValueError, match="time"):
        simulators.save(tmp_path / "bad.npz", times, {"time": poses["die"]})
