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

/// Member by member: a copy of the whole struct would wait for the bytes just written.
void remember(const Feature& a, const Feature& b, SeparationCache& cache) {
  cache.feature_a.kind = a.kind, cache.feature_a.index = a.index;
  cache.feature_b.kind = b.kind, cache.feature_b.index = b.index;
  cache.warm = true;
}

/// Where the walk did not settle: GJK, whose features may be what the walk should have started from.
Separation unsettledSeparation(const Polytope& A, const Pose& X_WA, const Polytope& B, const Pose& X_WB,
                               const RelativePose& X, WalkResult& walk) {
  const GjkResult found = gjk(A, X_WA, B, X_WB);
  if (found.status == GjkResult::Status::kUncertain) {
    SeparationCache start;
    start.feature_a = carrierFeature(A, found.vertex_a, found.count);
    start.feature_b = carrierFeature(B, found.vertex_b, found.count);
    start.warm = true;
    walk = walkFeatures(A, B, X, start);
    if (walk.status == WalkResult::Status::kSeparated) return {};
  }
  // Touching in double: a distance of at most 4e-15 of the sizes, or an overlap. The largest gap of any axis is it, up
  // to that.
  if (found.status != GjkResult::Status::kUncertain) return gjkSeparation(A, X_WA, B, X_WB, found);
  return gjkSeparation(A, X_WA, B, X_WB, gjkWide(A, X_WA, B, X_WB));
}

/// Of round solids: the distance of their cores, less their radii. A cylinder counts as round in all directions.
Separation roundSeparation(const Polytope& A, const Pose& X_WA, const Polytope& B, const Pose& X_WB) {
  GjkResult found = gjk(A, X_WA, B, X_WB);
  if (found.status == GjkResult::Status::kUncertain) found = gjkWide(A, X_WA, B, X_WB);
  const double a = A.round() ? A.round()->radius : 0, b = B.round() ? B.round()->radius : 0;
  Separation result{-a - b, X_WA * A.centre(), X_WB * B.centre(), Vector3d(0, 0, 1), {}, {}};
  if (found.status == GjkResult::Status::kTouching) {  // One core is in the other: as deep as that, at least.
    const Vector3d apart = result.point_a - result.point_b;
    if (apart.norm() > 0) result.normal = apart.normalized();
    return result;
  }
  result.distance += found.distance;
  result.normal = found.normal;
  result.point_a = found.point_a - a * found.normal;
  result.point_b = found.point_b + b * found.normal;
  if (!A.round()) result.feature_a = carrierFeature(A, found.vertex_a, found.count);
  if (!B.round()) result.feature_b = carrierFeature(B, found.vertex_b, found.count);
  return result;
}

}  // namespace

Separation separation(const Polytope& A, const Pose& X_WA, const Polytope& B, const Pose& X_WB,
                      SeparationCache& cache) {
  if (A.round() || B.round()) [[unlikely]]
    return roundSeparation(A, X_WA, B, X_WB);
  if (A.centred() || B.centred()) [[unlikely]] return centredSeparation(A, X_WA, B, X_WB, cache);
  const RelativePose X(X_WA, X_WB);
  WalkResult walk = walkFeatures(A, B, X, cache);
  if (walk.status != WalkResult::Status::kSeparated) [[unlikely]] {
    const Separation result = unsettledSeparation(A, X_WA, B, X_WB, X, walk);
    if (walk.status != WalkResult::Status::kSeparated) {
      remember(result.feature_a, result.feature_b, cache);
      return result;
    }
  }
  remember(walk.feature_a, walk.feature_b, cache);
  Separation result;
  result.distance = walk.distance;
  for (int k = 0; k < 3; ++k) {
    const double x = X.RA(k, 0), y = X.RA(k, 1), z = X.RA(k, 2), p = X_WA.p[k];
    result.point_a[k] = p + (x * walk.point_a[0] + y * walk.point_a[1] + z * walk.point_a[2]);
    result.point_b[k] = p + (x * walk.point_b[0] + y * walk.point_b[1] + z * walk.point_b[2]);
    result.normal[k] = x * walk.normal[0] + y * walk.normal[1] + z * walk.normal[2];
  }
  // A Newton step of the inverse square root: unit to the last digit, whatever the rotation's rounding.
  const double nn =
      result.normal[0] * result.normal[0] + result.normal[1] * result.normal[1] + result.normal[2] * result.normal[2];
  for (int k = 0; k < 3; ++k) result.normal[k] *= 1.5 - 0.5 * nn;
  result.feature_a = walk.feature_a;
  result.feature_b = walk.feature_b;
  return result;
}

}  // namespace rigor::geom
