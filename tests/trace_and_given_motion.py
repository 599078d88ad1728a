#!/usr/bin/env python3
"""Proves: a trace changes no bit of a run and adds up to what the run and its record say; the record that `rigor check
-o` writes shows the given motion, is proved where that is apart, and not where it penetrates.

Usage: trace_and_given_motion.py RIGOR SOURCE_DIR. Oracles: the record of the same run without a trace, the summary, the
exported tables; the trajectory that was given, and the amount by which a table was raised.
"""
import collections
import csv
import json
import math
import pathlib
import sqlite3
import subprocess
import sys
import tempfile


def call(rigor, *words, code=0):
    done = subprocess.run([rigor, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done


def rows(record):
    """Every table, but for what docs/tracing.md names: how long the run took, its file, and the seal of the whole."""
    database = sqlite3.connect(record)
    tables = [name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    content = {name: database.execute(f"SELECT rowid, * FROM {name} ORDER BY rowid").fetchall()
               for name in tables if name != "meta"}
    meta = dict(database.execute("SELECT key, value FROM meta"))
    meta["summary"] = json.loads(meta["summary"])
    assert meta["summary"].pop("wall_seconds") >= 0 and meta["summary"].pop("record") == str(record)
    assert meta.pop("seal")
    return meta, content


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def check_trace(rigor, scene, folder, until):
    traced, plain, lines = folder / "traced.rigor", folder / "plain.rigor", folder / "trace.jsonl"
    summary = json.loads(call(rigor, "run", scene, "-o", traced, "--until", until, "--trace", lines, "--json",
                              "--force").stdout)
    call(rigor, "run", scene, "-o", plain, "--until", until, "--quiet", "--force")
    assert rows(traced) == rows(plain), "the trace changed the run"
    entries = [json.loads(line) for line in lines.read_text().splitlines()]
    kinds = collections.Counter(entry["kind"] for entry in entries)
    # A group that comes to rest makes its step to the end of the run, and an accepted one is a step.
    assert kinds["accepted"] + kinds["rest"] == summary["steps"], (kinds, summary["steps"])
    call(rigor, "export", plain, "--format", "csv", "-o", folder / "csv")
    events = collections.Counter(row["kind"] for row in table(folder / "csv" / "events.csv"))
    assert events == collections.Counter(entry["event"] for entry in entries if entry["kind"] == "event")
    clocks = [entry["us"] for entry in entries]
    assert clocks == sorted(clocks)
    assert all(entry["reason"] for entry in entries if entry["kind"] == "refused")
    total = json.loads(call(rigor, "trace", lines, "--json").stdout)
    assert total["steps"] == summary["steps"] and total["refused"] == kinds["refused"]
    # Contact problems: each strategy's are those of the entries, and they are a part of the time that passed.
    solves = collections.Counter()
    for entry in entries:
        for solve in entry.get("solves", []):
            solves[solve["strategy"]] += solve["count"]
            assert 0 <= solve["failed"] <= solve["count"] and solve["iterations"] >= 0
    assert bool(solves) == any(entry.get("contacts") for entry in entries)
    assert solves == {strategy: sum_["count"] for strategy, sum_ in total["solves"].items()}
    assert sum(sum_["seconds"] for sum_ in total["solves"].values()) <= total["seconds"]
    assert sum(total["events"].values()) == kinds["event"] and total["impacts"] == kinds["impact"]
    perfetto = folder / "trace.json"
    call(rigor, "run", scene, "-o", traced, "--until", until, "--trace", perfetto, "--quiet", "--force")
    slices = json.loads(perfetto.read_text())["traceEvents"]
    assert sum(one["cat"] == "trial" and one["name"] in ("accepted", "rest") for one in slices) == summary["steps"]
    assert all(one["dur"] >= 0 for one in slices if one["ph"] == "X")


def check_refusals(rigor, folder):
    assert "trace.json:1:1: no entry of a trace" in call(rigor, "trace", folder / "trace.json", code=3).stderr
    call(rigor, "trace", folder / "none.jsonl", code=3)
    (folder / "cut.jsonl").write_text('{"kind":"step","us":1,"t":0,"body":"die"}\n{"kind":')
    assert "cut.jsonl:2:1:" in call(rigor, "trace", folder / "cut.jsonl", code=3).stderr
    call(rigor, "run", "die", "--log", "loud", "-o", folder / "x.rigor", code=2)
    call(rigor, "run", "die", "--trace", folder / "no" / "t.jsonl", "-o", folder / "x.rigor", code=4)


def check_given_motion(rigor, source, folder):
    scene = source / "scenes" / "die.yaml"
    call(rigor, "run", scene, "-o", folder / "run.rigor", "--quiet")
    call(rigor, "export", folder / "run.rigor", "--format", "csv", "-o", folder / "run")
    states = folder / "run" / "states.csv"
    given = folder / "given.rigor"
    report = json.loads(call(rigor, "check", scene, states, "-o", given, "--json").stdout)
    assert report["status"] == "apart"
    verdict = json.loads(call(rigor, "verify", given, "--json").stdout)
    assert verdict["status"] == "proved" and verdict["physics"] is None
    assert any("given to `rigor check`" in note for note in verdict["notes"])
    # What the viewer shows is what was given: at each sample the pose, up to the quaternion's sign.
    times = sorted({float(row["time"]) for row in table(states)})
    (folder / "times").write_text("\n".join(map(repr, times)))
    call(rigor, "export", given, "--format", "csv", "-o", folder / "shown", "--at", folder / "times")
    shown = {float(row["time"]): row for row in table(folder / "shown" / "states.csv")}
    for row in table(states):
        found = shown[float(row["time"])]
        sign = math.copysign(1, sum(float(row[k]) * float(found[k]) for k in ("qw", "qx", "qy", "qz")))
        assert all(float(row[k]) == float(found[k]) for k in ("px", "py", "pz")), (row, found)
        assert all(float(row[k]) == sign * float(found[k]) for k in ("qw", "qx", "qy", "qz")), (row, found)
    # A table that is 1 mm higher.
    text = scene.read_text()
    plane = "halfspace: {normal: [0, 0, 1], offset: 0}"
    assert plane in text
    (folder / "raised.yaml").write_text(text.replace(plane, plane.replace("offset: 0", "offset: 0.001")))
    call(rigor, "check", folder / "raised.yaml", states, "-o", given, code=2)  # It is there already.
    report = json.loads(call(rigor, "check", folder / "raised.yaml", states, "-o", given, "--force", "--json",
                             code=1).stdout)
    verdict = json.loads(call(rigor, "verify", given, "--json", code=1).stdout)
    assert verdict["status"] in ("refuted", "unproved") and verdict["failures"][0]["pair"] == ["table", "die"]
    first, last = report["pairs"][0]["first"], report["pairs"][0]["last"]
    longest = max(b - a for a, b in zip(times, times[1:]))
    assert first - longest <= verdict["failures"][0]["time"] <= last, (first, verdict["failures"][0])
    call(rigor, "view", given, "--screenshot", folder / "given.png", "--size", "64x48")
    # Later times are counted from the first sample.
    later = folder / "later.csv"
    with open(later, "w", newline="") as file:
        found = table(states)
        writer = csv.DictWriter(file, found[0].keys())
        writer.writeheader()
        for row in found:
            writer.writerow(dict(row, time=repr(float(row["time"]) + 2)))
    call(rigor, "check", scene, later, "-o", given, "--force",
         code=json.loads(call(rigor, "check", scene, later, "--json").stdout)["status"] != "apart")
    assert json.loads(call(rigor, "info", given, "--json").stdout)["time"] <= times[-1] * (1 + 1e-12)
    # Positions alone: bodies move straight, from the first sample on as fast as that line is, whatever the scene says.
    straight = folder / "straight.csv"
    straight.write_text("time,body,px,py,pz,qw,qx,qy,qz\n0,die,0,0,1,1,0,0,0\n1,die,0,0,.5,1,.1,0,0\n"
                        "2,die,1,0,.5,1,.1,0,0\n")
    call(rigor, "check", scene, straight, "-o", given, "--force")
    assert json.loads(call(rigor, "verify", given, "--json").stdout)["status"] == "proved"
    # What no record can be of is wrong usage, and leaves none.
    straight.write_text("time,body,px,py,pz,qw,qx,qy,qz\n0,die,0,0,1,1,0,0,0\n")
    call(rigor, "check", scene, straight)
    call(rigor, "check", scene, straight, "-o", folder / "none.rigor", code=2)
    assert not (folder / "none.rigor").exists()


def main(rigor, source):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_trace(rigor, source / "scenes" / "die.yaml", folder, 3)
        check_trace(rigor, source / "scenes" / "double-pendulum.yaml", folder, 1)
        check_trace(rigor, source / "scenes" / "stack-10.yaml", folder, 0.2)
        check_refusals(rigor, folder)
        check_given_motion(rigor, source, folder)


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
