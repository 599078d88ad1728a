// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "geom/pose.h"
#include "geom/separation.h"

namespace rigor::geom {

/// The convex hull of ANY finite, non-empty set of points: flat, straight, a single point, duplicates. Without a face
/// lattice; for bodies use Polytope.
class PointSet {
 public:
  /// @throws GeometryError if there is no point, or a coordinate is not finite or beyond 1e100 m.
  explicit PointSet(std::span<const Eigen::Vector3d> points);

  const Eigen::Matrix3Xd& points() const { return points_; }  ///< As given.
  double size() const { return size_; }                       ///< Diagonal of the bounding box [m].

  /// The points that span the hull: enough of them, up to 1e-15 of the size. Expensive (a hull).
  std::vector<Eigen::Vector3d> extremes() const;

 private:
  Eigen::Matrix3Xd points_;
  double size_ = 0;
};

/// Separation of two point sets, like that of two polytopes: error at most 1e-14 * (sizes + distance of the origins),
/// 0 (up to rounding) where they touch, minus the penetration depth where they overlap; sets that together span only a
/// plane have depth 0. Features: kVertex, kEdge, kFace for a point spanned by 1, 2, 3 or more points; the index is
/// that of the first of these points in the input. By GJK in wide precision: O(points), about 50 us; overlap costs the
/// hull of the Minkowski difference. A pose that is not finite, or q = 0, gives distance 0 (touching).
[[nodiscard]] Separation separation(const PointSet& A, const Pose& X_WA, const PointSet& B, const Pose& X_WB);

}  // namespace rigor::geom
