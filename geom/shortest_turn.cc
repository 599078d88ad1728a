// SPDX-License-Identifier: MIT
#include "geom/shortest_turn.h"

#include <Eigen/Geometry>
#include <cmath>

#include "elementary/require.h"

namespace rigor::geom {
namespace {

using Eigen::Vector3d;

/// A cosine this close to -1 has lost digits of the angle; the sum of the directions has all of them [-].
constexpr double kOpposite = 1e-2;
/// Below this the cross product of unit vectors is rounding [-].
constexpr double kNoPlane = 1e-15;

}  // namespace

Eigen::Vector4d shortestTurn(const Vector3d& a, const Vector3d& b) {
  RIGOR_REQUIRE(!a.isZero(0) && !b.isZero(0));
  const Vector3d from = a.normalized(), to = b.normalized();
  const double cosine = to.dot(from);
  Vector3d axis = from.cross(to);
  Eigen::Vector4d q;
  if (!(cosine < -1 + kOpposite)) {
    const double size = std::sqrt((1 + cosine) * 2);
    q << size * 0.5, axis * (1 / size);
    return q;
  }
  // Across `from` to all digits, whatever the rounding of a small product is.
  axis -= axis.dot(from) * from;
  if (!(axis.norm() > kNoPlane)) axis = from.cross(std::abs(from[1]) < 0.9 ? Vector3d::UnitY() : Vector3d::UnitX());
  const double w = (from + to).norm() / 2;
  q << w, axis.normalized() * std::sqrt(1 - w * w);
  return q;
}

}  // namespace rigor::geom
