# SPDX-License-Identifier: MIT
"""Impact models written in Python."""
from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from ._rigor import ImpactProblem


class ImpactModel:
    """A model of simultaneous impact. Derive, set `name` and `assumption`, define impulses(), and call
    rigor.register_impact_model(model).

    The outcome must depend on the problem alone; random models draw from numpy.random.default_rng([problem.seed,
    problem.path]). Velocities after the impact follow from the impulses, v + M^-1 J' p. An answer after which a contact
    still approaches, or with more kinetic energy than before, is none: runs then take the plastic impact, and count it
    (summary.plastic_impacts).
    """

    name: str = ""
    """Letters, digits and hyphens."""
    assumption: str = "a model of the user's"
    """What it assumes of the colliding bodies, one clause."""
    random: bool = False
    """Whether its outcomes are samples of a set."""
    by_contact: bool = True
    """Whether impulses of each contact obey Coulomb's law and its restitution where several are hit. If not, records of
    runs are proved without the laws of motion."""

    def impulses(self, problem: ImpactProblem) -> Sequence[ArrayLike] | None:
        """Impulses of the m contacts [N s]: of each its normal one, then one a row of
        problem.tangent[i]. None: no answer."""
        raise NotImplementedError
