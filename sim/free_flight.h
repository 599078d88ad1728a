// SPDX-License-Identifier: MIT
#pragma once
#include "sim/runtime.h"

namespace rigor::sim {

/// Makes a piece turn from its q[0] to `end`, with these angular velocities there (world) [rad/s], on a cubic. Its
/// inner control points follow from the velocities as records work them out, which leave them out. @pre `end` is as
/// long as q[0], or nearly: between two lengths a piece turns at another rate than the body.
void turnTo(const Eigen::Vector4d& end, const Eigen::Vector3d& w_start, const Eigen::Vector3d& w_end,
            advance::MotionPiece& piece);

/// The state of the flight that a published one is beside: both turned by `beside` (BodyRuntime::beside).
dynamics::RigidBodyState turned(const dynamics::RigidBodyState& published, const Eigen::Vector4d& beside);

/// Where the flight is at t that the current piece of a body shows: in closed form, with the energy and the angular
/// momentum of its start to rounding. The curve turns right to third order only. @pre body.flies, t in its piece.
dynamics::RigidBodyState flightAt(const BodyRuntime& body, const Eigen::Vector3d& gravity, double t);

}  // namespace rigor::sim
