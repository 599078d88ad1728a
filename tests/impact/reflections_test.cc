// SPDX-License-Identifier: MIT
// Proved: the enumeration finds exactly the minimal reflection sequences, with their numbers and impulses.
// Oracles: brute force over all pushing sequences and all their subsequences in momentum space (brute_reflections.h);
// counts of reduced words in the symmetric groups (Stanley 1984: standard tableaux of staircase shape); closed forms.
#include "impact/models/reflections.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

#include "brute_reflections.h"
#include "tests/dense_algebra.h"

namespace rigor::impact {
namespace {

std::vector<int> identity(int m) {
  std::vector<int> rank(m);
  std::iota(rank.begin(), rank.end(), 0);
  return rank;
}

struct Case {
  Eigen::MatrixXd M, normal;
  Eigen::VectorXd v;
};

Case randomCase(std::mt19937_64& random, int m, int kind) {
  std::normal_distribution<double> gauss;
  const int n = m + static_cast<int>(random() % 3) - (m > 2 && kind == 3 ? 1 : 0);
  Case c;
  Eigen::MatrixXd root = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return gauss(random); });
  c.M = root * root.transpose() + Eigen::MatrixXd::Identity(n, n);
  c.normal = Eigen::MatrixXd::NullaryExpr(m, n, [&] { return gauss(random); });
  if (kind == 1) c.normal.rowwise() += Eigen::RowVectorXd::NullaryExpr(n, [&] { return gauss(random); });
  c.v = Eigen::VectorXd::NullaryExpr(n, [&] { return gauss(random); });
  if (kind == 2) {  // all approach
    const Eigen::VectorXd w = c.normal * c.v;
    for (int i = 0; i < m; ++i) {
      if (w[i] > 0) c.normal.row(i) *= -1;
    }
  }
  return c;
}

TEST(Reflections, AgreeWithBruteForce) {
  std::mt19937_64 random(4);
  int checked = 0, several = 0, longest = 0;
  for (int k = 0; k < 400; ++k) {
    const int m = 2 + k % 3;
    const Case c = randomCase(random, m, k / 3 % 4);
    const Eigen::MatrixXd A = algebra::congruence(c.normal, algebra::inverse(c.M));
    const Eigen::VectorXd w = c.normal * c.v;
    if (w.minCoeff() >= 0) continue;
    test::BruteReflections brute(c.M, c.normal, c.v);
    const std::vector<test::BruteSequence> expected = brute.all(9);
    if (!brute.complete()) continue;
    std::vector<ReflectionSequence> found;
    const ReflectionStatus status = findAllReflections(A, w, identity(m), {}, found);
    if (expected.empty()) {
      EXPECT_EQ(status, ReflectionStatus::kNone);
      continue;
    }
    ASSERT_EQ(status, ReflectionStatus::kComplete);
    ++checked;
    // Distinct outcomes, and how many sequences lead to each.
    double total = 0;
    for (const ReflectionSequence& f : found) {
      int same = 0;
      bool listed = false;
      for (const test::BruteSequence& e : expected) {
        const bool equal =
            (c.normal * e.velocity - f.normal_velocity).cwiseAbs().maxCoeff() < 1e-8 * w.cwiseAbs().maxCoeff();
        same += equal;
        listed = listed || (equal && e.contacts == f.contacts);
      }
      EXPECT_TRUE(listed);
      EXPECT_EQ(f.count, same);
      total += f.count;
      longest = std::max(longest, static_cast<int>(f.contacts.size()));
      EXPECT_GE(f.impulse.minCoeff(), 0);
      EXPECT_LT((w + A * f.impulse - f.normal_velocity).cwiseAbs().maxCoeff(), 1e-9 * w.cwiseAbs().maxCoeff());
    }
    EXPECT_EQ(total, static_cast<double>(expected.size()));
    several += found.size() > 1;
  }
  EXPECT_GT(checked, 250);
  EXPECT_GT(several, 60);
  EXPECT_GE(longest, 7);
}

// Equal balls in a row, all approaching: the outcome is the reversal, its sequences the reduced words of the longest
// permutation; their number is that of standard tableaux of staircase shape.
TEST(Reflections, EqualBallsHaveAsManySequencesAsTheReversalHasReducedWords) {
  const double words[] = {1, 2, 16, 768, 292864, 1100742656};
  for (int m = 1; m <= 6; ++m) {
    Eigen::MatrixXd A = 2 * Eigen::MatrixXd::Identity(m, m);
    for (int i = 0; i + 1 < m; ++i) A(i, i + 1) = A(i + 1, i) = -1;
    // Ball velocities decrease along the row by irrational amounts.
    Eigen::VectorXd v(m + 1);
    for (int i = 0; i <= m; ++i) v[i] = -i - 0.3 * std::sin(1 + i);
    Eigen::VectorXd w(m);
    for (int i = 0; i < m; ++i) w[i] = v[i + 1] - v[i];
    std::vector<ReflectionSequence> found;
    ASSERT_EQ(findAllReflections(A, w, identity(m), {}, found), ReflectionStatus::kComplete);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].count, words[m - 1]) << m;
    EXPECT_EQ(found[0].contacts.size(), static_cast<std::size_t>(m * (m + 1) / 2));
    for (int i = 0; i < m; ++i) EXPECT_NEAR(found[0].normal_velocity[i], v[m - i - 1] - v[m - i], 1e-12);
  }
}

TEST(Reflections, OrthogonalContactsTakeOneReflectionEachInAnyOrder) {
  double factorial = 1;
  for (int m = 1; m <= 6; ++m) {
    factorial *= m;
    const Eigen::VectorXd w = -Eigen::VectorXd::LinSpaced(m, 0.3, 1.7);
    std::vector<ReflectionSequence> found;
    ASSERT_EQ(findAllReflections(Eigen::MatrixXd::Identity(m, m), w, identity(m), {}, found),
              ReflectionStatus::kComplete);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].count, factorial);
    EXPECT_EQ(found[0].normal_velocity, -w);
  }
}

// Two contacts, unit normals with <u, v> = -cos 2 gamma: unfold the wedge. The momentum's angle to the bisector r
// decides: the sequence that begins with u has the least length n with |angle - 2 n gamma| <= gamma, counted on u's
// side.
TEST(Reflections, TwoContactsUnfold) {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> unit(0, 1);
  int two = 0;
  for (int k = 0; k < 2000; ++k) {
    const double gamma = 0.01 + 1.5 * std::pow(unit(random), 2), angle = 2 * std::numbers::pi * unit(random);
    const double c = -std::cos(2 * gamma);
    // r along x; u at pi/2 - gamma below the axis, v above: <r, u> = <r, v> = sin gamma.
    const Eigen::Vector2d u(std::sin(gamma), -std::cos(gamma)), v(std::sin(gamma), std::cos(gamma));
    const Eigen::Vector2d p(std::cos(angle), std::sin(angle));
    const Eigen::Vector2d w(u.dot(p), v.dot(p));
    if (w.minCoeff() >= 0) continue;
    // Angles above the axis lie beyond the wall of u, where u's sequences begin.
    const auto length = [&](double a) { return static_cast<int>(std::max(0.0, std::ceil((a - gamma) / (2 * gamma)))); };
    const int by_u = length(angle), by_v = length(2 * std::numbers::pi - angle);
    Eigen::Matrix2d A;
    A << 1, c, c, 1;
    std::vector<ReflectionSequence> found;
    ASSERT_EQ(findAllReflections(A, w, identity(2), {}, found), ReflectionStatus::kComplete);
    // A sequence one longer contains the other: both are minimal only at equal length.
    ASSERT_EQ(found.size() == 1 ? found[0].count : found.size(), by_u == by_v ? 2 : 1);
    two += by_u == by_v;
    for (const ReflectionSequence& f : found) {
      EXPECT_EQ(static_cast<int>(f.contacts.size()), std::min(by_u, by_v));
      EXPECT_TRUE(by_u == by_v || f.contacts[0] == (by_u < by_v ? 0 : 1));
      for (std::size_t i = 1; i < f.contacts.size(); ++i) EXPECT_NE(f.contacts[i], f.contacts[i - 1]);  // Lemma 1
      EXPECT_LE(f.contacts.size(), std::ceil(std::numbers::pi / gamma));                                // Theorem 1
    }
  }
  EXPECT_GT(two, 20);
}

TEST(Reflections, JammedContactsHaveNone) {
  Eigen::Matrix2d A;  // u and -u
  A << 1, -1, -1, 1;
  std::vector<ReflectionSequence> found;
  EXPECT_EQ(findAllReflections(A, Eigen::Vector2d(-1, 1), identity(2), {}, found), ReflectionStatus::kNone);
  EXPECT_TRUE(found.empty());
}

TEST(Reflections, TheSearchIsBounded) {
  // A narrow wedge of three contacts: the velocities of subsequences double with every reflection.
  Eigen::Matrix3d normal;
  normal << 1, 0, .01, -.5, .9, .01, -.5, -.8, .01;
  ReflectionOptions options;
  options.max_work = 100000;
  std::vector<ReflectionSequence> found;
  EXPECT_EQ(findAllReflections(normal * normal.transpose(), normal * Eigen::Vector3d(-1, .1, -.1), identity(3), options,
                               found),
            ReflectionStatus::kBudget);
}

TEST(Reflections, TheFirstIsTheOneOfTheFastestContact) {
  std::mt19937_64 random(8);
  int checked = 0, served = 0;
  ReflectionOptions options;
  options.max_work = 100000;
  for (int k = 0; k < 200; ++k) {
    const int m = 2 + k % 5;
    const Case c = randomCase(random, m, 0);
    const Eigen::MatrixXd A = algebra::congruence(c.normal, algebra::inverse(c.M));
    const Eigen::VectorXd w = c.normal * c.v;
    if (w.minCoeff() >= 0) continue;
    std::vector<ReflectionSequence> found;
    ReflectionSequence first;
    if (findAllReflections(A, w, identity(m), options, found) != ReflectionStatus::kComplete) continue;
    ASSERT_EQ(findFirstReflections(A, w, identity(m), options, first), ReflectionStatus::kComplete);
    EXPECT_EQ(first.contacts, found[0].contacts);
    Eigen::VectorXd speed = w.cwiseQuotient(A.diagonal().cwiseSqrt());
    int fastest = 0;
    speed.minCoeff(&fastest);
    served += first.contacts[0] == fastest;
    ++checked;
  }
  EXPECT_GT(checked, 100);
  EXPECT_GT(served, checked * 9 / 10);  // Not all: beginning there may not be minimal.
}

}  // namespace
}  // namespace rigor::impact
