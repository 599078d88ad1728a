#!/usr/bin/env python3
"""Hold the #include lines of every folder to the graph of docs/architecture.md.

Usage: check_layers.py SOURCE_DIR. Prints each forbidden include as FILE:LINE and exits 1 if there is one.
"""
import pathlib
import re
import sys

ALLOWED = {
    "elementary": set(),
    "formats": set(),
    "geom": {"elementary"},
    "friction": {"elementary"},
    "impact": {"elementary", "friction"},
    "advance": {"elementary", "geom"},
    "dynamics": {"elementary", "geom"},
    "sim": {"elementary", "geom", "friction", "impact", "advance", "dynamics"},
    "methods": {"elementary", "geom", "friction", "impact", "advance", "dynamics", "sim"},
    # Of verify/ only data: verify/record, verify/kernel/run.h.
    "record": {"elementary", "formats", "geom", "advance", "dynamics", "sim", "verify"},
    "verify": set(),
    "check": {"elementary", "formats", "geom", "advance", "dynamics", "sim"},
    "scenes": {"elementary", "formats", "geom", "dynamics", "impact", "sim", "methods"},
}
# Files that may include more than their folder: the checker runs the loader again here, and nowhere else.
EXCEPTIONS = {"verify/embedded_scene.cc": {"scenes", "sim"}}
ALLOWED["compare"] = {"elementary", "geom", "advance", "dynamics", "sim", "methods", "check", "record", "scenes"}
ALLOWED["atlas"] = {"formats", "impact", "compare"}
ALLOWED["sweep"] = {"elementary", "formats", "geom", "impact", "sim", "record", "scenes"}
ALLOWED["api"] = set(ALLOWED)
ALLOWED["viewer"] = set(ALLOWED) - {"api"}
ALLOWED["cli"] = set(ALLOWED) - {"api"}

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([a-z]+)/')


def main(root: pathlib.Path) -> int:
    bad = 0
    seen = 0
    for folder, allowed in ALLOWED.items():
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in {".h", ".cc"}:
                continue
            seen += 1
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                extra = EXCEPTIONS.get(str(path.relative_to(root)), set())
                if match and match[1] in ALLOWED and match[1] != folder and match[1] not in allowed | extra:
                    print(f"{path.relative_to(root)}:{number}: {folder}/ may not include {match[1]}/")
                    bad += 1
    if seen == 0:
        print(f"{root}: no sources found")
        return 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
