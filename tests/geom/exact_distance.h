// SPDX-License-Identifier: MIT
#pragma once
#include <gmpxx.h>

#include <Eigen/Core>
#include <array>
#include <span>

#include "geom/pose.h"

/// The distance of two convex hulls in exact rational arithmetic: the oracle of every distance test.
///
/// It shares no code and no method with geom/: no hull, no face lattice, no floating-point decision. The doubles are
/// taken as exact rationals, the poses as p + M(q)/(q.q) v with q un-normalised.
namespace rigor::geom::oracle {

using ExactVector = std::array<mpq_class, 3>;

/// Bits of the final square root; its error is far below one double rounding.
inline constexpr unsigned kRootBits = 512;

/// Exact answer for hulls A and B, in the world.
struct ExactSeparation {
  bool disjoint = false;          ///< The hulls share no point.
  mpq_class distance_sq;          ///< |point_a - point_b|^2 [m^2]; 0 unless disjoint.
  ExactVector point_a, point_b;   ///< Closest points, or one common point [m].
  ExactVector direction;          ///< point_a - point_b up to a positive factor; zero unless disjoint.
  /// Square root of distance_sq [m].
  mpf_class distance() const;
};

/// Exact minimum-norm point of the Minkowski difference, by descent over simplices of at most 4 vertices.
///
/// Guarantee: ends only when n.a >= n.point_a for EVERY vertex a of A and n.b <= n.point_b for EVERY vertex b of B held
/// exactly, n = point_a - point_b, which is sufficient for the minimum of the convex problem. The simplex minimum is
/// found by trying all 15 sub-simplices, so every step strictly decreases |n| and the descent is finite.
/// Any input is allowed: duplicates, flat, straight and single-point sets. @pre neither set is empty, all values are
/// finite, q != 0. Cost: about 0.1 ms for 8 vertices, some ms for 1000.
ExactSeparation exactSeparation(std::span<const Eigen::Vector3d> a, const Pose& X_WA,
                                std::span<const Eigen::Vector3d> b, const Pose& X_WB);

/// Penetration depth [m]: the length of the shortest translation after which the interiors are disjoint; 0 for hulls
/// that touch or whose Minkowski difference is flat. @pre the hulls share a point.
///
///   depth = min over n of (max_a n.a - min_b n.b) / |n|
///
/// over the normals of all vertex triples of A, of B, and of all pairs of vertex pairs: a superset of the facet normals
/// of the Minkowski difference, none of which can give less than the depth. A direction is skipped only where its
/// floating-point value exceeds an exact upper bound by 1e-6 of the size, 1e3 times its error. O(n^4): for small sets.
mpf_class exactDepth(std::span<const Eigen::Vector3d> a, const Pose& X_WA, std::span<const Eigen::Vector3d> b,
                     const Pose& X_WB);

/// Exact world position of a local point.
ExactVector exactPoint(const Eigen::Vector3d& local, const Pose& X_WB);

/// Exact gap [m] between the support planes of A and B along the direction n = from B to A, given in doubles and taken
/// exactly (normalised in 512 bits). Negative where n does not separate them.
mpf_class exactSupportGap(std::span<const Eigen::Vector3d> a, const Pose& X_WA, std::span<const Eigen::Vector3d> b,
                          const Pose& X_WB, const Eigen::Vector3d& n);

}  // namespace rigor::geom::oracle
