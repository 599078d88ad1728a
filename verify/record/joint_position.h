// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "verify/kernel/run.h"

namespace rigor::verify::recorded {

/// A link at one instant: position and velocity of its ORIGIN, world.
struct LinkState {
  Eigen::Vector3d position{0, 0, 0}, velocity{0, 0, 0}, angular_velocity{0, 0, 0};
  Eigen::Vector4d orientation{1, 0, 0, 0};  ///< [w, x, y, z], of any length.
};

/// A joint's scalar coordinate and its rate, [rad] or [m], [rad/s] or [m/s].
struct CoordinateState {
  double position, velocity;
};

/// The coordinates that `joints` records of one joint, from the motions of its two links, in the order of their names:
/// of kRevolute and kPrismatic one; kUniversal two; kPlanar three; none of others. Angles are known up to whole turns:
/// in (-pi, pi].
/// @param parent  State of the parent link's origin; at rest at the world's origin where the joint hangs in the world.
/// Links follow their joints to `solver.joint_fit`: so exact are these.
std::vector<CoordinateState> jointPosition(const kernel::Joint& joint, const LinkState& parent, const LinkState& child);

}  // namespace rigor::verify::recorded
