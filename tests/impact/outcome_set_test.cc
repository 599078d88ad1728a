// SPDX-License-Identifier: MIT
// Proved: merged outcomes cover all within the tolerance, representatives lie farther apart than it, counts add up, order and
// limit are those of farthest points; fates are those of the contact velocities.
// Oracles: those definitions, evaluated here with kineticDistance(), itself checked against a closed form.
#include "impact/outcome_set.h"

#include <gtest/gtest.h>

#include <random>

#include "published_problems.h"

namespace rigor::impact {
namespace {

ImpactProblem coupled() {
  ImpactProblem problem = test::rockingBlock();
  problem.mass_matrix(0, 1) = problem.mass_matrix(1, 0) = 0.5;
  return problem;
}

TEST(OutcomeSet, DistanceIsKineticAndRelative) {
  const ImpactProblem problem = coupled();
  const Eigen::Vector3d a(0.3, -1, 2), b(-0.5, 0.25, 1.5);
  const Eigen::Vector3d d = a - b;
  const double expected = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[0] * d[1] + 5.0 / 12 * d[2] * d[2]) / std::sqrt(2 * 9.81 * 0.01);
  EXPECT_NEAR(kineticDistance(problem, a, b), expected, 1e-14);
  EXPECT_EQ(kineticDistance(problem, a, a), 0);
}

TEST(OutcomeSet, MergingCoversAndSeparates) {
  const ImpactProblem problem = coupled();
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd cloud(3, 500);
  for (int k = 0; k < cloud.cols(); ++k) {
    for (int i = 0; i < 3; ++i) cloud(i, k) = 0.1 * normal(random);
  }
  for (double tolerance : {0.0, 0.1, 0.4, 10.0}) {
    for (int limit : {0, 1, 7}) {
      const auto distinct = mergeOutcomes(problem, cloud, tolerance, limit);
      if (limit > 0) {
        EXPECT_LE(static_cast<int>(distinct.size()), limit);
      }
      EXPECT_EQ(distinct[0].representative, 0);
      long count = 0;
      double weight = 0;
      for (const DistinctOutcome& outcome : distinct) {
        count += outcome.count;
        weight += outcome.weight;
        EXPECT_EQ(outcome.velocity, cloud.col(outcome.representative));
        EXPECT_EQ(outcome.fates.size(), 2u);
      }
      EXPECT_EQ(count, cloud.cols());
      EXPECT_NEAR(weight, 1, 1e-12);
      double radius = 0;  // of the cover
      std::vector<long> counts(distinct.size(), 0);
      for (int k = 0; k < cloud.cols(); ++k) {
        double nearest = HUGE_VAL;
        std::size_t owner = 0;
        for (std::size_t j = 0; j < distinct.size(); ++j) {
          const double distance = kineticDistance(problem, cloud.col(k), distinct[j].velocity);
          if (distance < nearest) nearest = distance, owner = j;
        }
        radius = std::max(radius, nearest);
        ++counts[owner];
      }
      for (std::size_t j = 0; j < distinct.size(); ++j) EXPECT_EQ(counts[j], distinct[j].count);
      if (limit == 0) {
        EXPECT_LE(radius, tolerance + 1e-14);
      }
      // Farthest points: each was at least `radius` from those before it.
      for (std::size_t j = 1; j < distinct.size(); ++j) {
        for (std::size_t i = 0; i < j; ++i) {
          const double apart = kineticDistance(problem, distinct[i].velocity, distinct[j].velocity);
          EXPECT_GE(apart, radius - 1e-14);
          EXPECT_GT(apart, tolerance - 1e-14);
        }
      }
    }
  }
}

TEST(OutcomeSet, EqualOutcomesMergeAndNoneGiveNone) {
  const ImpactProblem problem = coupled();
  Eigen::MatrixXd v(3, 5);
  v << 1, 2, 1, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0;
  const auto distinct = mergeOutcomes(problem, v, 0);
  ASSERT_EQ(distinct.size(), 2u);
  EXPECT_EQ(distinct[0].count, 3);
  EXPECT_EQ(distinct[1].representative, 1);
  EXPECT_EQ(distinct[1].weight, 0.4);
  EXPECT_TRUE(mergeOutcomes(problem, Eigen::MatrixXd(3, 0), 0.1).empty());
  EXPECT_THROW((void)mergeOutcomes(problem, v.topRows(2), 0.1), std::invalid_argument);
  EXPECT_THROW((void)mergeOutcomes(problem, v, -1), std::invalid_argument);
}

TEST(OutcomeSet, FatesFollowContactVelocities) {
  const ImpactProblem problem = test::rockingBlock();  // speeds before: 0.44 m/s
  std::vector<ContactFate> fates;
  // Pivoting on A: v = (-theta', theta' / 2, theta').
  findFates(problem, Eigen::Vector3d(-1, .5, 1), 1e-9, fates);
  EXPECT_EQ(fates, (std::vector{ContactFate::kSticks, ContactFate::kSeparates}));
  findFates(problem, Eigen::Vector3d(1, 0, 0), 1e-9, fates);
  EXPECT_EQ(fates, (std::vector{ContactFate::kSlides, ContactFate::kSlides}));
  findFates(problem, Eigen::Vector3d(1e-10, 0, 0), 1e-9, fates);
  EXPECT_EQ(fates, (std::vector{ContactFate::kSticks, ContactFate::kSticks}));
}

}  // namespace
}  // namespace rigor::impact
