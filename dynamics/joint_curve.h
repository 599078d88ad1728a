// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "dynamics/articulated_state.h"

namespace rigor::dynamics {

/// A state and v' there.
struct AcceleratedState {
  const ArticulatedState& state;
  const Eigen::VectorXd& dv;
};

/// The joints' motion between two states a time h apart: every coordinate is the quintic with the positions, rates and
/// second derivatives of both ends, quaternions normalised after it. Errors of a smooth motion: h^6 in q, h^5 in v, h^4
/// in v'.
///
/// Writes state and v' at the share u in [0, 1] of h; they are derivatives of one curve, whose ends are `start` and
/// `end`. `state` and `dv` have their sizes and are none of the ends. No allocation. O(nv)
void interpolateJoints(const ArticulatedModel& model, const AcceleratedState& start, const AcceleratedState& end,
                       double h, double u, ArticulatedState& state, Eigen::VectorXd& dv);

}  // namespace rigor::dynamics
