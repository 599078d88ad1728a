// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <string>

#include "dynamics/rigid_body.h"
#include "sim/scales.h"
#include "sim/world.h"

namespace rigor::sim {

/// Laws of motion are held to bounds that follow from the scales (sim/law_bounds.h). What doubles round grows with the
/// length of a rest and with speeds; beyond these limits it would be more than the bounds.

/// @throws SceneError where a run up to `until` [s] is longer than what holds a body at rest can be written down for.
void requireLength(double until, const Scene& scene, const Scales& scales);

/// Why the first of some bodies that is too fast at the end of a step is: one sentence. Empty: none is.
std::string firstTooFast(const Scene& scene, std::span<const int> bodies,
                         std::span<const dynamics::RigidBodyState> ends, const Scales& scales);

/// @throws SceneError where a moving body starts too fast.
void requireSpeeds(const Scene& scene, const Scales& scales);

}  // namespace rigor::sim
