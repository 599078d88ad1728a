# SPDX-License-Identifier: MIT
"""Runs a scene, verifies its record and says what is wrong: for random_scenes.py and suite_scenes.py.

A run fails where rigor ends with another code than 0 (the horizon) or the record is not proved. It stalls where more
than STALL steps of one group begin within STALL_TIME sqrt(L/g) of each other, L the extent of the smallest body. It is
slow beyond --seconds (10) of processor time; at three times that it is ended, and counts as slow, not as failed.
"""
import argparse
import collections
import json
import math
import os
import random
import resource
import subprocess
import tempfile

from scene_text import length_scale

STALL, STALL_TIME = 200, 1e-3


def stalls(trace, window):
    """The most accepted steps of one group that begin within `window` [s]; a last line cut short is left out."""
    times = collections.defaultdict(collections.deque)
    most = 0
    with open(trace) as lines:
        for line in lines:
            if '"accepted"' not in line or not line.endswith("\n"):
                continue
            entry = json.loads(line)
            if entry.get("kind") != "accepted":
                continue
            recent = times[entry.get("body")]
            recent.append(entry["t"])
            while recent[-1] - recent[0] > window:
                recent.popleft()
            most = max(most, len(recent))
    return most


def seconds_of(command, limit):
    """@returns exit code (None: ended at the limit), processor time, what it wrote."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.run(command, capture_output=True, text=True,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5)))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    code = process.returncode
    return (None if code in (-24, -9) else code), after.ru_utime - before.ru_utime, process.stdout + process.stderr


def last_line(said):
    lines = said.strip().splitlines()
    return lines[-1] if lines else ""


def verify(rigor, record, options):
    """@returns what is wrong with a record's proof, a list of words."""
    code, _, said = seconds_of([rigor, "verify", record] + ["--geometry-only"] * (not options.laws), 600)
    return [f"not proved: {last_line(said)}"] if code != 0 else []


def judge_tree(rigor, scene, record, options):
    """Explores up to --explore branches, goes on to twice as many, and verifies both times. As judge()."""
    total = 0
    for more, branches in (([], options.explore), (["--resume"], 2 * options.explore)):
        command = [rigor, "explore", scene, "-o", record, "--quiet", "--max-branches", str(branches),
                   "--samples", "200", "--threads", "1"] + (more or ["--force"])
        code, took, said = seconds_of(command, 3 * options.seconds)
        total += took
        if code not in (0, 5, None):
            return total, [f"failed ({code}): {last_line(said)}"]
        if code is None:
            return total, ["slow"]
        wrong = verify(rigor, record, options)
        if wrong or code == 0:
            break
    return total, wrong


def judge(rigor, text, folder, options, files=None):
    """@returns processor time of the run [s] and what is wrong, a list of words. `files`: texts by name beside it."""
    name = text["name"]
    path, record, trace = (os.path.join(folder, f"{name}.{end}") for end in ("yaml", "rigor", "trace"))
    scene = json.dumps(text)
    for file, content in (files or {}).items():
        own = f"{name}-{file}"  # Scenes share a folder, and call their files alike.
        scene = scene.replace(f'"{file}"', f'"{own}"')
        with open(os.path.join(folder, own), "w") as out:
            out.write(content)
    with open(path, "w") as out:
        out.write(scene)
    if options.explore:
        return judge_tree(rigor, path, record, options)
    command = [rigor, "run", path, "-o", record, "--force", "--quiet", "--trace", trace]
    code, took, said = seconds_of(command, 3 * options.seconds)
    wrong = []
    if code not in (0, None):
        wrong.append(f"failed ({code}): {last_line(said)}")
    if code in (0, 4):
        wrong += verify(rigor, record, options)
    gravity = math.hypot(*text.get("gravity", [0, 0, -9.81])) or 9.81
    stalled = stalls(trace, STALL_TIME * math.sqrt(length_scale(text) / gravity)) if os.path.exists(trace) else 0
    if stalled > STALL:
        wrong.append(f"stalls: {stalled} steps")
    if took > options.seconds or code is None:
        wrong.append("slow")
    return took, wrong


def parser(about):
    out = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    out.add_argument("rigor")
    out.add_argument("--seconds", type=int, default=10, help="of processor time, beyond which a run is slow")
    out.add_argument("--until", type=float, default=2)
    out.add_argument("--laws", action="store_true", help="verify the laws of motion too")
    out.add_argument("--impact", metavar="MODEL", help="of impacts, instead of the scene's own")
    out.add_argument("--tolerance", type=float, help="velocity_tolerance, instead of the scene's own")
    out.add_argument("--explore", type=int, metavar="BRANCHES", help="trees of up to so many branches, and of twice as "
                     "many after they were stopped; stalls are not looked for")
    out.add_argument("--keep", metavar="FOLDER", help="leave scenes, records and traces there")
    out.add_argument("--all", action="store_true", help="a line for each scene, not only for those that go wrong")
    return out


def of_kind(kinds, word, number, until):
    """Scene `number` of a family: of the kind that it is modulo their number, drawn from `word` and it alone."""
    kind = kinds[number % len(kinds)]
    return kind(random.Random(f"{word} {number}")).text(f"{kind.__name__}-{number}", until)


def named(made, name, until):
    """@param made  a scene and its files. @returns them, with the scene's name and end."""
    text, files = made
    text.update(name=name, until=until)
    return text, files


def main(about, scene, count):
    """The program of a script whose scenes have numbers. @param scene  text(, files) of (number, until).
    @param count  of scenes where nothing else is asked for. @returns the exit code."""
    options = parser(about)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--count", type=int, default=count)
    options.add_argument("--scenes", type=int, nargs="+", help="these instead of the range")
    options = options.parse_args()
    made = (scene(number, options.until) for number in
            options.scenes or range(options.first, options.first + options.count))
    return judge_all((text if isinstance(text, tuple) else (text, None) for text in made), options)


def judge_all(scenes, options):
    """@param scenes texts, or pairs of a text and its files. @returns 1 where one failed or stalled."""
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        if options.keep:
            os.makedirs(options.keep, exist_ok=True)
        for text, files in scenes:
            if options.impact:
                text["impact"] = {"model": options.impact}
            if options.tolerance:
                text["solver"] = {**text.get("solver", {}), "velocity_tolerance": options.tolerance}
            took, wrong = judge(options.rigor, text, options.keep or folder, options, files)
            counts["scenes"] += 1
            counts["seconds"] += took
            for what in wrong:
                counts[what.split(" ")[0].rstrip(":")] += 1
            if wrong or options.all:
                print(f"{text['name']}: {took:.2f} s, {'; '.join(wrong) or 'proved'}", flush=True)
            if not options.keep:
                for name in os.listdir(folder):
                    os.remove(os.path.join(folder, name))
    print({k: round(v, 1) for k, v in counts.items()})
    return 1 if any(k in ("failed", "not", "stalls") for k in counts) else 0
