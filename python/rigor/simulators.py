# SPDX-License-Identifier: MIT
"""Motions of other simulators as rigor.check() and `rigor check` take them. NumPy alone; no simulator is imported.

MuJoCo: `scene.link_poses(robot, qpos)` for a robot of the same MJCF file, or mujoco's own `data.xpos` and `data.xquat`,
which are poses of body origins, [w, x, y, z].
"""
from __future__ import annotations

import os

import numpy as np
from numpy.typing import ArrayLike


def _rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """v turned by the quaternions q (n, 4) [w, x, y, z] of any length."""
    w, u = q[:, :1], q[:, 1:]
    return v + 2 * (w * np.cross(u, v) + np.cross(u, np.cross(u, v))) / np.sum(q * q, axis=1, keepdims=True)


def from_centres(positions: ArrayLike, orientations: ArrayLike, centre: ArrayLike = (0, 0, 0)) -> np.ndarray:
    """(n, 7) poses of a body's origin from those of its centre of mass, as ODE has them.

    positions (n, 3) [m] of the centre; orientations (n, 4) [w, x, y, z] of the body's axes; centre (3,): in the body's
    frame [m].
    """
    p, q = np.asarray(positions, dtype=float), np.asarray(orientations, dtype=float)
    if p.ndim != 2 or p.shape[1] != 3 or q.shape != (len(p), 4):
        raise ValueError(f"positions {p.shape} and orientations {q.shape}; allowed: (n, 3) and (n, 4)")
    return np.hstack([p - _rotate(q, np.broadcast_to(np.asarray(centre, dtype=float), p.shape)), q])


def from_bullet(positions: ArrayLike, orientations: ArrayLike, centre: ArrayLike = (0, 0, 0)) -> np.ndarray:
    """The same from Bullet, whose quaternions are [x, y, z, w]: what getBasePositionAndOrientation() returns at n
    times.

    centre: the body's centre of mass in the frame of the scene's body [m] (pybullet: getDynamicsInfo(...)[3]).
    """
    return from_centres(positions, np.roll(np.asarray(orientations, dtype=float), 1, axis=-1), centre)


def save(path: str | os.PathLike[str], times: ArrayLike, poses: dict[str, ArrayLike]) -> None:
    """Writes a trajectory file for `rigor check SCENE FILE.npz`. poses: a dict from body to (n, 7) or (n, 13), as
    rigor.check() takes it."""
    arrays = {name: np.asarray(rows, dtype=float) for name, rows in poses.items()}
    if "time" in arrays:
        raise ValueError("a body named 'time' has no place in an npz file")
    # Through an open file: NumPy would add .npz to a name.
    with open(path, "wb") as file:
        np.savez(file, **{"time": np.asarray(times, dtype=float), **arrays})
