// SPDX-License-Identifier: MIT
// Proved: the lower limit of Clopper and Pearson has its defining property; the coverage rule stops too early no more
// often than its risk allows, and stops at all, on sets whose distribution is known. Oracles: binomial tails by direct
// multiplication; the exact probability that a fresh point is near a known one.
#include "impact/samples/coverage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "published_problems.h"

namespace rigor::impact {
namespace {

// P(X >= hits), X binomial, by Pascal's recurrence over the trials.
double binomialTail(int hits, int trials, double p) {
  std::vector<double> row(trials + 1, 0.0);
  row[0] = 1;
  for (int t = 0; t < trials; ++t) {
    for (int k = t + 1; k > 0; --k) row[k] = row[k] * (1 - p) + row[k - 1] * p;
    row[0] *= 1 - p;
  }
  double sum = 0;
  for (int k = hits; k <= trials; ++k) sum += row[k];
  return sum;
}

TEST(ClopperPearson, TailAtTheLimitIsTheRisk) {
  for (int trials : {1, 5, 40, 400}) {
    for (int misses : {0, 1, 3, trials / 2}) {
      for (double risk : {0.2, 0.05, 1e-4}) {
        const int hits = trials - misses;
        if (hits <= 0) continue;
        const double p = clopperPearsonLower(hits, trials, risk);
        EXPECT_NEAR(binomialTail(hits, trials, p) / risk, 1, 1e-8) << hits << " of " << trials;
      }
    }
  }
  EXPECT_EQ(clopperPearsonLower(0, 10, 0.05), 0);
  EXPECT_NEAR(clopperPearsonLower(10, 10, 0.05), std::pow(0.05, 0.1), 1e-12);
}

// One velocity, M = 1, |v-| = 1: distances are plain differences.
ImpactProblem line() {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::MatrixXd::Identity(1, 1);
  problem.normal = Eigen::MatrixXd::Ones(1, 1);
  problem.velocity = -Eigen::VectorXd::Ones(1);
  problem.friction = {0};
  return problem;
}

TEST(SlowCoverage, FalseStopsAreWithinTheRisk) {
  // Uniform in [0, 1] for half of the points, elsewhere a heavy tail: covered slowly. The exact probability of a hit is
  // the measure of the union of intervals around all points seen; the rule may keep fewer, so this is what a caller
  // relies on.
  constexpr double kRadius = 0.01, kProbability = 0.9, kRisk = 0.2;
  constexpr int kRuns = 1000;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(0, 1);
  // F(x) of |x| with density 1/2 on [0, 1] plus 1/2 * (power tail from 1 on).
  const auto draw = [&] { return unit(random) < 0.5 ? unit(random) : 1 / std::sqrt(1 - unit(random)); };
  const auto cdf = [](double x) {
    if (x <= 0) return 0.0;
    return x <= 1 ? 0.5 * x : 0.5 + 0.5 * (1 - 1 / (x * x));
  };
  int false_stops = 0;
  double samples = 0;
  for (int run = 0; run < kRuns; ++run) {
    CoverageRule rule(line(), kRadius, kProbability, kRisk);
    std::vector<double> seen;
    do seen.push_back(draw());
    while (!rule.add(Eigen::VectorXd::Constant(1, seen.back())) && seen.size() < 100000);
    ASSERT_TRUE(rule.met());
    EXPECT_GE(rule.lowerLimit(), kProbability);
    samples += static_cast<double>(seen.size());
    std::sort(seen.begin(), seen.end());
    double covered = 0, end = -1;
    for (double x : seen) {
      covered += std::max(0.0, cdf(x + kRadius) - cdf(std::max(end, x - kRadius)));
      end = x + kRadius;
    }
    false_stops += covered < kProbability;
  }
  // Binomial, three standard deviations above the risk: exceeded by chance in 0.1 % of seeds.
  EXPECT_LE(false_stops, kRisk * kRuns + 3 * std::sqrt(kRuns * kRisk * (1 - kRisk)));
  // It is not met by waiting for ever: intervals for 90 % of the mass, some 100 of them, need a few hundred points.
  EXPECT_LT(samples / kRuns, 3000);
}

TEST(Coverage, OnePointIsCoveredAtTheFirstCheckpoint) {
  CoverageRule rule(line(), 1e-6, 0.95, 0.05);
  int count = 0;
  do ++count;
  while (!rule.add(Eigen::VectorXd::Constant(1, 0.25)) && count < 10000);
  // 0.95^B <= 0.025 for B = 72, and the first outcome is the one miss before the window.
  EXPECT_EQ(count, 144);
  EXPECT_EQ(rule.kept(), 1);
}

TEST(Coverage, NeverMetWhereEveryOutcomeIsNew) {
  CoverageRule rule(line(), 1e-9, 0.5, 0.05);
  for (int k = 0; k < 5000; ++k) EXPECT_FALSE(rule.add(Eigen::VectorXd::Constant(1, k * 1e-3)));
  EXPECT_FALSE(rule.finish());
  EXPECT_EQ(rule.lowerLimit(), 0);
  EXPECT_EQ(rule.kept(), 5000);
}

TEST(Coverage, DistancesAreKineticAndRelative) {
  // Two velocities with coupled masses: a hit iff the distance of kineticDistance is within the radius.
  ImpactProblem problem = test::rockingBlock();
  problem.mass_matrix(0, 1) = problem.mass_matrix(1, 0) = 0.5;
  const double speed = std::sqrt(problem.velocity.dot(problem.mass_matrix * problem.velocity));
  const Eigen::Vector3d step(1, -1, 0);  // |step|_M = 1
  for (double factor : {0.999, 1.001}) {
    CoverageRule rule(problem, 0.1, 0.9, 0.05);
    (void)rule.add(Eigen::Vector3d::Zero());
    (void)rule.add(0.1 * factor * speed * step);
    EXPECT_EQ(rule.kept(), factor < 1 ? 1 : 2);
  }
}

TEST(Coverage, BadOptionsAreRefused) {
  EXPECT_THROW(CoverageRule(line(), 0, 0.9, 0.05), std::invalid_argument);
  EXPECT_THROW(CoverageRule(line(), 0.1, 1, 0.05), std::invalid_argument);
  EXPECT_THROW(CoverageRule(line(), 0.1, std::nan(""), 0.05), std::invalid_argument);
  EXPECT_THROW(CoverageRule(line(), 0.1, 0.9, 0), std::invalid_argument);
}

}  // namespace
}  // namespace rigor::impact
