// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

namespace rigor::geom {

/// A round solid: all that lies within `radius` of its core, which is a point (a ball) or a segment (a capsule). With
/// an axis, within `radius` of a core point in the plane across the axis: a cylinder about the segment.
struct Round {
  Eigen::Matrix3Xd core;                 ///< One or two points [m].
  double radius = 0;                     ///< [m], > 0
  Eigen::Vector3d axis{0, 0, 0};         ///< Unit, along the core; zero: round in all directions.

  bool isCylinder() const { return !axis.isZero(0); }
  /// From a core point to the surface point that is farthest along n (unit), the vectors in one frame. Zero where a
  /// cylinder's cap faces n: all of it is as far.
  Eigen::Vector3d reach(const Eigen::Vector3d& n, const Eigen::Vector3d& turned_axis) const;
};

inline Eigen::Vector3d Round::reach(const Eigen::Vector3d& n, const Eigen::Vector3d& turned_axis) const {
  if (!isCylinder()) return radius * n;
  const Eigen::Vector3d across = n - n.dot(turned_axis) * turned_axis;
  const double length = across.norm();
  return length > 0 ? Eigen::Vector3d(radius / length * across) : Eigen::Vector3d(0, 0, 0);
}

}  // namespace rigor::geom
