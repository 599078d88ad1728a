#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proves: every bundled scene runs with all contracts checked (RIGOR_REQUIRE), and what it has shown is proved.

Usage: bundled_scenes.py RIGOR [--steps N]. Runs N steps of each scene: contracts are broken early or in impacts, and
builds that check them are slow. Oracle: the exit codes of `rigor run` (a broken contract aborts) and `rigor verify`.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

DONE, OUT_OF_STEPS = 0, 5


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rigor")
    parser.add_argument("--steps", default="150")
    arguments = parser.parse_args()

    def call(*words):
        return subprocess.run([arguments.rigor, *map(str, words)], capture_output=True, text=True)

    scenes = [line.split()[0] for line in call("scenes").stdout.splitlines()]
    bad = [] if scenes else ["`rigor scenes` names none"]
    with tempfile.TemporaryDirectory() as folder:
        for scene in scenes:
            record = pathlib.Path(folder) / f"{scene}.rigor"
            run = call("run", scene, "-o", record, "--max-steps", arguments.steps)
            if run.returncode not in (DONE, OUT_OF_STEPS):
                bad.append(f"{scene}: run: exit code {run.returncode}: {run.stderr.strip()[-300:]}")
            elif (proof := call("verify", record)).returncode != DONE:
                bad.append(f"{scene}: verify: exit code {proof.returncode}: {proof.stderr.strip()[-300:]}")
            print(f"{scene}: {run.returncode}", flush=True)
            record.unlink(missing_ok=True)
    print(*bad, sep="\n", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
