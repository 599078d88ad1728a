// SPDX-License-Identifier: MIT
// Proves: what VertexSet decides in doubles is true, however large, small or cancelling the numbers, and it leaves few
// vertices open. Oracle: every coefficient and every dot product in integers.
#include "verify/vertex_set.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace rigor::verify {
namespace {

struct Affine {
  Polynomial base, weight[3];
};

/// base + (y / 2^unit).weight of vertex i, exactly.
Polynomial at(const Affine& f, const Part& part, const Vector3& centre, int unit, std::size_t i) {
  Polynomial sum = f.base;
  mpz_class y, c;
  for (int k = 0; k < 3; ++k) {
    scaled(part.vertices[i][k], unit, y);
    scaled(centre[k], unit, c);
    addMultiple(mpz_class(y - c), f.weight[k], sum);
  }
  return sum;
}

bool allPositive(const Polynomial& f) {
  for (int c = 0; c <= f.degree; ++c)
    if (sgn(f.c[c]) <= 0) return false;
  return true;
}

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

/// A random affine form, each of whose coefficients is zero at some vertex and positive at all others; then all are
/// raised by about `shift` of their size.
Affine touching(std::mt19937_64& random, const Part& part, const Vector3& centre, int unit, int degree, double shift) {
  std::normal_distribution<> normal;
  Affine f;
  for (Polynomial& weight : f.weight) {
    weight.setZero(degree);
    for (int c = 0; c <= degree; ++c) {
      scaled(normal(random), -1074, weight.c[c]);
      mpz_fdiv_q_2exp(weight.c[c].get_mpz_t(), weight.c[c].get_mpz_t(), 900);
    }
  }
  f.base.setZero(degree);
  Polynomial least = at(f, part, centre, unit, 0);
  for (std::size_t i = 1; i < part.vertices.size(); ++i) {
    const Polynomial value = at(f, part, centre, unit, i);
    for (int c = 0; c <= degree; ++c) least.c[c] = std::min(least.c[c], value.c[c]);
  }
  for (int c = 0; c <= degree; ++c)
    f.base.c[c] = mpz_class(shift * std::abs(normal(random)) * mpf_class(abs(least.c[c]))) - least.c[c];
  return f;
}

TEST(VertexSet, WhatItDecidesIsTrueAndItDecidesNearlyAll) {
  std::mt19937_64 random(3);
  long open = 0, all = 0, zeros = 0;
  for (const double size : {1e-12, 0.02, 3e7})
    for (const double far : {0.0, 1.0, 1e4})
      for (const double shift : {0.0, 1e-17, 1e-15, 1e-13, 1e-6}) {
        const Part part = roundPart(random, 130, size);  // Two blocks and a rest.
        const Vector3 centre{far * size, -0.3 * far * size, 0};
        const VertexSet set(part, centre);
        const int unit = set.lowestBit() - static_cast<int>(random() % 40);
        const Affine f = touching(random, part, centre, unit, 9, shift);
        std::vector<int> undecided;
        set.findUndecided(f.base, f.weight, unit, undecided);
        EXPECT_TRUE(std::is_sorted(undecided.begin(), undecided.end()));
        for (std::size_t i = 0; i < part.vertices.size(); ++i) {
          const Polynomial value = at(f, part, centre, unit, i);
          const bool decided = !std::binary_search(undecided.begin(), undecided.end(), static_cast<int>(i));
          if (decided) {
            EXPECT_TRUE(allPositive(value)) << size << ' ' << far << ' ' << shift << ' ' << i;
          }
          zeros += !allPositive(value);
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
  f.base.setConstant(1);
  for (Polynomial& weight : f.weight) weight.setConstant(1);
  std::vector<int> open;
  set.findUndecided(f.base, f.weight, set.lowestBit(), open);
  EXPECT_THAT(open, testing::ElementsAre(0, 1, 2, 3));
  set.findFarthest({1, 1, 1}, open);
  EXPECT_THAT(open, testing::ElementsAre(0, 1, 2, 3));
  // Zero is not positive.
  f.base.setConstant(0);
  for (Polynomial& weight : f.weight) weight.setConstant(0);
  part.vertices = {{1, 0, 0}, {0, 5e-324, 0}};
  const VertexSet tiny(part, {});
  tiny.findUndecided(f.base, f.weight, tiny.lowestBit(), open);
  EXPECT_THAT(open, testing::ElementsAre(0, 1));
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
}  // namespace rigor::verify
