// SPDX-License-Identifier: MIT
// Proves: the distance by balls is never above the distance of two parts, and the face of parts far from each other
// keeps them apart at the poses it was asked for. Oracles: the smallest difference of their vertices along the axis,
// geom::separation().
#include "advance/far_parts.h"

#include <gtest/gtest.h>

#include <random>
#include <variant>

#include "geom/separation.h"

namespace rigor::advance {
namespace {

using Eigen::Vector3d;
using geom::Polytope;

/// Extent of a part along a direction, the least or the largest.
double extent(const geom::Shape& shape, const geom::Pose& X, const Vector3d& along, double sign) {
  const auto& part = std::get<Polytope>(shape);
  double best = -HUGE_VAL;
  for (int v = 0; v < part.numVertices(); ++v)
    best = std::max(best, sign * along.dot(X.rotation() * part.vertex(v) + X.p));
  return sign * best;
}

TEST(FarParts, BallsAreNearerAndFacesKeepThemApart) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const auto vector = [&] { return Vector3d(normal(random), normal(random), normal(random)); };
  int apart = 0, faces = 0;
  for (int k = 0; k < 2000; ++k) {
    const geom::Shape A = Polytope::box(Vector3d(0.1, 0.1, 0.1) + vector().cwiseAbs()),
                      B = Polytope::box(Vector3d(0.1, 0.1, 0.1) + vector().cwiseAbs());
    const auto pose = [&](double reach) {
      const Eigen::Vector4d q(normal(random), normal(random), normal(random), normal(random));
      return geom::Pose{q.normalized(), reach * vector()};
    };
    const geom::Pose X_A = pose(1), X_B = pose(4);
    geom::SeparationCache cache;
    const double distance = geom::separation(std::get<Polytope>(A), X_A, std::get<Polytope>(B), X_B, cache).distance;
    const double balls = ballsApart(A, X_A, B, X_B);
    EXPECT_LE(balls, distance + 1e-12);
    apart += balls > 0;
    SeparatingAxis axis;
    if (!farFace(A, X_A, B, X_B, axis)) continue;
    ++faces;
    const Vector3d n = (axis.kind == AxisKind::kFixedInA ? X_A : X_B).rotation() * axis.axis;
    EXPECT_GT(extent(B, X_B, n, -1), extent(A, X_A, n, 1)) << "from A to B";
  }
  EXPECT_GT(apart, 500);
  EXPECT_GT(faces, 1000);
}

}  // namespace
}  // namespace rigor::advance
