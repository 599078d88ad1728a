// SPDX-License-Identifier: MIT
// Proved: merged outcomes cover all within the tolerance, representatives lie farther apart than it, counts add up,
// order and limit are those of farthest points; fates are those of the contact velocities. Oracles: those definitions,
// evaluated here with kineticDistance(), itself checked against a closed form.
#include "impact/samples/outcome_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

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
  const double expected =
      std::sqrt(d[0] * d[0] + d[1] * d[1] + d[0] * d[1] + 5.0 / 12 * d[2] * d[2]) / std::sqrt(2 * 9.81 * 0.01);
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

/// `count` points about each of `heaps` places that are far apart; point k belongs to place k % heaps.
Eigen::MatrixXd heapsOf(int heaps, int count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, 0.01);
  std::exponential_distribution<double> skewed(30);
  Eigen::MatrixXd v(3, heaps * count);
  for (int k = 0; k < v.cols(); ++k) {
    const int place = k % heaps;
    v.col(k) = Eigen::Vector3d(place % 4, (place / 4) % 4, place / 16);
    v.col(k) += Eigen::Vector3d(skewed(random), normal(random), normal(random));
  }
  return v;
}

TEST(OutcomeSet, MedoidsStandForTheirClusters) {
  const ImpactProblem problem = coupled();
  const double before = std::sqrt(problem.velocity.dot(problem.mass_matrix * problem.velocity));
  const int heaps = 40;
  const Eigen::MatrixXd v = heapsOf(heaps, 15, 5) * before;
  const auto distinct = mergeIntoMedoids(problem, v, 0.3);
  ASSERT_EQ(distinct.size(), static_cast<size_t>(heaps));
  EXPECT_EQ(distinct[0].representative, 0);
  std::set<int> places;
  for (const DistinctOutcome& d : distinct) {
    EXPECT_EQ(d.count, 15);
    EXPECT_EQ(d.weight, 15.0 / (15 * heaps));
    const int place = d.representative % heaps;
    places.insert(place);
    if (d.representative == 0) continue;
    // By the definition, over all members of the heap.
    double least = HUGE_VAL;
    int medoid = -1;
    for (int k = place; k < v.cols(); k += heaps) {
      double sum = 0;
      for (int j = place; j < v.cols(); j += heaps) sum += std::pow(kineticDistance(problem, v.col(k), v.col(j)), 2);
      if (sum < least) least = sum, medoid = k;
    }
    EXPECT_EQ(d.representative, medoid);
  }
  EXPECT_EQ(places.size(), static_cast<size_t>(heaps));
}

TEST(OutcomeSet, HeavyClustersAreSplit) {
  const ImpactProblem problem = coupled();
  const double before = std::sqrt(problem.velocity.dot(problem.mass_matrix * problem.velocity));
  const Eigen::MatrixXd v = heapsOf(4, 500, 6) * before;
  const Eigen::VectorXd mean = v.rowwise().mean();
  const double tolerance = 0.3;
  // Splits make the clusters smaller, so that the weighted mean is that of the outcomes, where farthest points are far
  // from it.
  const auto error = [&](const std::vector<DistinctOutcome>& distinct) {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(3);
    for (const DistinctOutcome& d : distinct) sum += d.weight * d.velocity;
    return kineticDistance(problem, sum, mean);
  };
  const auto medoids = mergeIntoMedoids(problem, v, tolerance);
  EXPECT_GT(medoids.size(), 8u);
  EXPECT_LT(error(medoids), 0.2 * error(mergeOutcomes(problem, v, tolerance)));
  double weight = 0;
  for (const DistinctOutcome& d : medoids) weight += d.weight;
  EXPECT_NEAR(weight, 1, 1e-12);
  for (int k = 0; k < v.cols(); ++k) {
    double nearest = HUGE_VAL;
    for (const DistinctOutcome& d : medoids)
      nearest = std::min(nearest, kineticDistance(problem, v.col(k), d.velocity));
    EXPECT_LE(nearest, 3 * tolerance);
  }
  EXPECT_TRUE(mergeIntoMedoids(problem, Eigen::MatrixXd(3, 0), 0.1).empty());
  EXPECT_THROW((void)mergeIntoMedoids(problem, v, -1), std::invalid_argument);
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
