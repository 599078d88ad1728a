#!/usr/bin/env python3
"""Elementary functions come from elementary/ alone: the C library picks variants by processor, and their last bits
differ.

Usage: check_elementary.py SOURCE_DIR NM LIBRARY... Looks for calls in the sources of the folders that simulate, and for
undefined symbols in their libraries (what headers of others call). Prints each and exits 1 if there is one.
"""
import pathlib
import re
import subprocess
import sys

FOLDERS = ["elementary", "geom", "impact", "advance", "dynamics", "sim", "scenes"]
NAMES = ("sin cos tan asin acos atan atan2 sincos sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log "
         "log2 log10 log1p "
         "pow hypot cbrt erf erfc tgamma lgamma").split()
CALL = re.compile(r"(?<![\w.>:])(?:std::|::)(" + "|".join(NAMES) + r")\s*\(")
EXEMPT = re.compile(r"\s*//")


def calls(root: pathlib.Path):
    paths = [p for folder in FOLDERS for p in sorted((root / folder).rglob("*")) if p.suffix in {".h", ".cc"}]
    for path in paths:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not EXEMPT.match(line) and (match := CALL.search(line)):
                yield (f"{path.relative_to(root)}:{number}: calls {match[1]} of the C library; "
                       f"use elementary/elementary.h")
    if not paths:
        yield f"{root}: no sources found"


def symbols(nm: str, libraries):
    wanted = set(NAMES) | {name + suffix for name in NAMES for suffix in "fl"}
    for library in libraries:
        listing = subprocess.run([nm, "--undefined-only", library], capture_output=True, text=True, check=True).stdout
        if " U " not in listing:
            yield f"{library}: nm lists no symbols"
        for line in listing.splitlines():
            name = line.split()[-1] if line.strip() else ""
            if name in wanted:
                yield f"{library}: uses {name} of the C library"


def main(root: str, nm: str, *libraries: str) -> int:
    bad = [*calls(pathlib.Path(root)), *symbols(nm, libraries)]
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
