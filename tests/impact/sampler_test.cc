// SPDX-License-Identifier: MIT
// Proved: a drawn set is that of the resolver, sample by sample, bit for bit, for any number of threads, with or
// without progress; unfinished ones are kept apart; the coverage rule ends the set at the same sample everywhere.
// Oracle: resolve() called here, one key after the other.
#include "impact/samples/sampler.h"

#include <gtest/gtest.h>

#include "impact/samples/coverage.h"
#include "impact/samples/outcome_set.h"
#include "published_problems.h"

namespace rigor::impact {
namespace {

void expectSame(const SampleSet& a, const SampleSet& b) {
  ASSERT_EQ(a.velocity.rows(), b.velocity.rows());
  ASSERT_EQ(a.velocity.cols(), b.velocity.cols());
  EXPECT_TRUE((a.velocity.array() == b.velocity.array()).all());
  EXPECT_EQ(a.index, b.index);
  EXPECT_EQ(a.lcps, b.lcps);
  EXPECT_EQ(a.drawn, b.drawn);
  EXPECT_EQ(a.unfinished, b.unfinished);
  EXPECT_EQ(a.failed, b.failed);
  EXPECT_EQ(a.ended_small, b.ended_small);
  EXPECT_EQ(a.covered, b.covered);
  EXPECT_EQ(a.coverage_probability, b.coverage_probability);
  EXPECT_EQ(a.worst_residual, b.worst_residual);
  EXPECT_EQ(a.worst_energy_increase, b.worst_energy_increase);
  EXPECT_EQ(a.min_normal_velocity, b.min_normal_velocity);
}

TEST(Sampler, SameBitsForAnyNumberOfThreads) {
  for (const ImpactProblem& problem : {test::rockingBlock(), test::diskStack()}) {
    SamplerOptions sampler;
    sampler.samples = 700;
    sampler.seed = 9;
    sampler.path = 40;
    sampler.threads = 1;
    const SampleSet one = drawSamples("routh", problem, {}, sampler);
    EXPECT_EQ(one.drawn, 700);
    for (int threads : {0, 2, 3, 7}) {
      sampler.threads = threads;
      long told = 0;
      expectSame(one, drawSamples("routh", problem, {}, sampler, [&](long drawn) {
                   EXPECT_GT(drawn, told);
                   told = drawn;
                   return true;
                 }));
      EXPECT_EQ(told, 700);
    }
    const auto resolver = makeResolver("routh");
    ImpactOutcome outcome;
    double residual = 0;
    for (long k = 0; k < one.velocity.cols(); ++k) {
      ASSERT_EQ(resolver->resolve(problem, {}, {9, 40 + static_cast<std::uint64_t>(one.index[k])}, outcome),
                ImpactStatus::kResolved);
      EXPECT_EQ(outcome.velocity, one.velocity.col(k));
      EXPECT_EQ(outcome.lcps, one.lcps[k]);
      residual = std::max(residual, outcome.residual);
    }
    EXPECT_EQ(residual, one.worst_residual);
    EXPECT_LE(one.worst_energy_increase, 1e-11);
    EXPECT_NEAR(one.min_normal_velocity, (problem.normal * one.velocity).minCoeff(), 1e-15);
  }
}

TEST(Sampler, UnfinishedSamplesAreKeptApart) {
  ImpactOptions options;
  options.step_is_impulse = true;
  options.step = 0.3;
  options.max_steps = 1;
  SamplerOptions sampler;
  sampler.samples = 500;
  const SampleSet set = drawSamples("routh", test::rockingBlock(), options, sampler);
  EXPECT_EQ(set.drawn, 500);
  EXPECT_EQ(set.failed, 0);
  EXPECT_EQ(set.unfinished + set.velocity.cols(), 500);
  EXPECT_EQ(static_cast<long>(set.index.size()), set.velocity.cols());
  for (long k = 0; k < set.velocity.cols(); ++k) {
    EXPECT_GE((test::rockingBlock().normal * set.velocity.col(k)).minCoeff(), -1e-9);
  }
}

TEST(Sampler, CoverageEndsTheSetAndHolds) {
  const ImpactProblem problem = test::rockingBlock();
  SamplerOptions sampler;
  sampler.samples = 100000;
  sampler.coverage = 0.01;
  sampler.confidence = 0.95;
  sampler.threads = 1;
  const SampleSet set = drawSamples("routh", problem, {}, sampler);
  EXPECT_TRUE(set.covered);
  EXPECT_GE(set.coverage_probability, 0.95);
  EXPECT_LT(set.drawn, 5000);
  sampler.threads = 2;
  expectSame(set, drawSamples("routh", problem, {}, sampler));
  // Fresh samples, other seed: 2000 of them miss at most 5 % plus three standard deviations.
  sampler.coverage = 0;
  sampler.samples = 2000;
  sampler.seed = 77;
  const SampleSet fresh = drawSamples("routh", problem, {}, sampler);
  int missed = 0;
  for (long k = 0; k < fresh.velocity.cols(); ++k) {
    double nearest = HUGE_VAL;
    for (long j = 0; j < set.velocity.cols() && nearest > 0.01; ++j) {
      nearest = std::min(nearest, kineticDistance(problem, fresh.velocity.col(k), set.velocity.col(j)));
    }
    missed += nearest > 0.01;
  }
  EXPECT_LE(missed, 100 + 3 * std::sqrt(2000 * .05 * .95));
}

TEST(Sampler, CoverageNotReachedIsSaid) {
  SamplerOptions sampler;
  sampler.samples = 50;
  sampler.coverage = 1e-6;
  const SampleSet set = drawSamples("routh", test::diskStack(), {}, sampler);
  EXPECT_FALSE(set.covered);
  EXPECT_LT(set.coverage_probability, 0.95);
  EXPECT_EQ(set.drawn, 50);
}

TEST(Sampler, EndsWhenToldTo) {
  SamplerOptions sampler;
  sampler.samples = 1000000000;
  const SampleSet set =
      drawSamples("routh", test::rockingBlock(), {}, sampler, [](long drawn) { return drawn < 1000; });
  EXPECT_GE(set.drawn, 1000);
  EXPECT_LT(set.drawn, 100000);
  EXPECT_EQ(set.velocity.cols(), set.drawn);
}

TEST(Sampler, BadInputIsRefused) {
  SamplerOptions sampler;
  EXPECT_THROW((void)drawSamples("rough", test::rockingBlock(), {}, sampler), std::invalid_argument);
  ImpactProblem problem = test::rockingBlock();
  problem.mass_matrix(0, 0) = -1;
  EXPECT_THROW((void)drawSamples("routh", problem, {}, sampler), std::invalid_argument);
  sampler.samples = -1;
  EXPECT_THROW((void)drawSamples("routh", test::rockingBlock(), {}, sampler), std::invalid_argument);
  sampler.samples = 0;
  EXPECT_EQ(drawSamples("routh", test::rockingBlock(), {}, sampler).velocity.cols(), 0);
}

}  // namespace
}  // namespace rigor::impact
