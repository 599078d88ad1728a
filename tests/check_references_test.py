#!/usr/bin/env python3
"""tests/check_references.py finds each kind of name that is not there, and lets those be that are."""
import pathlib
import subprocess
import sys
import tempfile

CHECKER = pathlib.Path(__file__).with_name("check_references.py")
GOOD = {"sim/there.h": "// See docs/page.md.\nconstexpr int kThere = 1;\nvoid act();\n",
        "tests/sim/there_test.cc": "TEST(There, Acts) {}\n",
        "docs/page.md": "`sim::act`, `kThere`, `act()`, `There.Acts`, `There.*`, sim/there.h, there.h\n"}
BAD = ["sim/gone.h", "`sim::gone`", "`kGone`", "`gone()`", "`There.Goes`", "`Gone.*`", "other/there.h"]


def run(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return subprocess.run([sys.executable, CHECKER, folder], capture_output=True, text=True)


found = run(GOOD)
assert found.returncode == 0, found.stdout
for name in BAD:
    found = run({**GOOD, "docs/bad.md": f"one\n{name}\n"})
    assert found.returncode == 1 and "docs/bad.md:2: " in found.stdout, (name, found.stdout)
