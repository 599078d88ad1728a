// SPDX-License-Identifier: MIT
#include "methods/libccd_distance.h"

#include <ccd/ccd.h>

namespace rigor::methods {

namespace {

constexpr int kIterations = 1000;  // Of one question.
constexpr int kHalvings = 60;      // Of the interval that holds the distance,
constexpr double kShare = 1e-3;    // until it is known to this share: the step that follows is that much shorter.
constexpr double kLeast = 1e-15;   // Of the radii: smaller distances are none.

/// A polytope with all points within `margin` of it.
struct Thickened {
  const geom::Polytope* polytope;
  Eigen::Matrix3d R;
  Eigen::Vector3d p;
  double margin;
};

void support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* out) {
  const auto& o = *static_cast<const Thickened*>(object);
  const Eigen::Vector3d along(direction->v[0], direction->v[1], direction->v[2]), d = o.R.transpose() * along;
  int best = 0;
  (d.transpose() * o.polytope->vertices()).maxCoeff(&best);
  const double length = along.norm();
  Eigen::Vector3d x = o.R * o.polytope->vertex(best) + o.p;
  if (length > 0) x += o.margin / length * along;
  ccdVec3Set(out, x[0], x[1], x[2]);
}

}  // namespace

double libccdDistance(const geom::Polytope& A, const geom::Pose& X_A, const geom::Polytope& B, const geom::Pose& X_B) {
  Thickened a{&A, X_A.rotation(), X_A.p, 0}, b{&B, X_B.rotation(), X_B.p, 0};
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.support1 = ccd.support2 = support;
  ccd.max_iterations = kIterations;
  const auto apart = [&](double distance) {
    a.margin = b.margin = distance / 2;
    return ccdGJKIntersect(&a, &b, &ccd) == 0;
  };
  double high = (a.p - b.p).norm() + A.radius() + B.radius(), low = 0;
  const double least = kLeast * high;
  for (int k = 0; k < kHalvings && high - low > kShare * low && high > least; ++k) {
    const double middle = 0.5 * (low + high);
    (apart(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace rigor::methods
