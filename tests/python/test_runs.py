# SPDX-License-Identifier: MIT
"""Proves that runs from Python are those of the command line, bit for bit: summaries, records, states; and that
looking, stepping and going back change nothing. Oracles: `rigor run` and `rigor export`; free fall in closed form;
`rigor verify`.
"""
import csv
import math
import sqlite3
import threading

import numpy as np
import pytest

import rigor

FALL_ROUNDING = 1e-12  # Of positions of about 1 m: thousands of roundings.
STEP_ACCURACY = 2e-3   # [m/s] solver.velocity_tolerance, the error that a step may have.
MOVED = ("branches", "pieces", "witnesses", "impulses", "events", "impacts", "joints", "files", "axes", "pairs",
         "snapshots")


def rows(path, table):
    return sqlite3.connect(path).execute(f"SELECT * FROM {table}").fetchall()


def exported(program, path, folder):
    program("export", path, "--format", "csv", "-o", folder)
    with open(folder / "states.csv", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("scene, until", [("die", 1.5), ("cube-on-cube", 0.5), ("double-pendulum", 0.3)])
def test_a_run_is_that_of_the_command_line(program, scenes, tmp_path, scene, until):
    theirs, ours = tmp_path / "theirs.rigor", tmp_path / "ours.rigor"
    expected = program.json("run", scenes / f"{scene}.yaml", "-o", theirs, "--until", until, "--seed", 7)
    run = rigor.run(scenes / f"{scene}.yaml", until=until, seed=7, record=ours)
    found = run.summary.as_dict()
    for key, value in found.items():
        assert value == expected[key], key
    for table in MOVED:
        assert rows(ours, table) == rows(theirs, table), table
    for row in exported(program, theirs, tmp_path / "csv"):
        time = float(row["time"])
        pose = run.poses(row["body"], [time])[0]
        assert [repr(x) for x in pose] == [repr(float(row[k])) for k in ("px", "py", "pz", "qw", "qx", "qy", "qz")]


def test_a_record_gives_what_export_prints(program, scenes, tmp_path):
    path = tmp_path / "die.rigor"
    run = rigor.run(scenes / "die.yaml", record=path)
    record = rigor.Record(path)
    assert record.status == "done" and record.scene == "die" and record.seed == 0
    assert [branch.id for branch in record.branches] == ["0"]
    states = exported(program, path, tmp_path / "csv")
    times = np.array([float(row["time"]) for row in states if row["body"] == "die"])
    position = np.array([[float(row[k]) for k in ("px", "py", "pz", "qw", "qx", "qy", "qz")] for row in states
                         if row["body"] == "die"])
    velocity = np.array([[float(row[k]) for k in ("vx", "vy", "vz", "wx", "wy", "wz")] for row in states
                         if row["body"] == "die"])
    assert np.array_equal(record.poses("die", times), position)
    last = np.append(times[1:] != times[:-1], True)  # At an impact the later row: after it.
    assert np.array_equal(record.velocities("die", times)[last], velocity[last])
    assert np.array_equal(run.poses("die", times), position)
    assert np.array_equal(run.velocities("die", times)[last], velocity[last])
    between = np.random.default_rng(1).uniform(0, record.until, 200)
    assert np.array_equal(record.poses("die", between), run.poses("die", between))  # In any order.
    with open(tmp_path / "csv" / "events.csv", newline="") as file:
        events = list(csv.DictReader(file))
    assert [(e["kind"], e["time"]) for e in record.events] == [(e["kind"], float(e["time"])) for e in events]
    assert [e["kind"] for e in run.events] == [e["kind"] for e in record.events]
    assert len(record.impacts) == run["impacts"] == len(run.impacts)
    for ours, theirs in zip(run.impacts, record.impacts):
        assert ours["time"] == theirs["time"] and np.array_equal(ours["after"], theirs["after"])
    with pytest.raises(rigor.InputError, match="die"):
        record.poses("die", [record.until + 1])
    with pytest.raises(rigor.InputError, match="allowed: .*die"):
        record.poses("dye", [0])
    with pytest.raises(rigor.InputError):
        record.poses("die", [math.nan])


def test_looking_stepping_and_going_back_change_nothing(scenes):
    scene = rigor.load_scene(scenes / "cube-on-cube.yaml").with_until(0.5)
    once = rigor.Simulation(scene, seed=3)
    once.advance(0.5)
    looked = rigor.Simulation(scene, seed=3)
    for t in np.linspace(0, 0.5, 97):
        looked.advance(t)
    assert looked.snapshot() == once.snapshot()
    stepped = rigor.Simulation(scene, seed=3)
    while stepped.step():
        stepped.advance(stepped.time)
    stepped.advance(0.5)
    assert stepped.snapshot() == once.snapshot()
    assert stepped.summary.steps == once.summary.steps > 10
    back = rigor.Simulation(scene, seed=3)
    back.advance(0.2)
    state = back.snapshot()
    back.advance(0.4)
    back.restore(state)
    assert back.time == 0.2
    back.advance(0.5)
    assert back.snapshot() == once.snapshot()


def test_velocities_that_are_set_start_proved_motions(program, scenes, tmp_path):
    scene = rigor.load_scene(scenes / "die.yaml")
    path = tmp_path / "run.rigor"
    with rigor.Simulation(scene, record=path) as simulation:
        simulation.advance(0.7)
        before = simulation.state("die")
        simulation.set_velocity("die", velocity=[0.3, -0.2, 4], angular_velocity=(1, 2, 3))
        assert np.array_equal(simulation.state("die").velocity, [0.3, -0.2, 4])
        simulation.advance(1.0)
        h = 1.0 - 0.7
        fall = before.position + h * np.array([0.3, -0.2, 4]) + h * h / 2 * scene.gravity
        assert np.abs(simulation.state("die").position - fall).max() < FALL_ROUNDING
        simulation.set_velocity("die", velocity=[0, 0, 0])  # It turns on as it did.
        assert np.array_equal(simulation.state("die").angular_velocity, simulation.state("die", 1.0).angular_velocity)
        simulation.advance(scene.until)
    assert program.json("verify", path)["status"] == "proved"
    record = rigor.Record(path)
    assert [e["time"] for e in record.events if e["kind"] == "velocity-set"] == [0.7, 1.0]
    assert [i["time"] for i in record.impacts if i["model"] == "velocity-set"] == [0.7, 1.0]
    for bad in ("table", "dye"):
        with pytest.raises(rigor.InputError, match=bad):
            rigor.Simulation(scene).set_velocity(bad, [0, 0, 0])
    for bad in ([0, 0], [0, 0, math.nan], "up"):
        with pytest.raises(rigor.InputError):
            rigor.Simulation(scene).set_velocity("die", bad)


def test_a_run_that_is_left_early_is_proved_up_to_there(scenes, tmp_path):
    for time in (0.0, 0.5):
        path = tmp_path / f"{time}.rigor"
        with rigor.Simulation(rigor.load_scene(scenes / "die.yaml"), record=path) as simulation:
            simulation.advance(time)
        assert rigor.Record(path).status == "interrupted"
        report = rigor.verify(path)
        assert report.proved and not report.complete and report.horizon == time


def test_scenes_from_dicts_are_those_of_files(tmp_path):
    fields = {"name": "drop", "until": 0.3,
              "bodies": [{"name": "table", "fixed": True, "shape": {"halfspace": {"normal": [0, 0, 1], "offset": 0}}},
                         {"name": "box", "shape": {"box": {"size": np.array([0.1, 0.2, 0.3])}}, "mass": np.float64(1.5),
                          "position": (0, 0, 1)}]}
    scene = rigor.Scene(fields)
    assert [body.name for body in scene.bodies] == ["table", "box"]
    assert scene.bodies[1].mass == 1.5 and np.array_equal(scene.bodies[1].start.position, [0, 0, 1])
    path = tmp_path / "drop.yaml"
    path.write_text(scene.text)
    assert (rigor.run(scene).summary.as_dict() == rigor.run(path).summary.as_dict()
            == rigor.run(fields).summary.as_dict())


def test_states_that_are_not_kept_are_refused(scenes):
    scene = rigor.load_scene(scenes / "die.yaml")
    simulation = rigor.Simulation(scene)
    assert np.array_equal(simulation.state("die").position, scene.bodies[1].start.position)
    with pytest.raises(rigor.InputError, match="0.5"):
        simulation.state("die", 0.5)
    simulation.advance(0.1)
    assert simulation.finish().status == "done"
    with pytest.raises(rigor.InputError, match="finished"):
        simulation.advance(0.2)


def test_forces_from_outside_obey_newton(program, scenes, tmp_path):
    scene = rigor.load_scene(scenes / "die.yaml")
    path = tmp_path / "run.rigor"
    with rigor.Simulation(scene, record=path) as simulation:
        simulation.advance(1.0)
        before = simulation.state("die")
        simulation.apply_wrench("die", force=[0, 0, 3 * 9.81], duration=0.1)  # The die has 1 kg.
        simulation.advance(1.1)
        after = simulation.state("die")
        assert np.abs(after.velocity - before.velocity - [0, 0, 0.2 * 9.81]).max() < STEP_ACCURACY
        simulation.advance(scene.until)
    assert program.json("verify", path)["status"] == "proved"
    assert [e["time"] for e in rigor.Record(path).events if e["kind"] == "wrench-set"] == [1.0]
    for bad in ({"body": "table", "force": [0, 0, 1]}, {"body": "die", "force": [0, 0]},
                {"body": "die", "force": [0, 0, math.inf]}, {"body": "die", "force": [0, 0, 1], "duration": -1},
                {"body": "die", "force": [0, 0, 1], "duration": math.nan}):
        with pytest.raises(rigor.InputError):
            rigor.Simulation(scene).apply_wrench(**bad)


def test_contacts_are_a_list(scenes):
    simulation = rigor.Simulation(rigor.load_scene(scenes / "die.yaml"))
    simulation.advance(0.01)
    assert simulation.contacts() == []  # In flight.


def test_the_lock_is_released_and_a_simulation_is_guarded(scenes):
    scene = rigor.load_scene(scenes / "double-pendulum.yaml").with_until(200)  # About a second: it never rests.
    simulation = rigor.Simulation(scene, history=0)
    done = threading.Event()
    refused = []

    def advance():
        simulation.advance(scene.until)
        done.set()

    worker = threading.Thread(target=advance)
    worker.start()
    counted = 0
    while not done.is_set():
        counted += 1
        try:
            simulation.time
        except RuntimeError as error:
            refused.append(str(error))
    worker.join()
    # With the lock held all along, this loop would not get a turn while the run goes on.
    assert refused and "another thread" in refused[0]
    assert counted > 100
