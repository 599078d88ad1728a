#!/usr/bin/env python3
"""Count the lines of verify/kernel, which a reader has to trust.

Usage: trusted_lines.py SOURCE_DIR. Counted are lines with code: none that are blank, comments, includes, namespaces or
closing braces alone. `run.h`, the plain data that the kernel speaks about, is shown and not counted, and so are
guesses, which nothing that is proved depends on. Exits 1 if there are more than the limits below, or if the kernel
includes something that it must not know: files, databases, threads, formats, or any other folder.
"""
import pathlib
import re
import sys

LAWS = {"laws", "law_proof", "contact_point", "closure", "rational", "triple"}
LIMITS = {"geometry": 900, "laws": 933}
ALLOWED = {"algorithm", "array", "cmath", "compare", "cstddef", "cstdint", "cstring", "functional", "gmpxx.h",
           "limits", "map", "memory", "numeric", "optional", "set", "span", "string", "tuple", "utility", "vector"}
SKIPPED = re.compile(r"\s*(//.*|#.*|}[;,)\]]*(\s*//.*)?|(inline )?namespace.*|public:|private:|using namespace.*)?$")


def main(root: pathlib.Path) -> int:
    counts = {"geometry": 0, "laws": 0, "run.h": 0, "guess": 0}
    bad = 0
    for path in sorted((root / "verify" / "kernel").iterdir()):
        lines = path.read_text().splitlines()
        kind = ("run.h" if path.name == "run.h" else "guess" if path.stem == "guess" else
                "laws" if path.stem in LAWS else "geometry")
        counts[kind] += sum(not SKIPPED.match(line) for line in lines)
        for number, line in enumerate(lines, 1):
            include = re.match(r'#\s*include\s*[<"]([^>"]+)', line)
            if include and include[1] not in ALLOWED and not include[1].startswith("verify/kernel/"):
                print(f"{path}:{number}: the kernel may not include {include[1]}")
                bad = 1
    for kind, count in counts.items():
        limit = LIMITS.get(kind)
        print(f"{kind}: {count} lines" + (f" of at most {limit}" if limit else ""))
        bad |= limit is not None and count > limit
    return int(bad)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
