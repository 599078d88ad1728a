#!/usr/bin/env python3
"""Proves: check_style.py finds what is too long, in the right line, and nothing else; what is known may shrink and not
grow; prose is wrapped without losing a word. Usage: check_style_test.py. Oracle: files made for it, whose lengths are
counted here.
"""
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).parent / "check_style.py"


def run(root, *arguments):
    done = subprocess.run([sys.executable, SCRIPT, root, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout


def function(name, lines):
    return f"int {name}(int x) {{\n" + "  x += 1;  // {{ \"\n" * (lines - 2) + "}\n"


def main():
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for folder in ("sim", "tests", "docs"):
            (root / folder).mkdir()
        source, page = root / "sim" / "a.cc", root / "docs" / "a.md"
        braces = ('const char* text = "{{{";\nstruct S {\n  S() : x{1} {}\n  int x;\n};\n'
                  'auto lambda = [](int y) { return y; };\n')
        source.write_text(braces + function("shortEnough", 80))
        page.write_text("| " + "a table may be long " * 10 + "|\n\n```\n" + "code " * 40 + "\n```\n")
        assert run(root)[0] == 0, run(root)
        # One line more, and one column more.
        source.write_text(braces + function("tooLong", 81) + "// " + "x" * 118 + "\n")
        code, out = run(root)
        assert code == 1 and "sim/a.cc:7: tooLong has 81 lines" in out and "sim/a.cc:88: longer than 120" in out, out
        # What is known is allowed, not more of it, and what has shrunk stays so.
        run(root, "--baseline")
        assert run(root)[0] == 0
        source.write_text(braces + function("tooLong", 82))
        assert run(root)[0] == 1
        source.write_text(braces + function("tooLong", 80))
        assert run(root, "--update")[0] == 0
        source.write_text(braces + function("tooLong", 81))
        assert run(root)[0] == 1
        source.unlink()
        # Prose.
        words = [f"word{i}" for i in range(200)]
        page.write_text("# Title\n\n" + " ".join(words) + "\n\n- " + " ".join(words) + "\n- short\n")
        assert run(root)[0] == 1
        run(root, "--wrap", page)
        assert run(root)[0] == 0
        text = page.read_text()
        assert text.split() == ["#", "Title", *words, "-", *words, "-", "short"]
        assert all(line.startswith(("#", "- ", "  ")) or line.startswith("word") or not line
                   for line in text.splitlines())


if __name__ == "__main__":
    main()
