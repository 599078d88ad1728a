// SPDX-License-Identifier: MIT
#include "tests/geom/separation_check.h"

#include <Eigen/Geometry>
#include <cmath>
#include <cstdio>
#include <limits>

namespace rigor::geom::oracle {
namespace {

using Eigen::Vector3d;

/// The promise of separation.h, relative to sizes + distance of the origins.
constexpr double kDistanceError = 1e-14;
/// A unit vector rounded component by component, and its length computed in doubles.
constexpr double kUnitError = 8 * std::numeric_limits<double>::epsilon();
/// World coordinates are rounded where they are added to the position: a few ulps of the coordinate, in three axes.
constexpr double kWorldRounding = 8 * std::numeric_limits<double>::epsilon();

struct Tolerances {
  double distance, world;
};
Tolerances tolerancesOf(const PolytopePair& pair, double true_distance) {
  // Two single points in frames of one origin have scale 0; no distance is asked to be better than 1e-14 of itself.
  const double distance = kDistanceError * std::max(scaleOf(pair), true_distance);
  double reach = 0;
  for (const auto* X : {&pair.X_WA, &pair.X_WB}) {
    double radius = 0;
    for (const auto& v : X == &pair.X_WA ? pair.a : pair.b) radius = std::max(radius, v.norm());
    reach = std::max(reach, X->p.norm() + radius);
  }
  return {distance, distance + kWorldRounding * reach};
}

bool isSmall(const PolytopePair& pair) { return pair.a.size() <= 10 && pair.b.size() <= 10; }

}  // namespace

Vector3d unitVector(const ExactVector& v) {
  // Common scaling first: the components may exceed the range of double.
  mpq_class largest = 0;
  for (const auto& x : v)
    if (abs(x) > largest) largest = abs(x);
  const auto at = [&](size_t i) { return mpq_class(v[i] / largest).get_d(); };
  return Vector3d(at(0), at(1), at(2)).normalized();
}

std::string faultOf(const PolytopePair& pair, const Separation& s, const ExactSeparation& exact) {
  mpf_class true_distance = exact.distance();
  const Tolerances tolerance = tolerancesOf(pair, true_distance.get_d());
  const bool know_depth = exact.disjoint || isSmall(pair);
  if (!exact.disjoint && know_depth)
    true_distance = -exactDepth(pair.a, pair.X_WA, pair.b, pair.X_WB);
  const double error = std::isfinite(s.distance) ? mpf_class(mpf_class(s.distance) - true_distance).get_d() : NAN;
  char text[256];
  const auto fault = [&](const char* what, double value, double limit) {
    std::snprintf(text, sizeof text, "%s: %.3e, allowed %.3e (distance %.17g, exactly %.17g)", what, value, limit,
                  s.distance, true_distance.get_d());
    return std::string(text);
  };
  // All written so that NaN is a fault.
  if (know_depth ? !(std::abs(error) <= tolerance.distance) : !(s.distance <= tolerance.distance))
    return fault("distance error", error, tolerance.distance);
  if (const double e = s.normal.norm() - 1; !(std::abs(e) <= kUnitError))
    return fault("normal not unit", e, kUnitError);
  if (const double e = (s.point_a - s.point_b).norm() - std::abs(s.distance); !(std::abs(e) <= 2 * tolerance.world))
    return fault("points do not realise the distance", e, 2 * tolerance.world);
  if (const double e = s.normal.dot(s.point_a - s.point_b) - s.distance; !(std::abs(e) <= 2 * tolerance.world))
    return fault("normal does not join the points", e, 2 * tolerance.world);
  const auto offSet = [&](const Vector3d& point, const std::vector<Vector3d>& set, const Pose& X) {
    const std::vector<Vector3d> single{point};
    return exactSeparation(single, {}, set, X).distance().get_d();
  };
  if (!s.point_a.allFinite() || !s.point_b.allFinite()) return "a point is not finite";
  if (const double e = offSet(s.point_a, pair.a, pair.X_WA); !(e <= tolerance.world))
    return fault("point_a off A", e, tolerance.world);
  if (const double e = offSet(s.point_b, pair.b, pair.X_WB); !(e <= tolerance.world))
    return fault("point_b off B", e, tolerance.world);
  if (exact.disjoint && true_distance > tolerance.distance) {
    // Both ends of n d may err by the tolerance of a point; d bounds the angle.
    const double limit = 2 * tolerance.world / true_distance.get_d() + kUnitError;
    if (const double e = (s.normal - unitVector(exact.direction)).norm(); !(e <= limit))
      return fault("normal error", e, limit);
  }
  if (know_depth) {
    // Stronger than an angle: the support planes along the normal are as far apart as the sets are.
    const double e =
        mpf_class(true_distance - exactSupportGap(pair.a, pair.X_WA, pair.b, pair.X_WB, s.normal)).get_d();
    if (!(e <= tolerance.distance)) return fault("normal does not separate by the distance", e, tolerance.distance);
  }
  return {};
}

}  // namespace rigor::geom::oracle
