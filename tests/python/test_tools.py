# SPDX-License-Identifier: MIT
"""Proves that verify, check, distance, impact sets, sweeps and trees from Python say what the command line prints,
number for number, and that controllers written in Python are those of scene files. Oracle: `rigor`.
"""
import csv
import io
import json

import numpy as np
import pytest

import rigor


def test_verify(program, scenes, tmp_path):
    path = tmp_path / "die.rigor"
    rigor.run(scenes / "die.yaml", record=path)
    for arguments, options in (([], {}), (["--kernel"], {"kernel": True}),
                               (["--geometry-only"], {"geometry_only": True})):
        expected = program.json("verify", path, *arguments)
        report = rigor.verify(path, **options)
        assert report.proved and report.complete
        for key in ("status", "complete", "branches", "pieces", "pairs", "witnesses", "min_gap", "horizon", "until",
                    "physics", "notes"):
            assert getattr(report, key) == expected[key], key
    assert report.failures == []


def test_a_record_that_lies_is_refuted(program, scenes, tmp_path):
    import sqlite3

    path = tmp_path / "die.rigor"
    rigor.run(scenes / "die.yaml", record=path)
    with sqlite3.connect(path) as database:
        database.execute("UPDATE branches SET min_gap = 1")
    expected = program.json("verify", path, codes=(1,))
    report = rigor.verify(path)
    assert not report.proved and report.status == expected["status"]
    assert report.failure_count == expected["failure_count"] > 0
    assert [f.reason for f in report.failures] == [f["reason"] for f in expected["failures"]]


def falling(times, height):
    """A die that falls through the table."""
    poses = np.zeros((len(times), 7))
    poses[:, 2] = height - times
    poses[:, 3] = 1
    return poses


def test_check(program, scenes, tmp_path):
    scene = rigor.load_scene(scenes / "die.yaml")
    times = np.linspace(0, 1, 101)
    poses = {"die": falling(times, 0.5)}
    path = tmp_path / "trajectory.npz"
    np.savez(path, time=times, **poses)
    expected = program.json("check", scenes / "die.yaml", path, codes=(1,))
    for report in (rigor.check(scene, times, poses), rigor.check(scene, path)):
        for key in ("status", "interpolation", "intervals", "apart", "overlapping", "tunnelling", "undecided"):
            assert getattr(report, key) == expected[key], key
        assert report.deepest.depth == expected["deepest"]["depth"]
        assert report.deepest.time == expected["deepest"]["time"]
        assert [[p.body_a, p.body_b] for p in report.pairs] == [p["pair"] for p in expected["pairs"]]
    assert report.status == "penetrates"
    assert rigor.check(scene, times, poses, allow=10.0).status == "apart"
    assert rigor.check(scene, times[:40], {"die": poses["die"][:40]}).status == "apart"
    curve = rigor.check(scene, times, poses, curves=True).deepest.curve
    assert curve.shape[1] == 2 and curve[:, 1].max() == report.deepest.depth
    hermite = rigor.check(scene, times, {"die": np.hstack([poses["die"], np.tile([0, 0, -1, 0, 0, 0], (101, 1))])})
    assert hermite.interpolation == "hermite" and hermite.status == "penetrates"
    with pytest.raises(rigor.InputError, match="die"):
        rigor.check(scene, times, {})
    with pytest.raises(rigor.InputError, match="101 x 7"):
        rigor.check(scene, times, {"die": poses["die"][1:]})
    # What rigor computed is apart.
    run = rigor.run(scene)
    times = np.linspace(0, scene.until, 2001)
    assert rigor.check(scene, times, {"die": run.poses("die", times)}, allow=1e-3).status == "apart"


def test_distance(program):
    random = np.random.default_rng(5)
    lines, ours = [], []
    for i in range(200):
        sets = []
        for name in "ab":
            vertices = random.normal(size=(random.integers(1, 12), 3))
            pose = np.concatenate([random.normal(size=3) * random.choice([0.5, 3]), random.normal(size=4)])
            sets.append((vertices, pose))
        (a, pose_a), (b, pose_b) = sets
        ours.append(rigor.distance(a, b, pose_a, pose_b))
        lines.append(json.dumps({"id": i, **{name: {"vertices": v.tolist(), "pose": [*p[3:], *p[:3]]}
                                             for name, (v, p) in zip("ab", sets)}}))
    theirs = [json.loads(line) for line in program(
        "distance", "-", "--json", text="\n".join(lines)).stdout.splitlines()]
    assert len(theirs) == 200
    for found, expected in zip(ours, theirs):
        assert found.distance == expected["distance"]
        for key in ("point_a", "point_b", "normal"):
            assert np.array_equal(getattr(found, key), expected[key])
        for key in ("feature_a", "feature_b"):
            assert getattr(found, key) == (expected[key]["kind"], expected[key]["vertices"])
    assert min(s.distance for s in ours) < 0 < max(s.distance for s in ours)


def test_impact_sets(program, scenes, tmp_path):
    problem = scenes / "problems" / "box-and-wall.yaml"
    path = tmp_path / "samples.csv"
    program("impact", problem, "--samples", 300, "--seed", 4, "-o", path)
    with open(path, newline="") as file:
        header, *rows = list(csv.reader(file))
    found = rigor.impact_set(problem, samples=300, seed=4)
    n, m = found.velocity.shape[1], found.normal_velocity.shape[1]
    expected = np.array(rows, dtype=float)
    assert len(found) == len(expected) > 100
    assert np.array_equal(found.velocity, expected[:, [header.index(f"v{i}") for i in range(n)]])
    assert np.array_equal(found.normal_velocity, expected[:, [header.index(f"vn{i}") for i in range(m)]])
    assert np.array_equal(found.lcps, expected[:, header.index("lcps")])
    assert np.array_equal(rigor.impact_set(str(problem), samples=300, seed=4, threads=1).velocity, found.velocity)
    for model in ("anitescu-potra", "propagative"):
        expected = program.json("impact", problem, "--model", model)
        found = rigor.impact_set(problem, model=model)
        assert not found.random
        assert found.velocity.tolist() == [o["velocity"] for o in expected["outcomes"]]
        assert found.impulses == [o["impulses"] for o in expected["outcomes"]]
    assert "routh" in rigor.impact_models()


def test_impact_problems_from_dicts():
    # A ball of mass 2 that hits a wall: v+ = -e v- without friction, in closed form.
    found = rigor.impact_set({"mass_matrix": 2 * np.eye(2), "normal": [[0, 1]], "tangent": [[[1, 0]]],
                              "friction": [0.0], "restitution": [0.5],
                              "velocity": [3, -4]}, samples=10)
    assert np.allclose(found.velocity, [[3, 2]] * len(found), rtol=0, atol=1e-9)
    with pytest.raises(rigor.InputError) as caught:
        rigor.impact_set({"mass_matrix": [[1]], "normal": [[1, 2]], "tangent": [[[0]]], "friction": [0],
                          "velocity": [-1]})
    assert caught.value.file == "<problem>" and caught.value.line > 1


def test_sweep(program, scenes, tmp_path):
    plan = {"scene": str(scenes / "die.yaml"), "runs": 12, "seed": 3,
            "vary": {"bodies.die.velocity": {"uniform": [[-1, -1, -3], [1, 1, -1]]}},
            "results": ["die.position", "die.face_up", "energy"]}
    path = tmp_path / "sweep.yaml"
    path.write_text(json.dumps(plan))
    program("sweep", path, "-o", tmp_path / "theirs")
    theirs = (tmp_path / "theirs" / "results.csv").read_bytes()
    result = rigor.sweep(plan, tmp_path / "ours", threads=1)
    assert (tmp_path / "ours" / "results.csv").read_bytes() == theirs
    assert len(result) == result.summary.runs == 12
    header, *rows = list(csv.reader(io.StringIO(theirs.decode())))
    assert result.columns == header
    k = header.index("die.face_up")
    assert result["die.face_up"].tolist() == [float(row[k]) for row in rows]
    assert result["run"].tolist() == list(range(12)) and set(result["status"]) == {"done"}
    for shard in (1, 2):
        rigor.sweep(path, tmp_path / f"part{shard}", shard=(shard, 2))
    merged = rigor.merge_sweeps([tmp_path / "part1", tmp_path / "part2"], tmp_path / "merged")
    assert (tmp_path / "merged" / "results.csv").read_bytes() == theirs and len(merged) == 12
    with pytest.raises(rigor.InputError, match="3 of 2"):
        rigor.sweep(path, tmp_path / "bad", shard="3/2")
    with pytest.raises(KeyError):
        result["no-column"]


def test_explore(program, scenes, tmp_path):
    theirs, ours = tmp_path / "theirs.rigor", tmp_path / "ours.rigor"
    scene = scenes / "box-and-wall.yaml"
    expected = program.json("explore", scene, "-o", theirs, "--max-branches", 8, "--seed", 2, codes=(0, 5))
    found = rigor.explore(rigor.load_scene(scene), ours, max_branches=8, seed=2)
    for key in ("status", "branches", "leaves", "forks", "merged", "time", "min_gap", "open", "open_difference"):
        assert getattr(found, key) == expected[key], key
    a, b = rigor.Record(theirs), rigor.Record(ours)
    assert [branch.id for branch in a.branches] == [branch.id for branch in b.branches]
    assert len(b.branches) > 1
    for branch in b.branches:
        times = np.linspace(0, branch.end_time, 20)
        body = b.bodies[-1]
        assert np.array_equal(a.poses(body, times, branch.id), b.poses(body, times, branch.id))
    assert {e["branch"] for e in b.events} <= {branch.id for branch in b.branches}


class JointPd(rigor.Controller):
    """The law of `controller: {type: pd}` in Python."""

    def __init__(self, period, kp, kd, target):
        self.period, self.kp, self.kd, self.target = period, kp, kd, target

    def forces(self, time, q, v, memory):
        return self.kp * (self.target - q) - self.kd * v


class Counting(rigor.Controller):
    period = 0.02
    memory_size = 2

    def forces(self, time, q, v, memory):
        assert memory[0] == round(time / self.period)
        memory[0] += 1
        memory[1] = time
        return np.zeros(len(v))


def test_controllers(scenes, tmp_path):
    scene = rigor.load_scene(scenes / "double-pendulum.yaml")
    robot = scene.robots[0]
    assert robot.num_v == 2
    law = JointPd(0.01, 5.0, 0.5, np.array([0.3, -0.2]))
    runs = [rigor.run(scene.with_controller(robot.name, law), until=1.0) for _ in range(2)]
    assert runs[0].summary.as_dict() == runs[1].summary.as_dict()  # To the bit.
    free = rigor.run(scene, until=1.0)
    assert free.summary.energy_final != runs[0].summary.energy_final
    rigor.run(scene.with_controller(robot.name, Counting()), until=0.3)
    path = tmp_path / "run.rigor"
    rigor.run(scene.with_controller(robot.name, law), until=0.2, record=path)
    report = rigor.verify(path)
    # About the model alone: no file has this controller.
    assert report.proved and any("scene" in note for note in report.notes)
    efforts = [row for row in rigor.Record(path).joints if row["time"] == 0]
    start = {row["joint"]: row["position"] for row in efforts}
    for row, target in zip(efforts, law.target):
        assert row["effort"] == pytest.approx(5.0 * (target - start[row["joint"]]) - 0.5 * row["velocity"], rel=1e-12)


def test_sensors_of_a_robot_that_lands_and_lies(scenes, tmp_path):
    """Oracle: momentum. Contacts give all links what the change of their momentum and their weight ask for."""
    path = tmp_path / "run.rigor"
    rigor.run(rigor.load_scene(scenes / "quadruped-drop.yaml"), until=0.5, record=path)
    record = rigor.Record(path)
    masses = {body["name"]: body["mass"] for body in json.loads(record.model)["bodies"] if not body["fixed"]}
    links = [name for name in record.bodies if name in masses]
    times = np.linspace(0, 0.5, 26)
    samples = {link: record.sensors(link, times) for link in links}
    pushed = sum((table["force"][1:] * np.diff(times)[:, None]).sum(axis=0) for table in samples.values())
    assert any(table["touches"].any() for table in samples.values())
    centres = {body["name"]: np.array(body["centre"]) for body in json.loads(record.model)["bodies"]}

    def momentum(time):
        total = np.zeros(3)
        for link in links:
            velocity, pose = record.velocities(link, [time])[0], record.poses(link, [time])[0]
            total += masses[link] * (velocity[:3] + np.cross(velocity[3:], turned(pose[3:], centres[link])))
        return total

    weight = np.array([0, 0, -9.81]) * sum(masses.values())
    expected = momentum(times[-1]) - momentum(0) - weight * 0.5
    assert np.abs(pushed - expected).max() <= 1e-3 * np.abs(weight[2]) * 0.5


def turned(q, v):
    """v turned by the quaternion [w, x, y, z]."""
    w, u = q[0], q[1:]
    return v + 2 * (w * np.cross(u, v) + np.cross(u, np.cross(u, v))) / (q @ q)
