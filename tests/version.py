#!/usr/bin/env python3
"""Proves: program, citation, README and changelog say the version that CMakeLists.txt has, and the newest tag, if there
is one, is not newer.

Usage: version.py RIGOR SOURCE_DIR
"""
import pathlib
import re
import subprocess
import sys


def found(pattern, path):
    match = re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)
    return match[1] if match else f"nothing like {pattern}"


def main(program, source):
    version = found(r"^project\(rigor VERSION (\d+\.\d+\.\d+) ", source / "CMakeLists.txt")
    minor = version.rsplit(".", 1)[0]
    printed = subprocess.run([program, "-V"], capture_output=True, text=True, check=True).stdout
    said = [
        ("rigor -V", version, re.search(r"\d+\.\d+\.\d+|$", printed)[0]),
        ("CITATION.cff", version, found(r"^version: (\S+)$", source / "CITATION.cff")),
        ("CHANGELOG.md", version, found(r"^## (\d+\.\d+\.\d+), ", source / "CHANGELOG.md")),
        ("README.md", minor, found(r"^find_package\(rigor (\S+) REQUIRED\)$", source / "README.md")),
    ]
    tags = subprocess.run(["git", "-C", source, "tag", "--list", "v*"], capture_output=True, text=True).stdout.split()
    numbers = [tuple(map(int, tag[1:].split("."))) for tag in tags if re.fullmatch(r"v\d+\.\d+\.\d+", tag)]
    if numbers and max(numbers) > tuple(map(int, version.split("."))):
        said.append(("the newest tag", version, ".".join(map(str, max(numbers)))))
    wrong = [f"{where} says {is_}; CMakeLists.txt asks for {wanted}" for where, wanted, is_ in said if wanted != is_]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"version {version}")


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
