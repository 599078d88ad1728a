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

/// The s for which the point p + s d of a line is nearest to the line q + t e; with d in place of e, the t.
/// @param apart  q - p.  @param cross  d x e, not zero.
inline double nearestOnLine(const Eigen::Vector3d& apart, const Eigen::Vector3d& e, const Eigen::Vector3d& cross) {
  return apart.cross(e).dot(cross) / cross.squaredNorm();
}

/// The s in [0, 1] for which the point p + s d of an edge is nearest to another edge, q + t e with t in [0, 1]: from
/// where the lines are nearest to the other edge and back, as the checker goes.
/// @param apart  q - p.  @param cross  d x e, not zero.
inline double nearestOnEdge(const Eigen::Vector3d& d, const Eigen::Vector3d& apart, const Eigen::Vector3d& e,
                            const Eigen::Vector3d& cross) {
  const double line = nearestOnLine(apart, e, cross), s = std::clamp(line, 0.0, 1.0),
               t = (s * d - apart).dot(e) / e.squaredNorm();
  if (s == line && t >= 0 && t <= 1) return s;
  return std::clamp((apart + std::clamp(t, 0.0, 1.0) * e).dot(d) / d.squaredNorm(), 0.0, 1.0);
}

/// The nearest points x of A and y of B, each of a point p or of a line p + s d; of parallel lines some.
struct NearestPoints {
  Eigen::Vector3d x, y;
  double distance;
  Eigen::Vector3d normal;  ///< From x to y, unit; zero where they are one point.
};
inline NearestPoints nearestPoints(const Eigen::Vector3d& a, const Eigen::Vector3d& a_edge, const Eigen::Vector3d& b,
                                   const Eigen::Vector3d& b_edge) {
  NearestPoints nearest{a, b, 0, Eigen::Vector3d::Zero()};
  const double aa = a_edge.squaredNorm(), bb = b_edge.squaredNorm();
  const Eigen::Vector3d cross = a_edge.cross(b_edge);
  if (cross.squaredNorm() > 0) {
    nearest.x += nearestOnLine(b - a, b_edge, cross) * a_edge;
    nearest.y += nearestOnLine(b - a, a_edge, cross) * b_edge;
  } else if (aa > 0) {
    nearest.x += (b - a).dot(a_edge) / aa * a_edge;
  } else if (bb > 0) {
    nearest.y += (a - b).dot(b_edge) / bb * b_edge;
  }
  const Eigen::Vector3d apart = nearest.y - nearest.x;
  nearest.distance = apart.norm();
  if (nearest.distance > 0) nearest.normal = apart / nearest.distance;
  return nearest;
}

/// Of lines p + s d and q + t e, where what acts on both acts: x, or where that is beyond the edges' ends, the point of
/// the first edge that is nearest to the other.
inline Eigen::Vector3d onEdge(const NearestPoints& nearest, const Eigen::Vector3d& a, const Eigen::Vector3d& a_edge,
                              const Eigen::Vector3d& b, const Eigen::Vector3d& b_edge) {
  const Eigen::Vector3d cross = a_edge.cross(b_edge);
  if (!(cross.squaredNorm() > 0)) return nearest.x;
  return a + nearestOnEdge(a_edge, b - a, b_edge, cross) * a_edge;
}

/// From a corner of a part, turned by R, to the point of its surface that is farthest along n (unit); zero but for the
/// core of a round solid [m].
inline Eigen::Vector3d reachOf(const geom::Round* round, int vertices, int corner, const Eigen::Matrix3d& R,
                               const Eigen::Vector3d& n) {
  if (!round || corner < vertices) return Eigen::Vector3d::Zero();
  return round->reach(n, R * round->axis);
}

/// Whether impulses on a feature of kind kNearest act at a point of B: where it has no line there.
inline bool actsOnB(const SeparatingAxis& f) { return f.b0 == f.b1; }

/// What a feature of kind kNearest is at an instant, if not of two lines: its axis is a vector of the body across from
/// that point.
inline AxisKind frozenKind(const SeparatingAxis& f) { return actsOnB(f) ? AxisKind::kFixedInA : AxisKind::kFixedInB; }

/// That axis where the normal is n.
inline SeparatingAxis frozenAt(const SeparatingAxis& f, const Eigen::Vector3d& n, const Eigen::Matrix3d& R_a,
                               const Eigen::Matrix3d& R_b) {
  SeparatingAxis axis = f;
  axis.kind = frozenKind(f);
  axis.axis = (actsOnB(f) ? R_a : R_b).transpose() * n;
  return axis;
}

/// docs/record-format.md, table `impulses`: kFixedInA: vertex b0 of B; kFixedInB: vertex a0 of A; kEdges: the point of
/// A's edge nearest to B's, its middle where they are parallel; kNearest: the point of B, or where B has a line that of
/// A, of two lines as kEdges. Of the core of a round solid: its surface there.
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
    case AxisKind::kNearest: {
      const Eigen::Vector3d a = vertex(0, f.a0), b = vertex(1, f.b0), d = vertex(0, f.a1) - a, e = vertex(1, f.b1) - b;
      const NearestPoints nearest = nearestPoints(a, d, b, e);
      const Eigen::Vector3d& n = nearest.normal;
      if (actsOnB(f)) return {nearest.y + reach(1, f.b0, -n), n};
      return {(f.isOfTwoLines() ? onEdge(nearest, a, d, b, e) : nearest.x) + reach(0, f.a0, n), n};
    }
    case AxisKind::kEdges: break;
  }
  const Eigen::Vector3d p = vertex(0, f.a0), d = vertex(0, f.a1) - p, q = vertex(1, f.b0), e = vertex(1, f.b1) - q;
  const Eigen::Vector3d cross = d.cross(e);
  if (!(cross.squaredNorm() > 0)) return {p + 0.5 * d, Eigen::Vector3d::Zero()};
  const Eigen::Vector3d n = cross.normalized();
  return {p + nearestOnEdge(d, q - p, e, cross) * d + reach(0, f.a0, n), n};
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
