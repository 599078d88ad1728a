// SPDX-License-Identifier: MIT
#include "advance/safe_step.h"

#include <cmath>

#include "advance/bernstein.h"

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

SafeStep secondOrderStep(const VertexPlaneBound& bound, double level) {
  const double g = bound.g0 - level, v = bound.g1, K = bound.K2, H = bound.horizon;
  if (!(g > 0) || !(H > 0) || std::isnan(v) || std::isnan(K)) return {};
  const double discriminant = v * v + 2 * K * g;
  // K < 0 and a negative discriminant: the parabola opens upwards and stays above zero.
  if (discriminant < 0) return {StepStatus::kReachedHorizon, H};
  const double root = std::sqrt(discriminant);
  if (v <= 0) return limited(2 * g / (root - v) * kShorten, H);
  if (K <= 0) return {StepStatus::kReachedHorizon, H};
  return limited((v + root) / K * kShorten, H);
}

SafeStep thirdOrderStep(const VertexPlaneBound& bound, double level) {
  const SafeStep second = secondOrderStep(bound, level);
  if (second.status != StepStatus::kAdvanced) return second;
  const double g = bound.g0 - level, H = bound.horizon;
  const double c1 = bound.g1 * H, c2 = bound.g2 * H * H / 2, c3 = -bound.K3 * H * H * H / 6;
  BernsteinPolynomial f;
  f.degree = 3;
  f.c = {g, g + c1 / 3, g + (2 * c1 + c2) / 3, g + c1 + c2 + c3};
  const FirstRoot root = firstRoot(f, 0);  // Values below zero by rounding end the step: the safe side.
  if (root.status == FirstRoot::Status::kStartsBelow) return second;
  const SafeStep third = limited(root.status == FirstRoot::Status::kNone ? H : root.root * H * kShorten, H);
  return third.step > second.step ? third : second;
}

}  // namespace rigor::advance
