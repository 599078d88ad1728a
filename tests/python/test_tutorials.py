# SPDX-License-Identifier: MIT
"""Executes every Python block of the documentation, each page from top to bottom in one namespace, in an empty folder
that has `scenes`. A block that is followed by a block of text must print exactly that.
"""
import contextlib
import io
import re

import pytest

PAGES = ["README.md", "docs/python.md"]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_tutorials(source, tmp_path, monkeypatch, page):
    (tmp_path / "scenes").symlink_to(source / "scenes")
    monkeypatch.chdir(tmp_path)
    text = (source / page).read_text(encoding="utf-8")
    names, printed, executed = {"__name__": "tutorial"}, None, 0
    for match in BLOCK.finditer(text):
        language, block = match.groups()
        if language == "python":
            line = text.count("\n", 0, match.start(2))
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile("\n" * line + block, page, "exec"), names)  # With the page's line numbers.
            printed = out.getvalue()
            executed += 1
        elif language == "text":
            assert printed == block
            printed = None
    assert executed > 0
