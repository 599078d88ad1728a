// SPDX-License-Identifier: MIT
#include "viewer/proved_set.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/impact/known_sets.h"

namespace rigor::viewer {
namespace {

/// Contact by contact the normal, the tangent, and nothing: the axes of a planar impact.
Eigen::MatrixXd axesOf(const impact::ImpactProblem& problem) {
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(3 * problem.numContacts(), problem.numVelocities());
  for (int i = 0; i < problem.numContacts(); ++i) {
    const Eigen::MatrixXd& tangent = problem.tangent[static_cast<std::size_t>(i)];
    rows.row(3 * i) = problem.normal.row(i);
    if (tangent.rows() > 0) rows.row(3 * i + 1) = tangent.row(0);
  }
  return rows;
}

// Known values have nine digits.
constexpr double kDigits = 5e-9;

const auto kAlways = [] { return true; };

TEST(ProvedSet, KnownSetsAreFound) {
  for (const impact::test::KnownSet& known : impact::test::knownSets()) {
    const ProvedSet set = proveOutcomes(known.problem, 8, axesOf(known.problem), kAlways);
    if (!set.complete) continue;  // More work than a viewer spends.
    for (const auto& [name, low, high] : known.bounds) {
      const auto axis = static_cast<std::size_t>(3 * (name[2] - '0') + (name[1] == 't'));
      EXPECT_NEAR(set.outer[axis].low, low, kDigits) << known.name << " " << name;
      EXPECT_NEAR(set.outer[axis].high, high, kDigits) << known.name << " " << name;
      EXPECT_EQ(set.inner[axis].low, set.outer[axis].low);
      EXPECT_EQ(set.inner[axis].high, set.outer[axis].high);
    }
  }
  const ProvedSet balls = proveOutcomes(impact::test::threeBalls(), 8, axesOf(impact::test::threeBalls()), kAlways);
  EXPECT_TRUE(balls.complete);
  EXPECT_FALSE(balls.ways.empty());
}

TEST(ProvedSet, SaysWhatItCannot) {
  impact::ImpactProblem problem = impact::test::threeBalls();
  problem.restitution = {0.5, 0.5};
  const ProvedSet rebound = proveOutcomes(problem, 8, axesOf(problem), kAlways);
  EXPECT_TRUE(rebound.empty());
  EXPECT_NE(rebound.note.find("restitution"), std::string::npos);

  // No limit of friction: the energy alone bounds. Three equal balls: m v^2 is shared at best.
  problem.restitution = {0, 0};
  problem.friction = {INFINITY, INFINITY};
  problem.tangent = {Eigen::MatrixXd::Zero(1, 3), Eigen::MatrixXd::Zero(1, 3)};
  const ProvedSet energy = proveOutcomes(problem, 8, axesOf(problem), kAlways);
  EXPECT_FALSE(energy.complete);
  EXPECT_TRUE(energy.ways.empty());
  ASSERT_FALSE(energy.empty());
  EXPECT_GE(energy.outer[0].low, -1e-12);
  EXPECT_GE(energy.outer[0].high, 0.25);
  EXPECT_LE(energy.outer[0].high, std::sqrt(2) + 1e-12);
}

TEST(ProvedSet, AnInterruptionEndsIt) {
  int asked = 0;
  const impact::ImpactProblem problem = impact::test::diskStack();
  const ProvedSet set = proveOutcomes(problem, 8, axesOf(problem), [&] { return ++asked < 2; });
  EXPECT_FALSE(set.complete);
  EXPECT_LT(asked, 20);
}

}  // namespace
}  // namespace rigor::viewer
