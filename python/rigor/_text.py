# SPDX-License-Identifier: MIT
"""Scenes, problems and sweeps as Python objects, written as the YAML (here: JSON) that files have."""
from __future__ import annotations

import json
import math
import os
from typing import Any


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # NumPy arrays and numbers.
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{type(value).__name__} is nothing that a file can hold")


def _check_finite(value: Any, name: str) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        from ._rigor import InputError

        raise InputError(f"{name} is {value}; allowed: finite numbers")
    if isinstance(value, dict):
        for key, item in value.items():
            _check_finite(item, f"{name}.{key}" if name else str(key))
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            _check_finite(item, f"{name}[{i}]")


def as_yaml(source: Any) -> str:
    """YAML text of a dict. One field a line, so that errors have lines. Numbers keep all their bits."""
    text = json.dumps(source, indent=1, default=_plain, ensure_ascii=False)
    _check_finite(json.loads(text), "")
    return text + "\n"
