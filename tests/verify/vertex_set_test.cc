// SPDX-License-Identifier: MIT
// Proves: what VertexSet decides in doubles is true, however large, small or cancelling the numbers, and it leaves few
// vertices open. Oracle: every coefficient and every dot product in rationals.
#include "verify/filter/vertex_set.h"

#include <gmock/gmock.h>
#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace rigor::verify::filter {
namespace {

using kernel::Part;
using kernel::Vector3;

Part roundPart(std::mt19937_64& random, int count, double size) {
  std::normal_distribution<> normal;
  Part part;
  for (int i = 0; i < count; ++i) {
    Vector3 v{normal(random), normal(random), normal(random)};
    const double norm = std::hypot(v[0], v[1], v[2]);
    for (double& x : v) x *= size / norm;
    part.vertices.push_back(v);
  }
  return part;
}

struct Affine {
  BallPolynomial base, weight[3];
};

/// Coefficient c of base + (v - centre).weight, exactly.
mpq_class at(const Affine& f, const Vector3& v, const Vector3& centre, int c) {
  mpq_class sum(f.base.value[c]);
  for (int k = 0; k < 3; ++k) sum += (mpq_class(v[k]) - mpq_class(centre[k])) * mpq_class(f.weight[k].value[c]);
  return sum;
}

TEST(VertexSet, WhatItDecidesIsTrueAndItDecidesNearlyAll) {
  std::mt19937_64 random(3);
  std::normal_distribution<> normal;
  constexpr int kDegree = 9;
  long open = 0, all = 0, zeros = 0;
  for (const double size : {1e-12, 0.02, 3e7})
    for (const double far : {0.0, 1.0, 1e4})
      for (const double shift : {0.0, 1e-17, 1e-15, 1e-13, 1e-6}) {
        const Part part = roundPart(random, 130, size);  // Two blocks and a rest.
        const Vector3 centre{far * size, -0.3 * far * size, 0};
        const VertexSet set(part, centre);
        // Each coefficient is nearly zero at some vertex and positive at all others; then it is raised by `shift` of
        // it.
        Affine f;
        f.base.setZero(kDegree);
        for (BallPolynomial& weight : f.weight) weight.setZero(kDegree);
        for (int c = 0; c <= kDegree; ++c) {
          for (BallPolynomial& weight : f.weight) weight.value[c] = normal(random);
          mpq_class least = at(f, part.vertices[0], centre, c);
          for (const Vector3& v : part.vertices) least = std::min(least, at(f, v, centre, c));
          f.base.value[c] = -least.get_d() * (1 + (least < 0 ? shift : -shift) * std::abs(normal(random)));
        }
        std::vector<int> undecided;
        set.findUndecided(f.base, f.weight, undecided);
        EXPECT_TRUE(std::is_sorted(undecided.begin(), undecided.end()));
        for (std::size_t i = 0; i < part.vertices.size(); ++i) {
          bool positive = true;
          for (int c = 0; c <= kDegree; ++c) positive &= at(f, part.vertices[i], centre, c) > 0;
          const bool decided = !std::binary_search(undecided.begin(), undecided.end(), static_cast<int>(i));
          if (decided) {
            EXPECT_TRUE(positive) << size << ' ' << far << ' ' << shift << ' ' << i;
          }
          zeros += !positive;
          if (shift >= 1e-13 || far == 0) open += !decided, ++all;
        }
      }
  EXPECT_GT(zeros, 50);
  EXPECT_LT(open, all / 10);
}

TEST(VertexSet, NumbersThatOverflowDecideNothing) {
  const double huge = std::numeric_limits<double>::max();
  Part part;
  part.vertices = {{huge, 0, 0}, {-huge, 0, 0}, {0, huge, huge}, {0, 1, 0}};
  const VertexSet set(part, {-huge, 0, 0});
  Affine f;
  f.base.setZero(0);
  f.base.value[0] = 1;
  for (BallPolynomial& weight : f.weight) weight.setZero(0), weight.value[0] = 1;
  std::vector<int> open;
  set.findUndecided(f.base, f.weight, open);
  EXPECT_THAT(open, testing::ElementsAre(0, 1, 2, 3));
  set.findFarthest({1, 1, 1}, open);
  EXPECT_THAT(open, testing::ElementsAre(0, 1, 2, 3));
  // Zero is not positive.
  f.base.setZero(0);
  for (BallPolynomial& weight : f.weight) weight.setZero(0);
  part.vertices = {{1, 0, 0}, {0, 5e-324, 0}};
  VertexSet(part, {}).findUndecided(f.base, f.weight, open);
  EXPECT_THAT(open, testing::ElementsAre(0, 1));
}

// A sum overflows on the way to a small number at one vertex, and not at the one that is farther.
TEST(VertexSet, OverflowOnTheWayLeavesNothingOut) {
  Part part;
  part.vertices = {{1.7, 1.7, -3.4}, {0.9, 0, 0}, {-1, 0, 0}, {0, 0, -1}};
  std::vector<int> farthest;
  VertexSet(part, {}).findFarthest({1e308, 1e308, 1e308}, farthest);
  EXPECT_THAT(farthest, testing::Contains(1));
}

TEST(VertexSet, TheFarthestIsAmongTheFarthest) {
  std::mt19937_64 random(5);
  std::normal_distribution<> normal;
  std::size_t candidates = 0;
  for (int round = 0; round < 200; ++round) {
    Part part = roundPart(random, 60, 0.02);
    Vector3 axis{normal(random), normal(random), normal(random)};
    if (round % 4 == 0) axis = {0, 0, 1};
    if (round % 4 == 0)
      for (int i = 0; i < 8; ++i) part.vertices[i][2] = std::nextafter(0.02, i % 3 - 1.0);
    const Vector3 centre{round % 3 * 0.7, 0, 0.01 / 3};
    const VertexSet set(part, centre);
    std::vector<int> farthest;
    set.findFarthest(axis, farthest);
    const auto along = [&](std::size_t i) {
      mpq_class sum = 0;
      for (int k = 0; k < 3; ++k) sum += mpq_class(axis[k]) * (mpq_class(part.vertices[i][k]) - mpq_class(centre[k]));
      return sum;
    };
    std::size_t best = 0;
    for (std::size_t i = 1; i < part.vertices.size(); ++i)
      if (along(i) > along(best)) best = i;
    EXPECT_THAT(farthest, testing::Contains(static_cast<int>(best)));
    candidates += farthest.size();
  }
  EXPECT_LT(candidates, 200u * 4);
}

}  // namespace
}  // namespace rigor::verify::filter
