// SPDX-License-Identifier: MIT
//
// Proves: orient3d is exact for doubles of any magnitude. Oracle: the determinant in GMP rationals.
#include "geom/predicates.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>

#include "tests/geom/random_solids.h"

namespace rigor::geom {
namespace {

using Eigen::Vector3d;
using testing_solids::Source;

int rationalSign(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) {
  mpq_class m[3][3];
  const std::array<const Vector3d*, 3> rows{&b, &c, &d};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) m[i][k] = mpq_class((*rows[i])[k]) - mpq_class(a[k]);
  }
  return sgn(mpq_class(m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                       m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                       m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])));
}

TEST(Orient3d, HasTheSignOfTheDeterminant) {
  EXPECT_EQ(orient3d({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}), 1);
  Source source(1);
  int misled = 0;  // Doubles alone tell the wrong side.
  for (int trial = 0; trial < 20000; ++trial) {
    const double scale = std::pow(10, source.below(201) - 100);
    const Vector3d a = scale * source.vector(), b = scale * source.vector(), c = scale * source.vector();
    Vector3d d = scale * source.vector();
    if (trial % 2) {
      // In the plane up to rounding, then a few ulps off.
      d = a + source.normal() * (b - a) + source.normal() * (c - a);
      for (int k = source.below(4); k > 0; --k) d[k - 1] = std::nextafter(d[k - 1], source.normal() * INFINITY);
    }
    const int sign = rationalSign(a, b, c, d);
    misled += (b - a).cross(c - a).dot(d - a) * sign < 0;
    ASSERT_EQ(orient3d(a, b, c, d), sign) << trial;
    ASSERT_EQ(orient3d(b, a, c, d), -sign) << trial;
    ASSERT_EQ(orient3d(b, c, a, d), sign) << trial;
  }
  EXPECT_GT(misled, 0) << "no case was close enough for the exact stage";
}

TEST(Orient3d, DecidesExactCoplanarity) {
  Source source(2);
  for (int trial = 0; trial < 2000; ++trial) {
    // Small integers: coplanarity is exact, and common.
    std::array<Vector3d, 4> p;
    for (Vector3d& v : p) v = Vector3d(source.below(4), source.below(4), source.below(4)) * 0.1;
    EXPECT_EQ(orient3d(p[0], p[1], p[2], p[3]), rationalSign(p[0], p[1], p[2], p[3]));
  }
  const Vector3d tiny(5e-324, 0, 0);
  EXPECT_EQ(orient3d({0, 0, 0}, tiny, {0, 5e-324, 0}, {0, 0, 5e-324}), 1);
  EXPECT_EQ(orient3d({0, 0, 0}, tiny, {0, 1e300, 0}, {0, 0, 1e300}), 1);
}

}  // namespace
}  // namespace rigor::geom
