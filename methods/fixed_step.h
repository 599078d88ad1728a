// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cmath>

#include "methods/world.h"

namespace rigor::methods {

/// The next step of a method with fixed steps. Controllers are a part of the scene, with rates of their own: a step
/// ends at their next sample at the latest, and what is left up to it is cut into equal steps. Forces that are held for
/// longer than the gains bear drive legs to infinity.
class FixedStep {
 public:
  static constexpr double kLastShare = 1e-9;  ///< Of a step: what is left by rounding is no step of its own.

  /// Takes the samples that are due. @param until  [s], end of the run.
  FixedStep(World& world, double step, double until) {
    const double sample = world.control(world.time);  // Infinity: nobody samples.
    end_ = std::min(sample, until), left_ = end_ - world.time;
    const double steps = left_ / step - kLastShare;
    length_ = steps <= 1 ? left_ : std::isfinite(sample) ? left_ / std::ceil(steps) : step;
  }
  double length() const { return length_; }  ///< [s]
  /// When a step of this length, or a shorter one, ends.
  double timeAfter(double now, double h) const { return h == left_ ? end_ : now + h; }

 private:
  double end_, left_, length_;
};

}  // namespace rigor::methods
