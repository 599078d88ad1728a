# SPDX-License-Identifier: MIT
"""Proves that impact models written in Python are models like any other, and that what they say is not trusted.
Oracles: Newton's law for one contact, in closed form; `rigor verify` in another process, which does not know them.
"""
import numpy as np
import pytest

import rigor

SAME = 1e-12  # Of velocities of some m/s: thousands of roundings.
BALL = {"mass_matrix": 2 * np.eye(2), "normal": [[0, 1]], "tangent": [[[1, 0]]], "friction": [0.0],
        "restitution": [0.5],
        "velocity": [3, -4]}


class Newton(rigor.ImpactModel):
    """One frictionless contact: v_n+ = -e v_n-. It has no answer for several."""

    name = "python-newton"
    assumption = "one contact without friction"
    factor = 1.0

    def impulses(self, problem):
        if len(problem.friction) != 1:
            return None
        n = problem.normal[0]
        response = n @ np.linalg.solve(problem.mass_matrix, n)
        p = -(1 + problem.restitution[0]) * (n @ problem.velocity) / response
        return [np.concatenate([[self.factor * p], np.zeros(len(problem.tangent[0]))])]


class Gaining(Newton):
    name = "python-gaining"
    factor = 3.0


class Weak(Newton):
    name = "python-weak"
    factor = 0.1


class Wrong(Newton):
    name = "python-wrong"

    def impulses(self, problem):
        return [[1.0]] * (len(problem.friction) + 1)


class Random(Newton):
    name = "python-random"
    random = True

    def impulses(self, problem):
        draw = np.random.default_rng([problem.seed, problem.path]).uniform(0.7, 1)
        return [draw * row for row in super().impulses(problem)]


class Pairwise(Newton):
    name = "python-pairwise"
    by_contact = False


@pytest.fixture(scope="module", autouse=True)
def models():
    for model in (Newton(), Gaining(), Weak(), Wrong(), Random(), Pairwise()):
        rigor.register_impact_model(model)


def test_an_outcome_is_what_the_impulses_make():
    assert "python-newton" in rigor.impact_models()
    found = rigor.impact_set(BALL, model="python-newton")
    assert not found.random and len(found) == 1
    assert np.abs(found.velocity - [[3, 2]]).max() < SAME
    assert np.abs(np.array(found.impulses) - [[[2 * 6, 0]]]).max() < SAME


def test_what_approaches_or_gains_energy_is_no_answer():
    assert len(rigor.impact_set(BALL, model="python-gaining")) == 0
    assert rigor.impact_set(BALL, model="python-gaining").failed == 1
    assert rigor.impact_set(BALL, model="python-weak").unfinished == 1
    with pytest.raises(rigor.InputError, match="2 contacts; allowed: 1"):
        rigor.impact_set(BALL, model="python-wrong")


def test_random_models_are_keyed_by_their_place():
    first = rigor.impact_set(BALL, model="python-random", samples=50, seed=4, threads=1)
    again = rigor.impact_set(BALL, model="python-random", samples=50, seed=4, threads=2)
    assert first.random and np.array_equal(first.velocity, again.velocity)
    assert len({tuple(v) for v in first.velocity}) == len(first) > 1


def test_names_are_taken_once():
    with pytest.raises(rigor.InputError, match="python-newton"):
        rigor.register_impact_model(Newton())
    with pytest.raises(rigor.InputError):
        rigor.register_impact_model(rigor.ImpactModel())


def test_runs_take_the_model_and_are_proved_elsewhere(program, scenes, tmp_path):
    path = tmp_path / "die.rigor"
    run = rigor.run(scenes / "die.yaml", record=path, impact="python-newton", until=1.0)
    assert run.impacts[0]["model"] == "python-newton"  # The die comes down on a corner.
    first = run.impacts[0]["contacts"][0]
    assert np.abs(first["impulse"][1:]).max() == 0
    assert program.json("verify", path)["status"] == "proved"
    again = rigor.run(scenes / "die.yaml", impact="python-newton", until=1.0)
    assert again.summary.as_dict() == run.summary.as_dict()


def test_what_is_not_of_each_contact_is_proved_without_the_laws(program, scenes, tmp_path):
    for model, held in (("python-newton", True), ("python-pairwise", False)):
        path = tmp_path / f"{model}.rigor"
        rigor.run(scenes / "die.yaml", record=path, impact=model, until=0.3)
        report = program.json("verify", path)
        assert report["status"] == "proved" and (report["physics"] is not None) == held
