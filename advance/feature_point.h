// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>

#include "advance/witness.h"
#include "geom/polytope.h"

namespace rigor::advance {

/// Where impulses on a feature act, on both bodies, and along which normal; world.
struct FeaturePoint {
  Eigen::Vector3d point;   ///< [m]
  Eigen::Vector3d normal;  ///< Unit, from A to B; zero for parallel edges.
};

/// The s in [0, 1] for which the point p + s d of an edge is nearest to the line q + t e. @param apart  q - p.
/// @param cross  d x e, not zero.
inline double nearestOnEdge(const Eigen::Vector3d& apart, const Eigen::Vector3d& e, const Eigen::Vector3d& cross) {
  return std::clamp(apart.cross(e).dot(cross) / cross.squaredNorm(), 0.0, 1.0);
}

/// From a corner of a part, turned by R, to the point of its surface that is farthest along n (unit); zero but for the
/// core of a round solid [m].
inline Eigen::Vector3d reachOf(const geom::Round* round, int vertices, int corner, const Eigen::Matrix3d& R,
                               const Eigen::Vector3d& n) {
  if (!round || corner < vertices) return Eigen::Vector3d::Zero();
  return round->reach(n, R * round->axis);
}

/// docs/record-format.md, table `impulses`: kFixedInA: vertex b0 of B; kFixedInB: vertex a0 of A; kEdges: the point of
/// A's edge nearest to B's, its middle where they are parallel. Of the core of a round solid: its surface there.
/// @param R_a, R_b  Orientations of A and B.  @param vertex  vertex(side, index): world, of A (side 0) and B (1) [m].
/// @param reach  reach(side, index, n): reachOf() the corner.
template <typename Vertex, typename Reach>
FeaturePoint placeFeature(const SeparatingAxis& f, const Eigen::Matrix3d& R_a, const Eigen::Matrix3d& R_b,
                          Vertex&& vertex, Reach&& reach) {
  switch (f.kind) {
    case AxisKind::kFixedInA: {
      const Eigen::Vector3d n = (R_a * f.axis).normalized();
      return {vertex(1, f.b0) + reach(1, f.b0, -n), n};
    }
    case AxisKind::kFixedInB: {
      const Eigen::Vector3d n = (R_b * f.axis).normalized();
      return {vertex(0, f.a0) + reach(0, f.a0, n), n};
    }
    case AxisKind::kEdges: break;
  }
  const Eigen::Vector3d p = vertex(0, f.a0), d = vertex(0, f.a1) - p, q = vertex(1, f.b0), e = vertex(1, f.b1) - q;
  const Eigen::Vector3d cross = d.cross(e);
  if (!(cross.squaredNorm() > 0)) return {p + 0.5 * d, Eigen::Vector3d::Zero()};
  const Eigen::Vector3d n = cross.normalized();
  return {p + nearestOnEdge(q - p, e, cross) * d + reach(0, f.a0, n), n};
}

/// What a feature did at several instants as one: the sum of its impulses at the mean of their points, by their sizes.
/// @param impulses  Of them `time` and `P` count.  @param place  place(time): the FeaturePoint there.  @returns false
/// where they are all zero.
template <typename Impulses, typename Place>
bool meanFeature(const Impulses& impulses, Place&& place, Eigen::Vector3d& P, FeaturePoint& mean) {
  P.setZero();
  mean = {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  double size = 0;
  for (const auto& impulse : impulses) {
    const double weight = impulse.P.norm();
    if (!(weight > 0)) continue;
    const FeaturePoint at = place(impulse.time);
    P += impulse.P, size += weight;
    mean.point += weight * at.point, mean.normal += weight * at.normal;
  }
  if (!(size > 0)) return false;
  mean.point /= size;
  mean.normal.normalize();
  return true;
}

}  // namespace rigor::advance
