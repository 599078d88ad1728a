// SPDX-License-Identifier: MIT
//
// Proves: the second opinion of libccd is that of separation() within its tolerance, for solid and flat sets, apart and
// overlapping; it is its own, and disagrees where it is given something else. Oracles: closed forms; separation(),
// which shares no code with libccd.
#include "geom/second_opinion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace rigor::geom {
namespace {

using Eigen::Vector3d;

PlacedPoints box(double half, const Vector3d& at) {
  PlacedPoints set{{}, {{1, 0, 0, 0}, at}};
  for (int k = 0; k < 8; ++k) set.vertices.push_back(half * Vector3d(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1));
  return set;
}

TEST(SecondOpinion, ClosedFormsOfBoxes) {
  for (const double scale : {1e-6, 1.0, 1e6}) {
    const SecondOpinion corner = secondOpinion(box(scale, {0, 0, 0}), box(scale, scale * Vector3d(5, 6, 14)));
    EXPECT_NEAR(corner.distance, 13 * scale, corner.tolerance);  // |(3, 4, 12)|
    EXPECT_LE(corner.tolerance, 1e-4 * scale);
    const SecondOpinion deep = secondOpinion(box(scale, {0, 0, 0}), box(scale, scale * Vector3d(0.1, 0.2, 1.5)));
    EXPECT_NEAR(deep.distance, -0.5 * scale, deep.tolerance);
    EXPECT_LE(deep.tolerance, 1e-2 * scale);
    EXPECT_FALSE(corner.agreesWith(13.001 * scale));
    EXPECT_FALSE(corner.agreesWith(NAN));
  }
}

TEST(SecondOpinion, PointsAndSegments) {
  const PlacedPoints point{{{0, 0, 0}}, {{1, 0, 0, 0}, {3, 4, 0}}}, origin{{{0, 0, 0}}, {{2, 0, 0, 0}, {0, 0, 0}}};
  EXPECT_TRUE(secondOpinion(point, origin).agreesWith(5));
  EXPECT_TRUE(secondOpinion(origin, origin).agreesWith(0));
  const PlacedPoints line{{{-1, 0, 2}, {1, 0, 2}}, {{1, 0, 0, 0}, {0, 0, 0}}};
  EXPECT_TRUE(secondOpinion(line, origin).agreesWith(2));
}

TEST(SecondOpinion, AgreesOnRandomSets) {
  std::mt19937_64 random(1);
  const auto uniform = [&] { return 2 * (static_cast<double>(random() >> 11) * 0x1p-53) - 1; };
  const auto vector = [&] { return Vector3d(uniform(), uniform(), uniform()); };
  int overlapping = 0, unanswered = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    PlacedPoints a, b;
    for (PlacedPoints* set : {&a, &b}) {
      const int count = 4 + static_cast<int>(random() % 30);
      for (int i = 0; i < count; ++i) set->vertices.push_back(vector());
      if (trial % 7 == 0)
        for (Vector3d& v : set->vertices) v[2] = 0;
      do set->pose.q = {uniform(), uniform(), uniform(), uniform()};
      while (set->pose.q.norm() < 0.1);
      set->pose.p = 2 * vector();
    }
    const double ours = namedSeparation(a, b).separation.distance;
    const SecondOpinion opinion = secondOpinion(a, b);
    if (std::isnan(opinion.distance)) ++unanswered;
    else EXPECT_TRUE(opinion.agreesWith(ours)) << trial << ": " << ours << " and " << opinion.distance;
    overlapping += ours < 0;
  }
  EXPECT_LT(unanswered, 20);
  EXPECT_GT(overlapping, 100);
  EXPECT_LT(overlapping, 900);
}

}  // namespace
}  // namespace rigor::geom
