// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <functional>
#include <span>
#include <utility>

#include "sim/runtime.h"
#include "sim/step/step_impulses.h"

namespace rigor::sim {

/// A piece of every link of a robot, or (t0 = t1) a jump of their velocities.
struct JointInterval {
  double t0, t1;
  const Eigen::VectorXd& effort;  ///< Of the actuators; empty: none.
  const Eigen::VectorXd& coordinates;  ///< Of the joints, at an end: which of its turns an angle is in.
  Eigen::Vector3d gravity;
  std::span<const BodyRuntime> bodies;
  std::span<const PartRuntime> parts;
  /// Velocities of a body at the two ends.
  std::function<std::pair<dynamics::Vector6d, dynamics::Vector6d>(int body)> velocities;
  double length() const { return t1 - t0; }
  double middle() const { return t1 > t0 ? t0 + 0.5 * (t1 - t0) : t0; }
};

/// What a link felt that nothing explains yet.
struct LinkBalance {
  BodyImpulse sum;    ///< About `p`.
  Eigen::Vector3d p;  ///< Its centre at the start [m].
  bool moves;
};

/// A joint of a tree, and the link on the side that hangs on it.
struct HangingLink {
  int joint, beyond;
};

}  // namespace rigor::sim
