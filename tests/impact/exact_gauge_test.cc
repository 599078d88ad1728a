// SPDX-License-Identifier: MIT
// Proved: outcomes of the inclusion lie inside the exact set, those of other models that a study with exact rationals
// found outside lie outside by what it says; corners cover the whole set, one outcome nothing of it; no set where there
// is none.
#include "impact/sets/exact_gauge.h"

#include <gtest/gtest.h>

#include "impact/samples/sampler.h"
#include "impact/sets/corner_outcomes.h"
#include "known_sets.h"
#include "published_problems.h"

namespace rigor::impact {
namespace {

Eigen::MatrixXd cornersOf(const ImpactProblem& problem) {
  const std::vector<ImpactOutcome> corners = cornerOutcomes(problem, 1000);
  Eigen::MatrixXd v(problem.numVelocities(), static_cast<long>(corners.size()));
  for (size_t k = 0; k < corners.size(); ++k) v.col(static_cast<long>(k)) = corners[k].velocity;
  return v;
}

TEST(ExactGauge, CornersAreInsideAndCoverTheSet) {
  for (const test::KnownSet& known : test::knownSets()) {
    const ExactGauge gauge(known.problem);
    ASSERT_TRUE(gauge.known()) << known.name;
    const Eigen::MatrixXd corners = cornersOf(known.problem);
    ASSERT_GT(corners.cols(), 0) << known.name;
    for (long k = 0; k < corners.cols(); ++k) EXPECT_LE(gauge.outside(corners.col(k)), 1e-12) << known.name;
    EXPECT_NEAR(gauge.coveredShare(corners), 1, 1e-9) << known.name;
    EXPECT_EQ(gauge.coveredShare(corners.leftCols(0)), 0);
    if (corners.cols() > 1) {
      EXPECT_EQ(gauge.coveredShare(corners.leftCols(1)), 0) << known.name;
    }
    // The velocity before is none of the outcomes: contacts approach.
    EXPECT_GT(gauge.outside(known.problem.velocity), 1e-3) << known.name;
  }
}

TEST(ExactGauge, TheOneContactLawIsAnother) {
  // The study's distances are in coordinates of its own: its figures, to a tenth, for two of three.
  const std::vector<std::tuple<std::string, double, double>> outside{
      {"planar-0", 0.64, 0.78}, {"planar-108", 0.2, 0.25}, {"planar-78", 0.03, 1}};
  size_t found = 0;
  for (const auto& [name, least, most] : outside) {
    for (const test::KnownSet& known : test::knownSets()) {
      if (known.name != name) continue;
      ++found;
      std::vector<ImpactOutcome> outcomes;
      ASSERT_EQ(makeResolver("anitescu-potra")->resolveAll(known.problem, {}, outcomes), ImpactStatus::kResolved);
      const ExactGauge gauge(known.problem);
      double worst = 0;
      for (const ImpactOutcome& outcome : outcomes) worst = std::max(worst, gauge.outside(outcome.velocity));
      EXPECT_GT(worst, least) << name;
      EXPECT_LT(worst, most) << name;
    }
  }
  EXPECT_EQ(found, outside.size());
}

TEST(ExactGauge, SamplesComeNearEveryExtreme) {
  for (const test::KnownSet& known : test::knownSets()) {
    const ExactGauge gauge(known.problem);
    SamplerOptions sampler;
    sampler.samples = 2000, sampler.corners = sampler.mixed_rates = true, sampler.threads = 1;
    const SampleSet set = drawSamples("routh", known.problem, {}, sampler);
    EXPECT_GE(gauge.coveredShare(set.velocity), 0.96) << known.name;  // 2 % at either end
  }
}

TEST(ExactGauge, KnowsNoSetWhereThereIsNone) {
  ImpactProblem problem = test::rockingBlock();
  problem.restitution.assign(problem.friction.size(), 0.5);
  EXPECT_FALSE(ExactGauge(problem).known());
  problem.restitution.assign(problem.friction.size(), 0.0);
  EXPECT_TRUE(ExactGauge(problem).known());
  problem.friction[0] = HUGE_VAL;
  EXPECT_FALSE(ExactGauge(problem).known());
}

}  // namespace
}  // namespace rigor::impact
