// SPDX-License-Identifier: MIT
// Proved: planar hulls contain all points and consist of points; extremes are vertices and all of them where the set is
// a known polytope; fates and bounds count every outcome. Oracles: point-in-polygon tests, a set made as random convex
// combinations of known vertices, the published triangle.
#include "impact/samples/set_description.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "impact/samples/sampler.h"
#include "published_problems.h"

namespace rigor::impact {
namespace {

TEST(PlanarHull, ContainsAllPointsAndTurnsLeft) {
  std::mt19937_64 random(2);
  std::uniform_int_distribution<int> grid(0, 6);  // many equal and collinear points
  for (int round = 0; round < 200; ++round) {
    const int count = 1 + round % 40;
    Eigen::RowVectorXd x(count), y(count);
    for (int k = 0; k < count; ++k) x[k] = grid(random), y[k] = round % 5 == 0 ? x[k] : grid(random);
    const std::vector<int> hull = planarHull(x, y, 0);
    ASSERT_FALSE(hull.empty());
    const int corners = static_cast<int>(hull.size());
    for (int c = 0; c < corners && corners > 2; ++c) {
      const int a = hull[c], b = hull[(c + 1) % corners], d = hull[(c + 2) % corners];
      EXPECT_GT((x[b] - x[a]) * (y[d] - y[a]) - (y[b] - y[a]) * (x[d] - x[a]), 0);
      for (int k = 0; k < count; ++k) {
        EXPECT_GE((x[b] - x[a]) * (y[k] - y[a]) - (y[b] - y[a]) * (x[k] - x[a]), 0);
      }
    }
    if (corners == 2) {
      const int a = hull[0], b = hull[1];
      for (int k = 0; k < count; ++k) {
        EXPECT_EQ((x[b] - x[a]) * (y[k] - y[a]) - (y[b] - y[a]) * (x[k] - x[a]), 0);
        EXPECT_GE((x[k] - x[a]) * (x[b] - x[k]) + (y[k] - y[a]) * (y[b] - y[k]), 0);
      }
    }
    if (corners == 1) {
      for (int k = 0; k < count; ++k) EXPECT_TRUE(x[k] == x[hull[0]] && y[k] == y[hull[0]]);
    }
  }
}

TEST(PlanarHull, FlatCornersAreLeftOut) {
  Eigen::RowVectorXd x(5), y(5);
  x << 0, 1, 1, 0, 0.5;
  y << 0, 0, 1, 1, -1e-6;
  EXPECT_EQ(planarHull(x, y, 0).size(), 5u);
  EXPECT_EQ(planarHull(x, y, 1e-5), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(planarHull(x, y, 10).size(), 1u);
}

TEST(SetDescription, VerticesOfAKnownPolytopeAreTheExtremes) {
  // Compass gait: 4 velocities, 4 contact rows. 6 vertices, 3000 convex combinations, the vertices somewhere among
  // them.
  const ImpactProblem problem = test::compassGait();
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0, 1);
  Eigen::MatrixXd vertices(4, 6), cloud(4, 3000);
  for (double& v : vertices.reshaped()) v = normal(random);
  for (int k = 0; k < cloud.cols(); ++k) {
    Eigen::VectorXd share(6);
    for (double& s : share) s = -std::log(unit(random));
    cloud.col(k) = vertices * (share / share.sum());
  }
  std::vector<int> at = {17, 300, 1200, 1201, 2000, 2999};
  for (int c = 0; c < 6; ++c) cloud.col(at[c]) = vertices.col(c);
  const SetDescription set = describeSet(problem, cloud, 1e-9);
  std::vector<int> extremes = set.extremes;
  std::sort(extremes.begin(), extremes.end());
  // 6 points in 4 dimensions in general position: a simplex and one more, each a vertex unless inside; these are.
  EXPECT_EQ(extremes, at);
  const Eigen::MatrixXd y = set.jacobian * cloud;
  EXPECT_EQ(set.lower, y.rowwise().minCoeff());
  EXPECT_EQ(set.upper, y.rowwise().maxCoeff());
  EXPECT_EQ(set.row_contact, (std::vector{0, 0, 1, 1}));
  EXPECT_EQ(set.row_component, (std::vector{0, 1, 0, 1}));
  EXPECT_EQ(set.hulls.size(), 3u);
  for (const PlanarHull& hull : set.hulls) {
    for (int v : hull.vertices) EXPECT_TRUE(std::count(at.begin(), at.end(), v) == 1);
  }
  long count = 0;
  for (const FateCount& fate : set.fates) {
    count += fate.count;
    std::vector<ContactFate> expected;
    findFates(problem, cloud.col(fate.example), kFateTolerance, expected);
    EXPECT_EQ(expected, fate.fates);
  }
  EXPECT_EQ(count, cloud.cols());
}

TEST(SetDescription, RockingBlockIsTwoSegmentsAndRest) {
  const ImpactProblem problem = test::rockingBlock();
  SamplerOptions sampler;
  sampler.samples = 4000;
  const SampleSet samples = drawSamples("routh", problem, {}, sampler);
  const SetDescription set = describeSet(problem, samples.velocity, 1e-6);
  using F = ContactFate;
  ASSERT_EQ(set.fates.size(), 3u);
  for (const FateCount& fate : set.fates) {
    EXPECT_TRUE(fate.fates == (std::vector{F::kSticks, F::kSticks}) ||
                fate.fates == (std::vector{F::kSeparates, F::kSticks}) ||
                fate.fates == (std::vector{F::kSticks, F::kSeparates}));
    EXPECT_GT(fate.share, 0.2);
  }
  // In the plane of the normal velocities: the triangle of rest and the two segments' ends.
  EXPECT_EQ(set.hulls.back().vertices.size(), 3u);
  EXPECT_EQ(set.extremes.size(), 3u);
  EXPECT_LE(set.upper[0], .0930183852795);
  EXPECT_GT(set.upper[0], .085);
}

TEST(SetDescription, EmptySetAndBadSizes) {
  const ImpactProblem problem = test::rockingBlock();
  const SetDescription set = describeSet(problem, Eigen::MatrixXd(3, 0), 1e-6);
  EXPECT_TRUE(set.fates.empty() && set.extremes.empty() && set.hulls.empty());
  EXPECT_THROW((void)describeSet(problem, Eigen::MatrixXd::Zero(2, 4), 1e-6), std::invalid_argument);
  EXPECT_THROW((void)describeSet(problem, Eigen::MatrixXd::Zero(3, 4), -1), std::invalid_argument);
}

}  // namespace
}  // namespace rigor::impact
