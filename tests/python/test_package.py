# SPDX-License-Identifier: MIT
"""Proves that the stubs are the module's, that everything public is documented, and that `pip` builds an installable
wheel without a network."""
import ast
import importlib.machinery
import inspect
import os
import pathlib
import runpy
import subprocess
import sys
import zipfile

import pytest

import rigor
from rigor import _rigor

IGNORED = {"__doc__", "__version__", "__file__", "__loader__", "__name__", "__package__", "__spec__"}


def members(kind):
    """Public names of a class of the extension."""
    return {name for name in vars(kind) if not name.startswith("_")}


def test_stubs_are_the_module(source):
    tree = ast.parse((source / "python/rigor/_rigor.pyi").read_text())
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    found = {name: value for name, value in vars(_rigor).items() if name not in IGNORED}
    assert set(classes) | functions == set(found)
    for name, node in classes.items():
        if issubclass(found[name], Exception):
            continue
        stub = {item.name for item in node.body if isinstance(item, ast.FunctionDef) and not item.name.startswith("_")}
        assert stub == members(found[name]), name


def test_everything_public_is_documented():
    for name in rigor.__all__:
        value = getattr(rigor, name)
        assert inspect.getdoc(value), name
    assert set(rigor.__all__) <= set(vars(rigor))


def test_reference_is_the_module(source):
    """docs/python-reference.md is what docs/python_reference.py writes of this module."""
    namespace = runpy.run_path(str(source / "docs/python_reference.py"))
    assert (source / "docs/python-reference.md").read_text(encoding="utf-8") == namespace["page"]()


def test_pip_installs_without_a_network(source, tmp_path):
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode != 0:
        pytest.skip("this Python has no pip")
    build = pathlib.Path(rigor.__file__).resolve().parent.parent.parent
    environment = {**os.environ, "RIGOR_BUILD_DIR": str(build)}
    environment.pop("PYTHONPATH", None)
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps", "--no-cache-dir", "-q", "-w",
                    str(tmp_path), str(source)],
                   env=environment, check=True, timeout=200)
    (wheel,) = tmp_path.glob("rigor-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "rigor/__init__.py" in names and "rigor/_rigor.pyi" in names and "rigor/py.typed" in names
    assert sum(name.endswith(importlib.machinery.EXTENSION_SUFFIXES[0]) for name in names) == 1
    target = tmp_path / "installed"
    subprocess.run([sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "-q", "--target", str(target),
                    str(wheel)],
                   env=environment, check=True, timeout=100)
    code = (f"import rigor; assert rigor.__file__.startswith({str(target)!r}); "
            f"print(rigor.distance([[0, 0, 0]], [[1, 0, 0]]).distance)")
    done = subprocess.run([sys.executable, "-c", code], env={**environment, "PYTHONPATH": str(target)},
                          capture_output=True, text=True)
    assert done.stdout == "1.0\n", done.stderr
