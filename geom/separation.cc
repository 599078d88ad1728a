// SPDX-License-Identifier: MIT
#include "geom/separation.h"

#include <cmath>

#include "geom/gjk.h"
#include "geom/penetration.h"
#include "geom/relative_pose.h"
#include "geom/vclip.h"

namespace rigor::geom {

namespace {

using Eigen::Vector3d;

/// R c in wide precision, added to `sum`.
void addRotated(const Pose& X, const Vector3d& c, int sign, WideReal sum[3]) {
  const WideReal w = X.q[0], x = X.q[1], y = X.q[2], z = X.q[3], s = sign / (w * w + x * x + y * y + z * z);
  sum[0] += s * ((w * w + x * x - y * y - z * z) * c[0] + 2 * (x * y - w * z) * c[1] + 2 * (x * z + w * y) * c[2]);
  sum[1] += s * (2 * (x * y + w * z) * c[0] + (w * w - x * x + y * y - z * z) * c[1] + 2 * (y * z - w * x) * c[2]);
  sum[2] += s * (2 * (x * z - w * y) * c[0] + 2 * (y * z + w * x) * c[1] + (w * w - x * x - y * y + z * z) * c[2]);
}

/// Polytopes far from their local origins: the query of their centred copies, A's at the world origin.
Separation centredSeparation(const Polytope& A, const Pose& X_WA, const Polytope& B, const Pose& X_WB,
                             SeparationCache& cache) {
  const Vector3d zero = Vector3d::Zero(), ca = A.centred() ? A.centre() : zero, cb = B.centred() ? B.centre() : zero;
  WideReal offset[3];
  for (int k = 0; k < 3; ++k) offset[k] = WideReal(X_WB.p[k]) - X_WA.p[k];
  addRotated(X_WB, cb, 1, offset);
  addRotated(X_WA, ca, -1, offset);
  const Pose a{X_WA.q, zero}, b{X_WB.q, {double(offset[0]), double(offset[1]), double(offset[2])}};
  Separation result = separation(A.centred() ? *A.centred() : A, a, B.centred() ? *B.centred() : B, b, cache);
  const Vector3d origin = X_WA * ca;
  result.point_a += origin;
  result.point_b += origin;
  return result;
}

/// Where the walk did not settle: GJK, whose features may be what the walk should have started from.
Separation unsettledSeparation(const Polytope& A, const Pose& X_WA, const Polytope& B, const Pose& X_WB,
                               const RelativePose& X, WalkResult& walk) {
  const GjkResult found = gjk(A.vertices(), X_WA, B.vertices(), X_WB);
  if (found.status == GjkResult::Status::kUncertain) {
    SeparationCache start;
    start.feature_a = carrierFeature(A, found.vertex_a, found.count);
    start.feature_b = carrierFeature(B, found.vertex_b, found.count);
    start.warm = true;
    walk = walkFeatures(A, B, X, start);
    if (walk.status == WalkResult::Status::kSeparated) return {};
  }
  if (found.status == GjkResult::Status::kSeparated) return gjkSeparation(A, X_WA, B, X_WB, found);
  return gjkSeparation(A, X_WA, B, X_WB, gjkWide(A.vertices(), X_WA, B.vertices(), X_WB));
}

}  // namespace

Separation separation(const Polytope& A, const Pose& X_WA, const Polytope& B, const Pose& X_WB, SeparationCache& cache) {
  if (A.centred() || B.centred()) [[unlikely]] return centredSeparation(A, X_WA, B, X_WB, cache);
  const RelativePose X(X_WA, X_WB);
  WalkResult walk = walkFeatures(A, B, X, cache);
  Separation result;
  if (walk.status != WalkResult::Status::kSeparated) result = unsettledSeparation(A, X_WA, B, X_WB, X, walk);
  if (walk.status == WalkResult::Status::kSeparated) {
    const Vector3d n = X.RA * walk.normal;
    result = {walk.distance,
              X_WA.p + X.RA * walk.point_a,
              X_WA.p + X.RA * walk.point_b,
              n * (1.5 - 0.5 * n.squaredNorm()),  // A Newton step of the square root: unit to the last digit.
              walk.feature_a,
              walk.feature_b};
  }
  // Member by member: a copy of the whole struct would wait for the bytes just written.
  cache.feature_a.kind = result.feature_a.kind, cache.feature_a.index = result.feature_a.index;
  cache.feature_b.kind = result.feature_b.kind, cache.feature_b.index = result.feature_b.index;
  cache.warm = true;
  return result;
}

}  // namespace rigor::geom
