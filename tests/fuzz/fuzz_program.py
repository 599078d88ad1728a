#!/usr/bin/env python3
"""Run the program on altered inputs and look at how it ends.

Usage: fuzz_program.py RIGOR SOURCE_DIR [--count N] [--seed S] [--jobs J] [--kind KIND ...]. Kinds: cells (SQL cells of
a record), bytes (of a record), scene, urdf, mjcf, problem, pairs. Each of the N inputs of a kind is a true one with one
to five changes. Promised are an exit code of the contract, no signal, no more than 2 GB and 60 s of processor time, a
sentence on stderr where the code is neither 0 nor 1, and no raw exception text. `verify` says 0 or 1 or refuses. Prints
a line a kind, then the inputs that broke a promise, kept in ./fuzz-findings; exits 1 if there is one.
"""
import argparse
import concurrent.futures
import pathlib
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile

CODES = {0, 1, 2, 3, 4, 5}
WORDS = ["0", "-1", "1e308", "-1e308", "1e-320", "nan", "inf", "-0.0", "1e999", "[]", "{}", "~", "''", "\"", "&a [*a]",
         "*b", "---", "\x04", "\x00", "010", "<", ">",
         "</", "name", "none", "true", "[1, 2]", "[[0, 0, 0]]", "é", "\\u0000", "99999999999999999999"]


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (60, 61))


def alter_text(rng, text):
    for _ in range(rng.randint(1, 5)):
        at = rng.randrange(len(text) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            text = text[:at] + text[at + rng.randint(1, 8):]
        elif kind == 1:
            text = text[:at] + rng.choice(WORDS) + text[at:]
        elif kind == 2:
            end = min(len(text), at + rng.randint(1, 60))
            text = text[:end] + text[at:end] + text[end:]
        elif kind == 3 and text:
            at = min(at, len(text) - 1)
            text = text[:at] + chr(rng.choice([rng.randrange(128), ord(text[at]) ^ 1])) + text[at + 1:]
        else:  # A number or a word becomes another.
            words = text.split(" ")
            words[rng.randrange(len(words))] = rng.choice(WORDS)
            text = " ".join(words)
    return text


def alter_bytes(rng, data):
    data = bytearray(data)
    for _ in range(rng.randint(1, 20)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data[:rng.randrange(len(data))] if rng.randrange(10) == 0 else data)


def alter_cells(rng, path):
    with sqlite3.connect(path) as record:
        record.execute("PRAGMA journal_mode = DELETE")
        tables = [row[0] for row in record.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for _ in range(rng.randint(1, 3)):
            table = rng.choice(tables)
            columns = [row[1] for row in record.execute(f"PRAGMA table_info({table})")]
            key = columns[0]
            rows = [row[0] for row in record.execute(f"SELECT {key} FROM {table}")]
            if not rows:
                continue
            row, column = rng.choice(rows), rng.choice(columns)
            (old,) = record.execute(f"SELECT {column} FROM {table} WHERE {key} = ?", [row]).fetchone()
            if isinstance(old, bytes) and old and rng.randrange(4):
                new = alter_bytes(rng, old)
            elif isinstance(old, str) and rng.randrange(4):
                new = alter_text(rng, old)
            else:
                new = rng.choice([None, 0, -1, 1, 2**40, 1e308, -1e-320, float("inf"), "", "x", b"", b"\x00" * 24, old])
            try:
                record.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", [new, row])
            except (sqlite3.Error, UnicodeError):
                pass
    record.close()


class Fuzzer:
    def __init__(self, rigor, source, folder, findings):
        self.rigor, self.source, self.folder, self.findings = rigor, source, folder, findings
        self.record = folder / "true.rigor"
        subprocess.run([rigor, "run", "pendulum", "--until", "0.2", "--quiet", "-o", self.record], check=True)
        robots = source / "scenes" / "robots"
        self.texts = {
            "scene": [p.read_text() for p in sorted((source / "scenes").glob("*.yaml")) if p.stat().st_size < 4000],
            "urdf": [p.read_text() for p in sorted(robots.glob("*.urdf")) if p.stat().st_size < 20000],
            "mjcf": ["<mujoco><default><geom friction='.5'/></default><worldbody><geom type='plane' size='1 1 1'/>"
                     "<body name='a' pos='0 0 1'><freejoint/>"
                     "<geom type='capsule' size='.1 .2'/><body name='b' pos='0 0 .4'>"
                     "<joint type='hinge' axis='0 1 0' range='-1 1'/>"
                     "<geom type='box' size='.1 .1 .1' mass='2'/></body></body></worldbody>"
                     "<actuator><motor joint='b'/></actuator></mujoco>"],
            "problem": [p.read_text() for p in sorted((source / "scenes" / "problems").glob("*.yaml"))
                        if p.stat().st_size < 4000],
            "pairs": ['{"id": 1, "a": {"vertices": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], "pose": [1,0,0,0,0,0,0]}, '
                      '"b": {"vertices": [[0,0,0],[1,0,0],[0,1,0]], "pose": [0.5,0.5,0.1,0,2,0,0]}}\n'],
        }

    def make(self, kind, number, seed):
        """The altered input and the command that reads it."""
        rng = random.Random(f"{kind} {number} {seed}")
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        if kind in ("cells", "bytes"):
            path = folder / "r.rigor"
            if kind == "cells":
                shutil.copy(self.record, path)
                alter_cells(rng, path)
            else:
                path.write_bytes(alter_bytes(rng, self.record.read_bytes()))
            command = rng.choice([["verify", path], ["verify", "--kernel", path], ["info", path],
                                  ["export", path, "--format", rng.choice(["csv", "hdf5", "gltf"]), "-o",
                                   folder / "out"],
                                  ["run", "pendulum", "--resume", "--until", "0.25", "-o", path]])
        else:
            suffix = {"scene": ".yaml", "problem": ".yaml", "pairs": ".jsonl", "urdf": ".urdf", "mjcf": ".xml"}[kind]
            path = folder / ("x" + suffix)
            path.write_text(alter_text(rng, rng.choice(self.texts[kind])), errors="surrogateescape")
            command = {"scene": ["run", path, "--until", "0.001", "--max-steps", "3", "-o", folder / "r.rigor"],
                       "problem": ["impact", path, "--samples", "5"], "pairs": ["distance", path, "--json"],
                       "urdf": ["info", path, "--json"], "mjcf": ["info", path, "--json"]}[kind]
        return folder, command

    def broken_promise(self, kind, number, seed):
        folder, command = self.make(kind, number, seed)
        try:
            done = subprocess.run([self.rigor, *map(str, command)], capture_output=True, timeout=600, preexec_fn=limit,
                                  cwd=folder)
        except subprocess.TimeoutExpired:
            done = None
        error = done.stderr.decode(errors="replace") if done else "no end"
        wrong = (done is None or done.returncode not in CODES or "json.exception" in error or "std::" in error
                 or "terminate" in error
                 or (done.returncode > 1 and not error.strip() and kind != "pairs"))
        if wrong:
            shutil.copytree(folder, self.findings / f"{kind}-{seed}-{number}", dirs_exist_ok=True)
        shutil.rmtree(folder)
        if not wrong:
            return ""
        code = done.returncode if done else "timeout"
        return f"{kind} {number}: {code}: rigor {' '.join(map(str, command))}: {error.strip()[:200]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rigor")
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kind", nargs="*", default=["cells", "bytes", "scene", "urdf", "mjcf", "problem", "pairs"])
    arguments = parser.parse_args()
    findings = pathlib.Path("fuzz-findings")
    findings.mkdir(exist_ok=True)
    broken = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        fuzzer = Fuzzer(str(pathlib.Path(arguments.rigor).resolve()), arguments.source, pathlib.Path(folder), findings)
        for kind in arguments.kind:
            found = [line for line in pool.map(lambda n: fuzzer.broken_promise(kind, n, arguments.seed),
                                               range(arguments.count)) if line]
            print(f"{kind}: {arguments.count} inputs, {len(found)} broken promises", flush=True)
            broken += found
    print("\n".join(broken))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
