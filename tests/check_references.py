#!/usr/bin/env python3
"""No page and no comment names what is not there: files, functions, constants and tests.

Usage: check_references.py SOURCE_DIR

Looked at: names of source files and pages anywhere; `ns::Name`, `kConstant`, `function()` and `Suite.Test` in pages.
Made-up names of examples are those in capitals, and those of EXAMPLES.
"""
import collections
import fnmatch
import pathlib
import re
import sys

GENERATED = {"version.h", "page.h"}
EXAMPLES = {"row.h", "r.h", "_families.cc", "_command.h", "script.py"}  # Members of structs and stars look like files.
FILE = re.compile(r"(?<![\w/.<-])((?:\w+/)*)(\w+\.(?:h|cc|md|py|mjs))\b")
TEST = re.compile(r"TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)")


def listed(root):
    for path in sorted(pathlib.Path(root).rglob("*")):
        name = path.relative_to(root)
        if name.parts[0] not in {"build", ".git", "runs"} and path.is_file():
            yield name.as_posix()


def missing_files(name, line, files):
    for match in FILE.finditer(line):
        folder, base = match[1], match[2]
        if folder.startswith("build/") or base in GENERATED | EXAMPLES or base.split(".")[0].isupper():
            continue
        if not any(f == folder + base or f.endswith("/" + folder + base) for f in files[base]):
            yield match[0]


def missing_names(line, words, tests):
    for match in re.finditer(r"`(?:\w+::)+~?(\w+)|`(k[A-Z]\w+)`|`(\w+)\(\)`", line):
        if next(filter(None, match.groups())) not in words:
            yield match[0]
    for suite, test in re.findall(r"`((?:\w+/)?[A-Z][a-z]\w*)\.([A-Z]\w*\*?|\*)`", line):
        known = [t for s, t in tests if s == suite.split("/")[-1] and fnmatch.fnmatch(t, test)]
        if not known:
            yield f"{suite}.{test}"


def main(root):
    names = list(listed(root))
    texts = {n: (pathlib.Path(root) / n).read_text(encoding="utf-8", errors="ignore") for n in names
             if n.endswith((".h", ".cc", ".md", ".py", ".mjs", ".sh", ".cmake", ".txt", ".yml"))}
    code = "\n".join(text for n, text in texts.items() if not n.endswith(".md"))
    words = set(re.findall(r"\b[A-Za-z_]\w*\b", code))
    tests = {test for n, text in texts.items() if n.startswith("tests/") for test in TEST.findall(text)}
    files = collections.defaultdict(list)
    for name in names:
        files[pathlib.PurePath(name).name].append(name)
    bad = []
    for name, text in texts.items():
        # What was so once stands in the list of changes; tests of checkers make trees of their own.
        if name == "CHANGELOG.md" or name.startswith("tests/check_") or not name.endswith((".h", ".cc", ".md")):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            found = [] if line.startswith("#include") else list(missing_files(name, line, files))
            if name.endswith(".md"):
                found += missing_names(line, words, tests)
            bad += [f"{name}:{number}: {what} is not there" for what in found]
    print(*bad, sep="\n", end="\n" if bad else "")
    print(f"check-references: {len(texts)} files, {len(bad)} names of what is not there")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
