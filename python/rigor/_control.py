# SPDX-License-Identifier: MIT
"""Controllers written in Python."""
from __future__ import annotations

import numpy as np


class Controller:
    """A law that turns the state of a robot into joint forces, sampled every `period` seconds; between samples the
    forces are held.

    Derive, set `period` (and `memory_size` for numbers that it keeps from sample to sample), and define forces(). Give
    it to a scene with `scene.with_controller(robot, controller)`. The forces must depend on the arguments alone: then
    runs repeat to the bit, and branches of a tree go on independently. They are cut to the actuators' effort and speed
    limits.
    """

    period: float = 0.01
    """Time between samples [s]."""
    memory_size: int = 0
    """Numbers that it keeps; zero at the start."""
    senses: bool = False
    """Whether forces() takes a fifth argument `readings`, what ideal sensors say at the sample: a dict of arrays, a row
    for each of the n links of scene.robots[i].links. Means since the sample before, impacts included: `touches` (n,
    bool), `force` and `torque` (n, 3) of the link's contacts about its origin, world axes [N], [N m]. An IMU at its
    origin, link axes: `specific_force` (n, 3) acceleration minus gravity [m/s^2], `angular_velocity` (n, 3) [rad/s].
    `effort` (num_v,): of the actuators since the sample before. No rows where a published method moves the bodies."""

    def forces(self, time: float, q: np.ndarray, v: np.ndarray, memory: np.ndarray) -> np.ndarray:
        """The forces (num_v,) [N m] or [N] wanted at `time` [s].

        q (num_q,) and v (num_v,) are the robot's coordinates and velocities: joint j has q[j.q:j.q + j.num_q] and
        v[j.v:j.v + j.num_v] (scene.robots[i].joints). `memory` (memory_size,) may be written to. Forces of floating
        joints are ignored.
        """
        raise NotImplementedError
