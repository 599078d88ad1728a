// SPDX-License-Identifier: MIT
#include "advance/safe_step.h"

namespace rigor::advance {
namespace {

/// Rounding of the few operations that lead from a bound to its root. It shortens steps: the safe side.
constexpr double kShorten = 1 - 0x1p-44;

SafeStep limited(double step, double horizon) {
  if (!(step > 0)) return {};  // NaN -> touching
  if (step >= horizon) return {StepStatus::kReachedHorizon, horizon};
  return {StepStatus::kAdvanced, step};
}

}  // namespace

SafeStep firstOrderStep(double gap, double speed, double horizon) {
  if (!(gap > 0) || !(speed >= 0) || !(horizon > 0)) return {};
  return limited(speed == 0 ? horizon : gap / speed * kShorten, horizon);
}

}  // namespace rigor::advance
