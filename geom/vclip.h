// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "geom/relative_pose.h"
#include "geom/separation.h"

namespace rigor::geom {

/// What the feature walk of two disjoint polytopes ends with; vectors in the frame of A.
struct WalkResult {
  enum class Status : unsigned char {
    kSeparated,  ///< Optimal: the points lie in the features, and the normal supports both polytopes there.
    kUnsettled,  ///< They overlap, or rounding decides (touching, nearly parallel, NaN): ask GJK.
  };
  Status status;
  double distance;                   ///< [m]
  Eigen::Vector3d point_a, point_b;  ///< [m]
  Eigen::Vector3d normal;            ///< Unit, from B to A.
  Feature feature_a, feature_b;
  int moves = 0;  ///< Feature pairs looked at.
};

/// V-Clip [Mirtich98]: walks from feature pair to neighbouring feature pair by Voronoi tests.
///
/// Guarantee: kSeparated implies that `distance` is right up to rounding, 1e-14 * (sizes + |t|). The moves differ from
/// the paper's: each goes to the closest points of the pair of CLOSED features that the violated Voronoi plane names,
/// and must lower the distance, so that the walk cannot cycle, degenerate input or not.
/// Starts from `cache` if it is warm and names features of these polytopes; else from the supports towards each other.
/// O(1) for small motion. No allocation.
WalkResult walkFeatures(const Polytope& A, const Polytope& B, const RelativePose& X_AB, const SeparationCache& cache);

/// Vertex of P farthest along `direction` (P's frame), by climbing from `start`. O(sqrt n) from afar.
int climb(const Polytope& P, const Eigen::Vector3d& direction, int start);

}  // namespace rigor::geom
