// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "dynamics/articulated_state.h"

namespace rigor::dynamics {

/// One end of the range of one coordinate, a unilateral constraint like a contact: gap = sign (q - bound) >= 0, whose
/// Jacobian row is `sign` in column `dof` and zero elsewhere; an event where it reaches zero.
struct JointLimit {
  int dof = 0, position = 0;  ///< Velocity and coordinate.
  double sign = 1;            ///< +1 for the lower end, -1 for the upper one.
  double bound = 0;           ///< [rad] or [m]

  double gap(const Eigen::VectorXd& q) const { return sign * (q[position] - bound); }
  double rate(const Eigen::VectorXd& v) const { return sign * v[dof]; }
};

/// All finite limits of a model, by velocity, the lower end before the upper. Allocates: once a model.
std::vector<JointLimit> jointLimits(const ArticulatedModel& model);

/// What actuators can make of the forces `tau` that are asked of them, in place: at most `effort` each; none that
/// drives a joint faster that moves at `speed` or more already. A force that is not finite becomes zero. Coordinates of
/// floating joints have no actuator: zero. O(nv), no allocation.
void limitEffort(const ArticulatedModel& model, const Eigen::VectorXd& v, Eigen::VectorXd& tau);

}  // namespace rigor::dynamics
