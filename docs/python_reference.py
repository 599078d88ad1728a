#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/python-reference.md from the docstrings of the module `rigor`.

    ./rigor.sh python docs/python_reference.py
"""
import inspect
import pathlib
import re
import textwrap

import rigor
from rigor import simulators

HEAD = """# Reference of the Python module

Every name of the module `rigor`, from its docstrings (docs/python_reference.py writes this page). SI units, world axes,
quaternions `[w, x, y, z]`. [Python](python.md) shows how they work together.
"""


def plain(text):
    """Without what pybind11 adds to types."""
    return re.sub(r"rigor\._[a-z]+\.", "", text).replace("numpy.ndarray[numpy.float64]", "numpy.ndarray")


def described(value):
    """(signature, text) of a function or method; pybind11 writes the signature into the first line of the docstring."""
    text = inspect.getdoc(value) or ""
    first, _, rest = text.partition("\n")
    if re.match(r"\w+\(.*\)( -> .*)?$", first):
        signature = re.sub(r"^\w+", "", first).replace("(self)", "()")
        return plain(re.sub(r"\((self: )?rigor\._rigor\.\w+(, |(?=\)))", "(", signature)), rest.strip()
    try:
        signature = re.sub(r"\(self(, )?", "(", str(inspect.signature(value)))
    except (TypeError, ValueError):
        signature = "(...)"
    return plain(signature), text


def wrapped(name, signature):
    """A heading's code, broken between arguments where it is long."""
    line = f"{name}{signature}"
    return line if len(line) <= 110 else line.replace(", ", ",\n    ")


def paragraphs(text):
    """At most 120 columns wide."""
    return "\n\n".join(textwrap.fill(" ".join(part.split()), 120, break_long_words=False, break_on_hyphens=False)
                       for part in text.split("\n\n"))


def entry(name, value):
    signature, text = described(value)
    return f"```text\n{wrapped(name, signature)}\n```\n\n{paragraphs(text)}\n"


def kind(name, value):
    lines = [f"## {name}\n", paragraphs(inspect.getdoc(value)) + "\n"]
    made = described(value.__init__)[1]
    if "__init__" in vars(value) and not issubclass(value, Exception) and not made.startswith("Initialize self"):
        lines.append(entry(name, value.__init__))
    public = [(member, what) for member, what in sorted(vars(value).items()) if not member.startswith("_")]
    for member, what in public:
        if not callable(what):
            text = inspect.getdoc(what) if isinstance(what, property) or inspect.isdatadescriptor(what) else ""
            line = f"- `{member}`" + (f": {' '.join(text.split())}" if text else "")
            lines.append(textwrap.fill(line, 120, subsequent_indent="  ", break_long_words=False))
    lines.append("")
    lines += [entry(f".{member}", what) for member, what in public if callable(what)]
    return "\n".join(lines)


def page():
    parts = [HEAD]
    for name in sorted(rigor.__all__, key=str.lower):
        value = getattr(rigor, name)
        parts.append(kind(name, value) if inspect.isclass(value) else f"## {name}\n\n{entry('rigor.' + name, value)}")
    parts.append("## rigor.simulators\n\n" + paragraphs(inspect.getdoc(simulators)) + "\n")
    for name in ("from_bullet", "from_centres", "save"):
        parts.append(entry(f"simulators.{name}", getattr(simulators, name)))
    return "\n".join(line.rstrip() for line in "\n".join(parts).splitlines()) + "\n"


if __name__ == "__main__":
    pathlib.Path(__file__).resolve().parent.joinpath("python-reference.md").write_text(page(), encoding="utf-8")
