// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "geom/polytope.h"
#include "geom/pose.h"

namespace rigor::geom {

/// A feature of a polytope: the vertex, edge or face that carries a closest point.
struct Feature {
  enum class Kind : unsigned char { kVertex, kEdge, kFace };
  Kind kind = Kind::kVertex;
  int index = 0;
};

/// How two convex polytopes A and B are separated.
struct Separation {
  double distance;                   ///< [m]; 0 touching; negative: minus the penetration depth.
  Eigen::Vector3d point_a, point_b;  ///< Closest (overlap: deepest) points in the world [m].
  Eigen::Vector3d normal;            ///< Unit, from B to A, world.
  Feature feature_a, feature_b;      ///< Features that carry the points.
};

/// What the last query of a pair found; makes the next query of a pair that has moved little cost O(1).
/// A stale or default cache is always valid: it changes the cost, never the answer beyond rounding.
struct SeparationCache {
  Feature feature_a, feature_b;
  int support_a = 0, support_b = 0;  ///< Vertices from which the next climb starts.
  bool warm = false;                 ///< False: start from the direction of the centres.
};

/// Distance of two convex polytopes. Guarantee: error at most 1e-14 * (sizes + distance of the origins).
/// V-Clip walk from the cache; GJK where it does not settle; penetration depth where they overlap.
/// Never fails: a pose that is not finite, or q = 0, counts as touching (distance 0). No allocation unless they touch.
/// Thread-safe for distinct caches.
[[nodiscard]] Separation separation(const Polytope& A, const Pose& X_WA, const Polytope& B, const Pose& X_WB,
                                    SeparationCache& cache);

}  // namespace rigor::geom
