# SPDX-License-Identifier: MIT
"""Proves that what cannot be used is refused as the command line refuses it, with file, line and column; that Ctrl-C
ends long calls with valid records; that exceptions of controllers come through. Oracle: the message of `rigor`.
"""
import os
import pathlib
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import rigor

BAD = textwrap.dedent("""\
    name: bad
    bodies:
      - name: a
        shape: {box: {size: [0.1, 0.1, 0.1]}}
        mass: -1
    """)
OVERLAP = textwrap.dedent("""\
    name: overlap
    bodies:
      - name: a
        shape: {box: {size: [1, 1, 1]}}
        mass: 1
      - name: b
        shape: {box: {size: [1, 1, 1]}}
        mass: 1
        position: [0.5, 0, 0]
    """)


def test_errors_carry_file_line_and_column(program, tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text(BAD)
    with pytest.raises(rigor.InputError) as caught:
        rigor.load_scene(path)
    error = caught.value
    assert (error.file, error.line, error.column) == (str(path), 5, 11)
    assert isinstance(error, ValueError)
    assert str(error) == program("run", path, codes=(3,)).stderr.strip()
    with pytest.raises(rigor.InputError) as caught:
        rigor.Scene(BAD, path="here.yaml")
    assert (caught.value.file, caught.value.line, caught.value.column) == ("here.yaml", 5, 11)


def test_overlapping_starts_are_placed(program, tmp_path):
    path = tmp_path / "overlap.yaml"
    path.write_text(OVERLAP)
    scene = rigor.load_scene(path)
    with pytest.raises(rigor.InputError) as caught:
        rigor.Simulation(scene)
    assert str(caught.value) == program("run", path, codes=(3,)).stderr.strip()
    assert caught.value.file == str(path) and caught.value.line > 1


def test_dicts_are_placed_by_line(tmp_path):
    fields = {"name": "x", "bodies": [{"name": "a", "shape": {"box": {"size": [1, 1]}}, "mass": 1}]}
    with pytest.raises(rigor.InputError) as caught:
        rigor.Scene(fields)
    assert caught.value.file == "<scene>" and caught.value.line > 3
    with pytest.raises(rigor.InputError, match="gravity.1."):
        rigor.Scene({"name": "x", "gravity": [0, float("nan"), 0], "bodies": []})
    with pytest.raises(TypeError):
        rigor.Scene({"name": object()})


def test_errors_without_a_place_have_none(tmp_path):
    missing = tmp_path / "none.rigor"
    for call in (lambda: rigor.Record(missing), lambda: rigor.verify(missing)):
        with pytest.raises(rigor.InputError, match="none.rigor") as caught:
            call()
        assert caught.value.line is None and caught.value.column is None
    with pytest.raises(rigor.InputError):
        rigor.distance(np.zeros((1, 2)), np.zeros((1, 3)))
    with pytest.raises(rigor.InputError, match="quaternion"):
        rigor.distance(np.zeros((1, 3)), np.zeros((1, 3)), pose_b=[0] * 7)
    with pytest.raises(rigor.InputError, match="finite"):
        rigor.distance([[np.nan, 0, 0]], np.zeros((1, 3)))
    with pytest.raises(rigor.InputError, match="no-model"):
        rigor.impact_set({"mass_matrix": [[1]], "normal": [[1]], "tangent": [[[0]]], "friction": [0], "velocity": [-1]},
                         model="no-model")


def test_existing_records_are_kept(scenes, tmp_path):
    path = tmp_path / "die.rigor"
    rigor.run(scenes / "die.yaml", until=0.1, record=path)
    before = path.read_bytes()
    with pytest.raises(rigor.InputError):
        rigor.run(scenes / "die.yaml", until=0.1, record=path)
    assert path.read_bytes() == before
    rigor.run(scenes / "die.yaml", until=0.2, record=path, replace=True)
    assert rigor.Record(path).until == 0.2


# What a call prints when it is interrupted, in a process of its own: a signal would end the tests.
INTERRUPTED = textwrap.dedent("""
    import os, signal, sys, threading, time
    import rigor
    def interrupt():
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=interrupt).start()
    try:
        {call}
    except KeyboardInterrupt:
        print("interrupted")
    """)


@pytest.mark.parametrize("call", [
    "rigor.run({scenes!r} + '/double-pendulum.yaml', until=1e5, record={record!r}, history=0)",
    "rigor.explore(rigor.load_scene({scenes!r} + '/cubes-30.yaml'), {record!r}, max_branches=1000000)",
])
def test_ctrl_c_ends_a_call_with_a_valid_record(program, scenes, tmp_path, call):
    record = tmp_path / "run.rigor"
    code = INTERRUPTED.format(call=call.format(scenes=str(scenes), record=str(record)))
    package = pathlib.Path(rigor.__file__).parent.parent
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(package)},
                          capture_output=True, text=True,
                          timeout=100)
    assert done.stdout == "interrupted\n", done.stderr
    assert done.returncode == 0
    assert rigor.Record(record).status == "interrupted"
    assert program.json("verify", record, codes=(0, 1))["status"] == "proved"


class Failing(rigor.Controller):
    period = 0.01

    def forces(self, time, q, v, memory):
        if time > 0.02:
            raise RuntimeError("no idea what to do")
        return np.zeros(len(v))


class Wrong(rigor.Controller):
    def forces(self, time, q, v, memory):
        return [0.0]


def test_exceptions_of_controllers_come_through(scenes):
    scene = rigor.load_scene(scenes / "double-pendulum.yaml")
    robot = scene.robots[0].name
    with pytest.raises(RuntimeError, match="no idea"):
        rigor.run(scene.with_controller(robot, Failing()), until=0.1)
    with pytest.raises(rigor.InputError, match="forces"):
        rigor.run(scene.with_controller(robot, Wrong()), until=0.1)
    with pytest.raises(NotImplementedError):
        rigor.run(scene.with_controller(robot, rigor.Controller()), until=0.1)
    with pytest.raises(rigor.InputError, match="no-robot"):
        scene.with_controller("no-robot", Failing())
