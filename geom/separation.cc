// SPDX-License-Identifier: MIT
#include "geom/separation.h"

#include <cmath>

#include "geom/gjk.h"
#include "geom/penetration.h"
#include "geom/relative_pose.h"
#include "geom/vclip.h"

namespace rigor::geom {

Separation separation(const Polytope& A, const Pose& X_WA, const Polytope& B, const Pose& X_WB, SeparationCache& cache) {
  const RelativePose X(X_WA, X_WB);
  const WalkResult walk = walkFeatures(A, B, X, cache);
  Separation result;
  if (walk.status == WalkResult::Status::kSeparated) {
    result = {walk.distance,          X_WA.p + X.RA * walk.point_a, X_WA.p + X.RA * walk.point_b,
              X.RA * walk.normal,     walk.feature_a,               walk.feature_b};
  } else {
    result = gjkSeparation(A, X_WA, B, X_WB);
  }
  // Member by member: a copy of the whole struct would wait for the bytes just written.
  cache.feature_a.kind = result.feature_a.kind, cache.feature_a.index = result.feature_a.index;
  cache.feature_b.kind = result.feature_b.kind, cache.feature_b.index = result.feature_b.index;
  cache.warm = true;
  return result;
}

}  // namespace rigor::geom
