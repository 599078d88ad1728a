// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <cmath>
#include <limits>

namespace rigor::sim {

/// Box of a body [m].
struct BodyBox {
  Eigen::Vector3d lower, upper;

  /// Near nothing.
  static BodyBox empty() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {Eigen::Vector3d::Constant(kInfinity), Eigen::Vector3d::Constant(-kInfinity)};
  }
  /// Whether two boxes are at most `margin` apart along every axis. NaN counts as near.
  bool isNear(const BodyBox& o, double margin) const {
    return !((lower - o.upper).maxCoeff() > margin) && !((o.lower - upper).maxCoeff() > margin);
  }
  /// A box with NaN makes it one that is near everything.
  void include(const BodyBox& o) {
    for (int i = 0; i < 3; ++i) {
      if (!(lower[i] <= o.lower[i] || std::isnan(lower[i]))) lower[i] = o.lower[i];
      if (!(upper[i] >= o.upper[i] || std::isnan(upper[i]))) upper[i] = o.upper[i];
    }
  }
};

}  // namespace rigor::sim
