#!/usr/bin/env python3
"""Proves: every command that docs/tutorials prints works as it stands, in the order of its page, in an empty folder.

Usage: tutorials.py FOLDER_OF_RIGOR SOURCE_DIR [PAGE...]. A block ```sh is run by `sh -e`; a block ```python, with those
that follow it before the next ```sh, by this python3 with rigor's module, where that is built (RIGOR_PYTHON names its
folder). A page with Python is left out without it.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def run(page, environment):
    blocks = re.findall(r"^```(sh|python)\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    if not blocks:
        sys.exit(f"{page}: no command to run")
    if "RIGOR_PYTHON" not in environment and any(language == "python" for language, _ in blocks):
        print(f"{page.name}: left out, the module is not built")
        return
    scripts = []
    for language, text in blocks:
        if scripts and scripts[-1][0] == language == "python":
            text = scripts.pop()[1] + text
        scripts.append((language, text))
    with tempfile.TemporaryDirectory() as folder:
        for language, text in scripts:
            command = ["sh", "-e", "-c", text] if language == "sh" else [sys.executable, "-c", text]
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{page}: this ended with {done.returncode}:\n{text}\n{done.stdout}{done.stderr}")
    print(f"{page.name}: {len(blocks)} blocks")


def main(program, source, pages):
    environment = dict(os.environ, PATH=f"{program}:{os.environ['PATH']}")
    environment.pop("RIGOR_SCENES", None)
    if "RIGOR_PYTHON" in environment:
        environment["PYTHONPATH"] = environment["RIGOR_PYTHON"]
    for page in sorted((source / "docs" / "tutorials").glob("*.md")):
        if not pages or page.stem in pages:
            run(page, environment)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), sys.argv[3:])
