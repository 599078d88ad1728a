// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

namespace rigor::geom {

/// Sign of det[b - a, c - a, d - a]: +1 where d lies above the plane of a, b, c seen counter-clockwise, 0 where the
/// four points are exactly coplanar. Guarantee: the sign for the doubles as given, without any rounding: a
/// floating-point filter decides nearly always (20 ns), integers (GMP) where it does not (microseconds).
/// @pre finite coordinates.
int orient3d(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c, const Eigen::Vector3d& d);

}  // namespace rigor::geom
