# SPDX-License-Identifier: MIT
"""One call for a whole run."""
from __future__ import annotations

import math
import os
from typing import Any, Iterator

from ._rigor import Scene, Simulation, Summary, load_scene


class Run:
    """A run that has ended: the fields of its Summary, and everything that a Simulation can be asked."""

    def __init__(self, simulation: Simulation):
        self.simulation = simulation
        self.summary: Summary = simulation.summary

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        for source in (self.__dict__["summary"], self.__dict__["simulation"]):
            if hasattr(source, name):
                return getattr(source, name)
        raise AttributeError(f"a run has no '{name}'")

    def __dir__(self) -> Iterator[str]:
        return iter(sorted({*object.__dir__(self), *dir(self.summary), *dir(self.simulation)}))

    def __getitem__(self, name: str) -> Any:
        return self.summary.as_dict()[name]

    @property
    def impacts(self) -> list[dict[str, Any]]:
        """A dict an impact (summary.impacts is their number)."""
        return self.simulation.impacts

    def __repr__(self) -> str:
        return (f"Run({self.summary.status} at {self.summary.time} s, {self.summary.steps} steps, "
                f"min_gap={self.summary.min_gap})")


def run(scene: Scene | str | os.PathLike[str] | dict[str, Any], until: float | None = None, seed: int = 0,
        record: str | os.PathLike[str] | None = None, *, impact: str | None = None, replace: bool = False,
        history: float = math.inf, threads: int = 0) -> Run:
    """Simulates a scene (a Scene, the path of a scene file, or a dict) up to `until` [s] (None: the scene's).

    With `record` it writes the same record as `rigor run SCENE -o RECORD`, bit for bit in all that moves; replace=True
    also over an existing one. impact: model in place of the scene's. history: how long motions are kept for poses() and
    state() [s]. threads: 0 for all cores; what happens does not depend on it. Raises InputError for scenes that cannot be
    simulated, and GuaranteeError where the guarantee could not be kept; the record up to there is valid. Without the
    interpreter's lock; Ctrl-C ends it with a valid record.
    """
    if isinstance(scene, dict):
        scene = Scene(scene)
    elif not isinstance(scene, Scene):
        scene = load_scene(scene)
    if impact is not None:
        scene = scene.with_impact_model(impact)
    if until is not None:
        scene = scene.with_until(until)
    with Simulation(scene, seed, record=record, replace=replace, history=history,
                    threads=threads) as simulation:
        simulation.advance(scene.until)
    return Run(simulation)
