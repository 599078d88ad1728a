// SPDX-License-Identifier: MIT
#include "geom/second_opinion.h"

#include <ccd/ccd.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "elementary/require.h"

namespace rigor::geom {
namespace {

using Eigen::Vector3d;

// In lengths of the two sets' common size. Bisection ends at kStep. Ten times that is what portal refinement resolves
// (1.3e-7 in 2,300 random pairs); expanding polytopes end early now and then (1.5e-4 in 700 pairs).
constexpr double kStep = 1e-7, kApartOff = 1e-6, kOverlapOff = 1e-3;
constexpr unsigned long kMostIterations = 1000;

/// A set of points about a common origin, in units of the common size, rounded off by a ball.
struct Rounded {
  std::vector<Vector3d> points;
  Vector3d centre = Vector3d::Zero();
  double radius = 0;
};

void supportOf(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* point) {
  const auto& set = *static_cast<const Rounded*>(object);
  const Vector3d d(direction->v[0], direction->v[1], direction->v[2]);
  const auto farthest = std::max_element(set.points.begin(), set.points.end(),
                                         [&](const Vector3d& x, const Vector3d& y) { return d.dot(x) < d.dot(y); });
  const double length = d.norm();
  const Vector3d p = length > 0 ? Vector3d(*farthest + set.radius / length * d) : *farthest;
  ccdVec3Set(point, p[0], p[1], p[2]);
}

void centreOf(const void* object, ccd_vec3_t* centre) {
  const Vector3d& c = static_cast<const Rounded*>(object)->centre;
  ccdVec3Set(centre, c[0], c[1], c[2]);
}

ccd_t makeSolver() {
  ccd_t solver;
  CCD_INIT(&solver);
  solver.support1 = solver.support2 = supportOf;
  solver.center1 = solver.center2 = centreOf;
  solver.max_iterations = kMostIterations;
  solver.epa_tolerance = solver.mpr_tolerance = solver.dist_tolerance = kStep;
  return solver;
}

/// The points in the world, less `origin`.
Rounded placed(const PlacedPoints& set, const Vector3d& origin) {
  Rounded result;
  for (const Vector3d& vertex : set.vertices) result.points.push_back(set.pose * vertex - origin);
  return result;
}

/// By expanding polytopes. They end wrongly now and then (in one of 200 poses of a box in a floor): a translation that
/// does not part the sets is no depth.
double depthOf(const Rounded& a, const Rounded& b, const ccd_t& solver) {
  ccd_real_t depth = 0;
  ccd_vec3_t direction, position;
  if (ccdGJKPenetration(&a, &b, &solver, &depth, &direction, &position) == 0 && std::isfinite(depth)) {
    const Vector3d step = (depth + kOverlapOff) * Vector3d(direction.v[0], direction.v[1], direction.v[2]);
    Rounded moved = b;
    for (Vector3d& point : moved.points) point += step;
    moved.centre += step;
    if (!ccdMPRIntersect(&a, &moved, &solver)) return depth;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

bool SecondOpinion::agreesWith(double other) const { return std::abs(distance - other) <= tolerance; }

SecondOpinion secondOpinion(const PlacedPoints& a, const PlacedPoints& b) {
  RIGOR_REQUIRE(a.pose.q.squaredNorm() != 0 && b.pose.q.squaredNorm() != 0);
  const Vector3d origin = a.pose * a.vertices.front();
  Rounded first = placed(a, origin), second = placed(b, origin);
  double size = 0;
  for (const Rounded* set : {&first, &second})
    for (const Vector3d& point : set->points) size = std::max(size, point.norm());
  if (!(size > 0)) return {0, 0};  // Two sets of one point, the same.
  for (Rounded* set : {&first, &second}) {
    for (Vector3d& point : set->points) point /= size, set->centre += point;
    set->centre /= static_cast<double>(set->points.size());
  }
  const ccd_t solver = makeSolver();
  // Portal refinement: libccd's GJK says of rounded sets that touch that they are apart, by up to 2e-4.
  if (ccdMPRIntersect(&first, &second, &solver)) return {-size * depthOf(first, second, solver), size * kOverlapOff};
  double apart = 0, meet = (first.points.front() - second.points.front()).norm();
  while (meet - apart > kStep) {
    first.radius = (apart + meet) / 2;
    (ccdMPRIntersect(&first, &second, &solver) ? meet : apart) = first.radius;
  }
  return {size * (apart + meet) / 2, size * kApartOff};
}

}  // namespace rigor::geom
