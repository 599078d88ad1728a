# SPDX-License-Identifier: MIT
"""What a throw of a die costs from Python, against C++: processor time a throw, records off, in turns so that both meet
the same machine.

    PYTHONPATH=BUILD/python python3 bench/python_throw.py BUILD [COUNT [ROUNDS]]
"""
import json
import pathlib
import subprocess
import sys
import time

import rigor

TARGET = 1.10  # Of the time that C++ takes.


def throw(scene, count):
    steps = 0
    start = time.process_time()
    for seed in range(count):
        steps += rigor.run(scene, seed=seed).summary.steps
    return {"throws": count, "steps": steps, "seconds_a_throw": (time.process_time() - start) / count}


def main(build, count=300, rounds=5):
    path = pathlib.Path(__file__).resolve().parent.parent / "scenes/die.yaml"
    scene = rigor.load_scene(path)
    best = {"C++": None, "Python": None}
    for _ in range(rounds):
        cpp = json.loads(subprocess.run([f"{build}/bench/rigor_api_throw", path, str(count)], capture_output=True,
                                        check=True).stdout)
        python = throw(scene, count)
        assert python["steps"] == cpp["steps"]
        for name, result in (("C++", cpp), ("Python", python)):
            if best[name] is None or result["seconds_a_throw"] < best[name]:
                best[name] = result["seconds_a_throw"]
    print(json.dumps({"python_throw": {"cpp_us": best["C++"] * 1e6, "python_us": best["Python"] * 1e6,
                                       "ratio": best["Python"] / best["C++"], "target": TARGET}}))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
