// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <limits>

namespace rigor::sim {

/// Box of a body [m].
struct BodyBox {
  Eigen::Vector3d lower, upper;

  static BodyBox empty() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {Eigen::Vector3d::Constant(kInfinity), Eigen::Vector3d::Constant(-kInfinity)};
  }
  /// Whether two boxes are at most `margin` apart along every axis. NaN counts as near.
  bool isNear(const BodyBox& o, double margin) const {
    return !((lower - o.upper).maxCoeff() > margin) && !((o.lower - upper).maxCoeff() > margin);
  }
  bool isOrdered() const { return !lower.hasNaN() && !upper.hasNaN(); }
  /// Grows to hold the other one; NaN stays.
  void include(const BodyBox& o) {
    const bool ordered = isOrdered() && o.isOrdered();
    lower = lower.cwiseMin(o.lower), upper = upper.cwiseMax(o.upper);
    if (!ordered) lower.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
};

}  // namespace rigor::sim
