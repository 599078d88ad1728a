#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Says which lines of the program its tests have run, by folder, and holds them to a floor.

Usage: coverage.py SOURCE_DIR BUILD_DIR [--missing FOLDER]. BUILD_DIR is the preset `coverage` after its tests
(./rigor.sh coverage does all of it). --missing lists the lines of a folder that no test ran. Counted are lines with
code in sources and headers of the folders below; a line that several objects hold is covered where one of them ran it.
Exit code 1: a folder is below FLOOR.
"""
import collections
import concurrent.futures
import json
import pathlib
import subprocess
import sys

FOLDERS = ("elementary formats geom friction impact advance dynamics sim methods record verify check scenes "
           "compare sweep api viewer cli").split()
# [%] of each folder's lines: the one place. Those with a number of their own have what their own fast tests run alone,
# rounded down; raise them as tests are added.
FLOOR = dict.fromkeys(FOLDERS, 60) | {"elementary": 95, "formats": 80, "geom": 95, "friction": 95, "advance": 90}


def counts_of(data):
    """{file: {line: executions}} of one object, as gcov tells it."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", data.name], cwd=data.parent, capture_output=True,
                          text=True)
    found = {}
    for report in done.stdout.splitlines():
        for file in json.loads(report)["files"]:
            lines = found.setdefault(file["file"], {})
            for line in file["lines"]:
                lines[line["line_number"]] = max(lines.get(line["line_number"], 0), line["count"])
    return found


def covered(source, build):
    """{folder: {file: {line: executions}}} of the project's own files, over all objects."""
    merged = collections.defaultdict(lambda: collections.defaultdict(dict))
    # Objects that no test has run have notes and no data: gcov takes the notes, and counts nothing.
    notes = sorted(build.rglob("*.gcno"))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for found in pool.map(counts_of, notes):
            for name, lines in found.items():
                path = pathlib.Path(name)
                path = path if path.is_absolute() else build / path
                if not path.is_relative_to(source) or path.is_relative_to(build):
                    continue
                folder = path.relative_to(source).parts[0]
                if folder in FLOOR:
                    known = merged[folder][path.relative_to(source).as_posix()]
                    for number, count in lines.items():
                        known[number] = max(known.get(number, 0), count)
    return merged


def share(files):
    lines = [count for file in files.values() for count in file.values()]
    return sum(count > 0 for count in lines), len(lines)


def main(source, build, *options):
    folders = covered(pathlib.Path(source).resolve(), pathlib.Path(build).resolve())
    if options[:1] == ("--missing",):
        for name, lines in sorted(folders[options[1]].items()):
            print(*(f"{name}:{number}" for number, count in sorted(lines.items()) if not count), sep="\n")
        return 0
    low, all_ran, all_lines = [], 0, 0
    print(f"{'folder':12}{'lines':>8}{'run':>8}{'floor':>8}")
    for folder in FOLDERS:
        ran, lines = share(folders[folder])
        all_ran, all_lines = all_ran + ran, all_lines + lines
        percent = 100 * ran / lines if lines else 0
        print(f"{folder:12}{lines:8}{percent:7.1f}%{FLOOR[folder]:7}%")
        if percent < FLOOR[folder]:
            low.append(folder)
    print(f"{'all':12}{all_lines:8}{100 * all_ran / max(all_lines, 1):7.1f}%")
    if low:
        print(f"coverage: below the floor: {', '.join(low)}", file=sys.stderr)
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
