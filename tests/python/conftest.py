# SPDX-License-Identifier: MIT
"""What the tests of the Python module share: the program `rigor` as an oracle, and the folder of the bundled scenes."""
import json
import os
import pathlib
import subprocess

import pytest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ.get("RIGOR_PROGRAM", str(SOURCE / "build/release/cli/rigor"))


class Program:
    """Calls the command line."""

    def __call__(self, *arguments, codes=(0,), text=None):
        done = subprocess.run([PROGRAM, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=100)
        assert done.returncode in codes, done.stderr
        return done

    def json(self, *arguments, codes=(0,), text=None):
        return json.loads(self(*arguments, "--json", codes=codes, text=text).stdout)


@pytest.fixture(scope="session")
def program():
    return Program()


@pytest.fixture(scope="session")
def scenes():
    return SOURCE / "scenes"


@pytest.fixture(scope="session")
def source():
    return SOURCE
