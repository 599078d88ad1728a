#!/usr/bin/env python3
"""Finds names that sources of one target both define in unnamed namespaces: unity builds put them into one file.

Usage: check_unity.py SOURCE_DIR

Constants, types and aliases by name, functions by name and types of parameters. Exit code 1: some names meet; each is
printed as FILE:LINE beside the first of them.
"""
import pathlib
import re
import sys

import check_style

FOLDERS = [folder for folder in check_style.FOLDERS if folder not in {"tests", "bench", "include", "cmake", "docs"}]
# Sources that are compiled alone (SKIP_UNITY_BUILD_INCLUSION).
ALONE = {"tests/elementary/require_test.cc", "tests/elementary/require_checked_test.cc",
         "tests/friction/siconos_test.cc", "tests/dynamics/simbody_twin.cc"}

NAMED = re.compile(r"(?:struct|class|enum(?:\s+class)?|union)\s+(\w+)(?:\s+final)?\s*(?::[^()]*)?$")
ALIAS = re.compile(r"using\s+(\w+)\s*=")
VARIABLES = re.compile(r"^(?:inline\s+|static\s+)*(?:constexpr|const|thread_local|std::atomic)\b[^()]*$")
FUNCTION = re.compile(r"([~\w]+|operator[^\w(]+)\s*\((.*)\)[^()]*$", re.DOTALL)
MACROS = {"TEST", "TEST_F", "TEST_P", "INSTANTIATE_TEST_SUITE_P", "TYPED_TEST", "TYPED_TEST_SUITE"}


def parameters(text):
    """The lists of types that a list of parameters can be called with: names are left out, and what has default values
    may be."""
    text, depth, parts, part = re.sub(r"\s+", " ", text), 0, [], ""
    for char in text:
        depth += (char in "<({") - (char in ">)}")
        if char == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += char
    parts.append(part)
    types = tuple(re.sub(r"(?<=[&*> ])\w+$", "", part.split("=")[0].strip()).strip() for part in parts)
    return [types[:count] for count in range(sum("=" not in part for part in parts), len(parts) + 1)]


def names(head):
    """What a declaration at the level of a namespace defines: keys that may stand once in a file."""
    head = re.sub(r"^(?:template\s*<.*?>\s*|\[\[[^]]*\]\]\s*)+", "", head.strip(), flags=re.DOTALL)
    if match := ALIAS.match(head):
        return [match[1]]
    if head.startswith("using"):
        return []
    if match := NAMED.search(head.split("{")[0].strip()):
        return [match[1]]
    initial = re.split("[={]", head)[0]
    if VARIABLES.match(initial) and "(" not in initial:
        found = re.findall(r"(?:^|[\s,&*>])(\w+)(?:\[[^]]*\])*\s*(?:=|\{|$|;)", head)
        return [name for name in found if re.match(r"k[A-Z]", name)] or found[:1]
    if (match := FUNCTION.search(head)) and match[1] not in MACROS:
        return [(match[1], types) for types in parameters(match[2])]
    return []


def definitions(text):
    """(line, key) of what stands directly in unnamed namespaces; the key starts with the namespaces around."""
    blank = check_style.TOKEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    around, start = [], 0  # Of each open brace: its namespace's name ("" for unnamed ones), None for other braces.
    for match in re.finditer(r"[{};]", blank):
        kind, at = match[0], match.start()
        head = blank[start:at].strip()
        here = bool(around) and around[-1] == "" and None not in around
        line = blank.count("\n", 0, start + len(blank[start:at]) - len(blank[start:at].lstrip())) + 1
        if kind == "{":
            space = re.search(r"\bnamespace\b\s*([\w:]*)\s*$", head)
            if here and not space:
                for name in names(head):
                    yield line, ("::".join(filter(None, around)), name)
            around.append(space[1] if space else None)
        elif kind == "}" and around:
            around.pop()
        elif kind == ";" and here and "(" not in head.split("=")[0]:
            for name in names(head):
                yield line, ("::".join(filter(None, around)), name)
        if None not in around:
            start = match.end()


def main(root):
    bad = 0
    targets = [root / folder for folder in FOLDERS] + sorted(p for p in (root / "tests").iterdir() if p.is_dir())
    for target in targets:
        first = {}
        sources = sorted(target.rglob("*.cc"))
        for path in sources:
            name = path.relative_to(root).as_posix()
            if name in ALONE:
                continue
            text = path.read_text(encoding="utf-8")
            for line, key in definitions(text):
                alias = re.search(rf"\busing {key[1]} = [^;]*;", text) if isinstance(key[1], str) else None
                what, where = first.setdefault(key, (alias and alias[0], f"{name}:{line}"))
                same = alias and alias[0] == what  # The same type under the same name.
                if where.split(":")[0] != name and not same:
                    what = key[1] if isinstance(key[1], str) else f"{key[1][0]}({', '.join(key[1][1])})"
                    print(f"{name}:{line}: {what} also stands in {where}")
                    bad += 1
    print(f"check-unity: {bad} names meet" if bad else "check-unity: no names meet")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
