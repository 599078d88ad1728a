// SPDX-License-Identifier: MIT
#pragma once
#include <cmath>

#include "sim/scales.h"

namespace rigor::sim {

/// Gaps at which something comes into contact: fixed values, so that a point cannot ratchet down from step to step.
struct Levels {
  double gap, floor;  ///< Of Scales [m].
  bool lenient;       ///< Of a motion that was ended at an event already; one level for all that is far enough below.

  static constexpr double kHeld = 0.6;  ///< Along an axis, of a vertex that is held there already; of the nominal gap.
  static constexpr double kOnLevel = 1e-3;  ///< Of a level: points that a step's end put on it are no farther above.

  /// Of a point whose gap is `start` at the start of the step [m].
  double of(double start) const {
    constexpr double kShares[] = {1, 0.75, kHeld};  // Safety levels, of the nominal gap.
    constexpr double kLenientShare = 0.65;
    if (lenient) return kLenientShare * gap;
    for (const double share : kShares)
      if (start > (1 + kOnLevel) * share * gap) return share * gap;
    return floor;
  }
  /// Of a held vertex: one that starts on its level would come down to it at once, step by step for ever.
  double ofHeld(double start) const { return start > (1 + kOnLevel) * kHeld * gap ? kHeld * gap : floor; }
  double highest() const { return of(HUGE_VAL); }
};

}  // namespace rigor::sim
