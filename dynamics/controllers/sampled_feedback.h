// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "dynamics/articulated_state.h"

namespace rigor::dynamics {

/// What samples of feedback take from the motion that they stop fastest.
struct StiffestMode {
  double share = 0;       ///< Of its velocity, in a sample: beyond 2 the velocity grows.
  std::vector<int> dofs;  ///< Velocities that take part in it by at least half of what the first of them does.
};

/// The largest eigenvalue of M^-1 G at `start`, G = max(kd period, kp period^2) by velocity, and kd period of joints
/// that turn about a point: forces -kd v are held from sample to sample, so that v becomes (1 - M^-1 G) v. Joints that
/// follow others, and floating bases, have no feedback. From below, by power iteration. O(nodes), about a hundred
/// factorizations' time.
StiffestMode findStiffestMode(const ArticulatedModel& model, const ArticulatedState& start, const Eigen::VectorXd& kp,
                              const Eigen::VectorXd& kd, double period);

/// Samples a second that gains ask for: the fewest of 400, 500, 800, 1000, 1250, 1600, 2000, 2500, 5000 and 10,000 at
/// which the stiffest mode loses at most 1.5 of its velocity; 10,000 where it never does.
double calmRate(const ArticulatedModel& model, const ArticulatedState& start, const Eigen::VectorXd& kp,
                const Eigen::VectorXd& kd);

}  // namespace rigor::dynamics
