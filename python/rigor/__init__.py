# SPDX-License-Identifier: MIT
"""Rigid bodies that are proved never to touch.

SI units, world axes with z up, quaternions [w, x, y, z]. docs/python.md has tutorials; each function says shapes and
units.
"""
from ._control import Controller
from ._impact import ImpactModel
from ._rigor import __version__ as __version__
from ._rigor import (BodyInfo, Branch, CheckedPair, CheckReport, GuaranteeError, ImpactProblem, ImpactSet, InputError,
                     Joint, Record, RobotInfo, Scene, Separation, Simulation, State, Summary, SweepSummary, TreeSummary,
                     VerifyFailure, VerifyReport, check, distance, explore, impact_models, impact_set, load_scene,
                     register_impact_model, verify)
from ._run import Run, run
from ._sweep import SweepResult, merge_sweeps, sweep

__all__ = [
    "BodyInfo", "Branch", "CheckReport", "CheckedPair", "Controller", "GuaranteeError", "ImpactModel", "ImpactProblem",
    "ImpactSet", "InputError", "Joint", "Record", "RobotInfo", "Run", "Scene", "Separation", "Simulation", "State",
    "Summary", "SweepResult", "SweepSummary", "TreeSummary", "VerifyFailure", "VerifyReport", "check", "distance",
    "explore", "impact_models", "impact_set", "load_scene", "merge_sweeps", "register_impact_model", "run", "sweep",
    "verify",
]
