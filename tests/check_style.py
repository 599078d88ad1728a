#!/usr/bin/env python3
"""Holds the tree to the lengths of CONTRIBUTING.md: lines up to 120, headers under 200 lines, functions up to 80.

Usage: check_style.py SOURCE_DIR [--update | --baseline | --wrap FILE.md...]

What is longer today stands in tests/style_debt.txt and may shrink, never grow. --update writes down what has become
shorter; --baseline writes down what is there (after a merge of older branches); --wrap wraps the prose of pages at 120
columns. Exit code 1: something is longer than it may be; each is printed as FILE:LINE.
"""
import pathlib
import re
import sys
import textwrap

WIDTH = 120
HEADER = 200
FUNCTION = 80
FOLDERS = ("elementary formats geom friction impact advance dynamics sim methods compare record verify check scenes "
           "atlas sweep api viewer cli python include tests bench cmake docs .ci .github completions").split()
CODE = {".h", ".cc"}
OTHERS = {".py", ".sh", ".cmake", ".mjs", ".yml"}
DEBT = pathlib.Path("tests/style_debt.txt")


def files(root):
    for path in sorted(root.iterdir()):
        if path.is_file() and path.suffix in {".md", ".sh", ".txt"}:
            yield path
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and (path.suffix in CODE | OTHERS | {".md"} or path.name == "CMakeLists.txt"):
                yield path


def prose_lines(text):
    """(number, line) of a page's lines that can be wrapped: neither code, nor tables, nor a single long word."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif (not fenced and not line.lstrip().startswith(("|", "<")) and not line.startswith("    ")
              and " " in line.strip()):
            yield number, line


def long_lines(path, text):
    lines = prose_lines(text) if path.suffix == ".md" else enumerate(text.splitlines(), 1)
    return [number for number, line in lines if len(line) > WIDTH]


TOKEN = re.compile(r"""//[^\n]* | /\*.*?\*/ | R"([^(\s]*)\(.*?\)\1" | "(?:\\.|[^"\\\n])*" | 
                       (?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])+' |
                       ^[ \t]*\#(?:\\\n|[^\n])*""", re.VERBOSE | re.DOTALL | re.MULTILINE)


def functions(text):
    """(line, name, length) of the function bodies of a C++ file, by its braces. Lambdas belong to the function around
    them."""
    blank = TOKEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    found = []
    outside = [True]  # Of each open brace: whether definitions may stand in it.
    start = 0         # Where the current declaration began.
    opened = []
    for match in re.finditer(r"[{};]", blank):
        kind, at = match[0], match.start()
        if kind == "{":
            head = blank[start:at].strip()
            scope = (re.search(r"\b(namespace|class|struct|union|enum|extern)\b[^()=]*$", head)
                     or head.startswith("extern"))
            is_function = outside[-1] and not scope and "(" in head and not re.search(r"=\s*$", head)
            if is_function:
                first = start + len(blank[start:at]) - len(blank[start:at].lstrip())
                name = re.search(r"([~\w:]+|operator[^(]*)\s*\(", head)
                opened.append((len(outside), first, name[1] if name else "?"))
            outside.append(bool(outside[-1] and scope))
        elif kind == "}":
            if len(outside) > 1:
                outside.pop()
            if opened and opened[-1][0] == len(outside):
                _, first, name = opened.pop()
                line = blank.count("\n", 0, first) + 1
                found.append((line, name, blank.count("\n", first, at) + 1))
        if outside[-1]:
            start = match.end()
    return found


def measure(root):
    """{(kind, file or file:function): (size, [where])} of all that is longer than it should be."""
    debt = {}
    for path in files(root):
        name = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        lines = long_lines(path, text)
        if lines:
            debt["lines", name] = len(lines), [f"{name}:{number}: longer than {WIDTH} columns" for number in lines]
        if path.suffix == ".h":
            count = len(text.splitlines())
            if count >= HEADER:
                debt["header", name] = count, [f"{name}:1: a header of {count} lines; under {HEADER}"]
        if path.suffix in CODE:
            for line, function, length in functions(text):
                if length > FUNCTION:
                    key = "function", f"{name}:{function}"
                    size = max(length, debt.get(key, (0,))[0])
                    debt[key] = size, [f"{name}:{line}: {function} has {length} lines; up to {FUNCTION}"]
    return debt


def read_debt(root):
    allowed = {}
    if (root / DEBT).exists():
        for row in (root / DEBT).read_text().splitlines():
            if row and not row.startswith("#"):
                kind, name, size = row.split()
                allowed[kind, name] = int(size)
    return allowed


def write_debt(root, debt):
    rows = [f"{kind} {name} {size}" for (kind, name), size in sorted(debt.items())]
    head = ("# What is longer than CONTRIBUTING.md has it: lines, headers, functions. It may shrink: "
            "./rigor.sh check-style --update\n")
    (root / DEBT).write_text(head + "\n".join(rows) + "\n")


def wrap(path):
    """Wraps paragraphs and list items whose lines are too long; leaves the others as they stand."""
    text = path.read_text(encoding="utf-8")
    lines, wrappable = text.splitlines(), {number for number, _ in prose_lines(text)}
    out, at = [], 0
    while at < len(lines):
        def in_paragraph(i):
            return (i < len(lines) and i + 1 in wrappable and lines[i].strip() and not lines[i].startswith("#"))
        if not in_paragraph(at):
            out.append(lines[at])
            at += 1
            continue
        end = at + 1
        while in_paragraph(end) and not re.match(r"\s*([-*]|\d+\.) ", lines[end]) and not lines[end].startswith(">"):
            end += 1
        block = lines[at:end]
        if any(len(line) > WIDTH for line in block):
            mark = re.match(r"\s*(?:(?:[-*]|\d+\.) (?:\[.\] )?)?", block[0])[0]
            joined = " ".join(line.strip() for line in block)[len(mark.strip()):].strip()
            block = textwrap.wrap(joined, WIDTH, initial_indent=mark, subsequent_indent=" " * len(mark),
                                  break_long_words=False, break_on_hyphens=False)
        out += block
        at = end
    path.write_text("\n".join(out) + "\n", encoding="utf-8")


def main(root, arguments):
    if arguments[:1] == ["--wrap"]:
        for name in arguments[1:]:
            wrap(pathlib.Path(name))
        return 0
    debt = measure(root)
    allowed = read_debt(root)
    if arguments == ["--baseline"]:
        write_debt(root, {key: size for key, (size, _) in debt.items()})
        return 0
    bad = [key for key, (size, _) in debt.items() if size > allowed.get(key, 0)]
    for key in bad:
        size, where = debt[key]
        known = f" ({size}; {allowed[key]} may be there)" if key in allowed else ""
        print(*(text + known for text in where), sep="\n")
    if arguments == ["--update"]:
        write_debt(root, {key: min(size, debt[key][0]) for key, size in allowed.items() if key in debt})
    total = {kind: sum(1 for k, _ in debt if k == kind) for kind in ("header", "function")}
    count = sum(size for (kind, _), (size, _) in debt.items() if kind == "lines")
    print(f"check-style: {count} long lines, {total['header']} long headers, {total['function']} long functions; "
          + (f"{len(bad)} files or functions have become longer. Shorten them; where a merge of older branches "
             "brought them: ./rigor.sh check-style --baseline" if bad else "none has become longer"))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2:]))
