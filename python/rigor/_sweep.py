# SPDX-License-Identifier: MIT
"""Many runs from distributions."""
from __future__ import annotations

import csv
import os
import tempfile
from typing import Any

import numpy as np

from . import _rigor
from ._rigor import InputError, SweepSummary
from ._text import as_yaml


class SweepResult:
    """The folder of a sweep: its summary and the rows of results.csv."""

    def __init__(self, folder: str, summary: SweepSummary):
        self.folder = folder
        self.summary = summary
        with open(os.path.join(folder, "results.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        self.columns: list[str] = rows[0]
        self._rows = rows[1:]

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, column: str) -> np.ndarray:
        """A column (runs,): int64 for `run` and `seed`, text for `status`, else float64, NaN where there is none."""
        if column not in self.columns:
            raise KeyError(f"{column}; there are {', '.join(self.columns)}")
        k = self.columns.index(column)
        cells = [row[k] for row in self._rows]
        if column in ("run", "seed"):
            return np.array([int(cell) for cell in cells], dtype=np.int64)
        try:
            return np.array([float(cell) if cell else np.nan for cell in cells])
        except ValueError:
            return np.array(cells)

    def __repr__(self) -> str:
        return f"SweepResult('{self.folder}', {len(self)} runs)"


def _shard(shard: str | tuple[int, int] | None) -> tuple[int, int]:
    if shard is None:
        return 1, 1
    try:
        k, n = shard.split("/") if isinstance(shard, str) else shard
        return int(k), int(n)
    except (TypeError, ValueError):
        raise InputError(f"shard {shard!r}; allowed: 'K/N' or (K, N) with 1 <= K <= N") from None


def sweep(plan: str | os.PathLike[str] | dict[str, Any], folder: str | os.PathLike[str], *,
          shard: str | tuple[int, int] | None = None, threads: int = 0, resume: bool = False) -> SweepResult:
    """Makes the runs of a sweep file (docs/sweep.md), or of a dict of its fields, and writes `folder` as `rigor sweep`
    does.

    In a dict, `scene` is a path from the current folder. Results do not depend on threads, shards or interruptions.
    Raises InputError; Ctrl-C ends it, and resume=True goes on.
    """
    folder = os.fspath(folder)
    k, n = _shard(shard)
    if not isinstance(plan, dict):
        return SweepResult(folder, _rigor._sweep(os.fspath(plan), folder, k, n, threads, resume))
    plan = dict(plan)
    if isinstance(plan.get("scene"), (str, os.PathLike)):
        plan["scene"] = os.path.abspath(plan["scene"])
    with tempfile.TemporaryDirectory() as temporary:
        path = os.path.join(temporary, "sweep.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(as_yaml(plan))
        return SweepResult(folder, _rigor._sweep(path, folder, k, n, threads, resume))


def merge_sweeps(folders: list[str | os.PathLike[str]], into: str | os.PathLike[str]) -> SweepResult:
    """Puts the folders of all shards of one sweep together: the same bytes of results.csv as one sweep
    without shards."""
    into = os.fspath(into)
    return SweepResult(into, _rigor._merge_sweeps([os.fspath(folder) for folder in folders], into))
