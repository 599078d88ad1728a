// SPDX-License-Identifier: MIT
#include "rigor/distance.h"

#include <cmath>

#include "api/scene_impl.h"
#include "geom/named_separation.h"

namespace rigor {
namespace {

constexpr double kLargest = 1e100;  // Of every number that is given, as in files.

geom::PlacedPoints placed(const Hull& hull, const char* name) {
  const auto refuse = [&](const char* what) { return InputError(std::string(name) + what); };
  const auto bad = [](double x) { return !(std::abs(x) <= kLargest); };  // NaN is.
  geom::PlacedPoints points;
  if (hull.vertices.empty()) throw refuse(" has no vertices; allowed: one or more");
  for (const Vector3& v : hull.vertices) {
    if (bad(v[0]) || bad(v[1]) || bad(v[2]))
      throw refuse(" has a vertex that is not finite or above 1e100; allowed: magnitudes up to 1e100");
    points.vertices.push_back(toEigen(v));
  }
  const Quaternion& q = hull.orientation;
  points.pose = {{q[0], q[1], q[2], q[3]}, toEigen(hull.position)};
  for (int k = 0; k < 3; ++k)
    if (bad(hull.position[k]))
      throw refuse(" has a position that is not finite or above 1e100; allowed: magnitudes up to 1e100");
  for (int k = 0; k < 4; ++k)
    if (bad(q[k]))
      throw refuse(" has an orientation that is not finite or above 1e100; allowed: magnitudes up to 1e100");
  if (points.pose.q.isZero(0)) throw refuse(" has a quaternion of length zero; allowed: any other length");
  return points;
}

}  // namespace

Separation distance(const Hull& a, const Hull& b) {
  return withUserErrors([&] {
    const geom::NamedSeparation found = geom::namedSeparation(placed(a, "a"), placed(b, "b"));
    const geom::Separation& s = found.separation;
    return Separation{s.distance,
                      toArray(s.point_a),
                      toArray(s.point_b),
                      toArray(s.normal),
                      geom::featureKindName(found.feature_a.kind),
                      geom::featureKindName(found.feature_b.kind),
                      found.feature_a.vertices,
                      found.feature_b.vertices};
  });
}

}  // namespace rigor
