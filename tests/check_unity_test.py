#!/usr/bin/env python3
"""Proves: check_unity.py finds the names that two sources of a folder give to different things, and no others.
Usage: check_unity_test.py. Oracle: files made for it.
"""
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).parent / "check_unity.py"


def check(*bodies):
    """What it says of sources of one folder with these bodies of unnamed namespaces."""
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "sim" / "deep").mkdir(parents=True)
        (root / "tests").mkdir()
        for i, body in enumerate(bodies):
            (root / "sim" / ("deep" if i % 2 else "") / f"{i}.cc").write_text(
                f"namespace rigor::sim {{\nnamespace {{\n{body}\n}}  // namespace\n\nvoid open() {{}}\n}}\n")
        done = subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True)
        return done.returncode, done.stdout


def main():
    for first, second in [("constexpr double kFall = 9.81;", "constexpr double kFall = 9.81, kRadius = 2;"),
                          ("constexpr int kA = 1, kB{2};", "const int kB = 2;"),
                          ("struct A {\n  int x;\n};", "class A final : public B {\n};"),
                          ("enum class E { kOne };", "struct E {};"),
                          ("using A = int;", "using A = long;"),
                          ("double f(int a, const B& b = 1) { return a; }", "int f(int, const B& c) { return 0; }"),
                          ("int f(int a, B b = 1) { return a; }", "int f(int a, C c = 2, B b = 1) { return a; }"),
                          ("template <typename T>\nT f(T x) {\n  return x;\n}", "template <typename T> T f(T y) { }")]:
        code, out = check(first, second)
        assert code == 1 and "sim/deep/1.cc:" in out and "also stands in sim/0.cc:3" in out, (first, second, out)
    for first, second in [("constexpr double kFall = 9.81;", "constexpr double kFallTime = 9.81;"),
                          ("using A = int;", "using A = int;"),
                          ("using enum E;", "using enum E;"),
                          ("double f(int a) { return a; }", "double f(long a) { return a; }"),
                          ("void g() { const int k = 1; struct A {}; }", "const int k = 2;\nstruct A {};"),
                          ("struct B { int f(int); };", "int f(int) { return 1; }"),
                          ("// struct A {};\n/* constexpr int kA = 1; */", "struct A {};\nconstexpr int kA = 2;")]:
        code, out = check(first, second)
        assert code == 0, (first, second, out)
    print("ok")


if __name__ == "__main__":
    main()
