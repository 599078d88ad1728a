// SPDX-License-Identifier: MIT
#pragma once
#include <span>

#include "sim/runtime.h"
#include "sim/sink.h"

namespace rigor::sim {

/// The velocity of a free body's centre at the end of a piece that was cut, by the law of momentum: from its start's,
/// gravity, and what acted on the body's contacts up to there (docs/equations.md). The curve's own derivative follows
/// the forces to third order only, and control points may have been raised.
/// @pre the body's piece is the cut one, and `acted` ends with it.
Eigen::Vector3d velocityOfCut(int body, const ImpulseRecord& acted, std::span<const BodyRuntime> bodies,
                              const Eigen::Vector3d& gravity);

}  // namespace rigor::sim
