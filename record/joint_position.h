// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "record/reader.h"

namespace rigor::record {

/// A joint's scalar coordinate and its rate, [rad] or [m], [rad/s] or [m/s].
struct CoordinateState {
  double position, velocity;
};

/// The coordinates that `joints` records of one joint, from the motions of its two links, in the order of their names:
/// of kRevolute and kPrismatic one; kUniversal two; kPlanar three; none of others. Angles are known up to whole turns:
/// in (-pi, pi].
/// @param parent  State of the parent link's origin; at rest at the world's origin where the joint hangs in the world.
/// Links follow their joints to `solver.joint_fit`: so exact are these.
std::vector<CoordinateState> jointPosition(const verify::kernel::Joint& joint, const BodyState& parent,
                                           const BodyState& child);

}  // namespace rigor::record
