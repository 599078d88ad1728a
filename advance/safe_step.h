// SPDX-License-Identifier: MIT
#pragma once
#include "advance/bounds.h"

namespace rigor::advance {

enum class StepStatus : unsigned char {
  kAdvanced,        ///< The gap may be used up at `step` < horizon.
  kReachedHorizon,  ///< It lasts over the whole horizon; step = horizon.
  kTouching,        ///< No positive gap to begin with, or NaN; step = 0.
};

struct SafeStep {
  StepStatus status = StepStatus::kTouching;
  double step = 0;  ///< [s]
};

/// Steps over which a gap stays positive. Guarantee: with the bound's assumptions g(t) > 0 for 0 <= t < step, up to
/// rounding of the inputs: the step is a bound of the time of contact from below, not an estimate of it. For another
/// level than zero subtract it from the gap first. O(1), no allocation.

/// First order, g0 / speed: the gap closes geometrically, some 200 steps to an event.   [Drumwright16, Eq. (4), (7),
/// (8), (15)]
/// @param speed  Of approachSpeed(), pivotSpeed(), ... [m/s], the largest of all vertices' for Eq. (8) with its own gap
/// each.
[[nodiscard]] SafeStep firstOrderStep(double gap, double speed, double horizon);

}  // namespace rigor::advance
