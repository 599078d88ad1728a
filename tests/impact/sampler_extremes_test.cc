// SPDX-License-Identifier: MIT
// Proved: 2,000 samples come within 2 % of every extreme of every known exact set and of random ones, with the corners
// as seeds and, for the rocking block, without; none jumps out of a random set; steps of other lengths and contacts
// listed several times change nothing but noise; seeds of larger problems are outcomes that a model's laws allow.
// Oracle: the exact sets.
#include <gtest/gtest.h>

#include "impact/samples/sampler.h"
#include "impact/sets/corner_outcomes.h"
#include "impact/sets/exact_gauge.h"
#include "impact/sets/exact_set.h"
#include "impact/sets/polytope_union.h"
#include "known_sets.h"
#include "landed_box.h"
#include "outcome_checks.h"
#include "random_planar.h"

namespace rigor::impact {
namespace {

/// Largest share of an exact range that samples leave open at one of its ends; ranges below `flat` of the speed are
/// left out.
double openShare(const ImpactProblem& problem, const ExactSet& set, const SampleSet& samples) {
  constexpr double flat = 1e-6;
  const PolytopeUnion outcomes(set);
  double worst = 0;
  for (const ExactQuantity& quantity : quantitiesOf(set.problem())) {
    if (quantity.name[1] != 'n' && quantity.name[1] != 't') continue;
    const size_t contact = static_cast<size_t>(quantity.name[2] - '0');
    const Eigen::MatrixXd row = quantity.name[1] == 'n'
                                    ? Eigen::MatrixXd(problem.normal.row(static_cast<Eigen::Index>(contact)))
                                    : problem.tangent[contact];
    const Eigen::RowVectorXd values = row * samples.velocity;
    const double low = outcomes.smallest(quantity).value.get_d(), high = outcomes.largest(quantity).value.get_d();
    if (!(high - low > flat * set.problem().speed())) continue;
    worst = std::max({worst, (values.minCoeff() - low) / (high - low), (high - values.maxCoeff()) / (high - low)});
  }
  return worst;
}

double openShare(const ImpactProblem& problem, const SampleSet& samples) {
  return openShare(problem, ExactSet(problem), samples);
}

/// How far outside the set a sample lies at most, relative to the speed before.
double worstOutside(const ImpactProblem& problem, const ExactSet& set, const SampleSet& samples) {
  const PolytopeUnion outcomes(set);
  const ExactProblem& exact = set.problem();
  Eigen::MatrixXd rows(exact.rank(), problem.numVelocities());
  for (int k = 0; k < exact.rank(); ++k) {
    const ExactProblem::Row& row = exact.rows()[static_cast<size_t>(exact.coordinates()[static_cast<size_t>(k)])];
    rows.row(k) = row.normal ? problem.normal.row(row.contact)
                             : problem.tangent[static_cast<size_t>(row.contact)].row(0);
  }
  double worst = 0;
  for (Eigen::Index k = 0; k < samples.velocity.cols(); ++k)
    worst = std::max(worst, outcomes.violation(rows * samples.velocity.col(k)) / exact.speed());
  return worst;
}

// The slip of one contact turns back; another problem has a contact that separates slowly and could jam: steps that
// jumped over the turn, or to the jam, ended .066 and 1.41 of the speed outside.
TEST(SlowSamplerExtremes, StepsDoNotJumpOverWhereSlipsTurnOrContactsSeparate) {
  ImpactProblem turns =
      test::planarProblem((Eigen::Matrix2d() << 0.799, 1.027, 1.027, 2.632).finished(), Eigen::RowVector2d(1, 0),
                          Eigen::RowVector2d(0, 1), 1, Eigen::Vector2d(-1.5967, 0.4264));
  ImpactProblem separates = test::planarProblem(
      (Eigen::Matrix3d() << 1.404, -1.069, -0.018, -1.069, 2.425, -1.079, -0.018, -1.079, 1.058).finished(),
      Eigen::MatrixXd::Identity(2, 3), (Eigen::MatrixXd(2, 3) << 0, 0, 0, 0, 0, 1).finished(), 2,
      Eigen::Vector3d(-3.8997, 0.0708, 4.1437));
  separates.friction[0] = 0;
  SamplerOptions sampler;
  sampler.samples = 500;
  sampler.mixed_rates = true;
  for (const ImpactProblem* problem : {&turns, &separates})
    EXPECT_LT(worstOutside(*problem, ExactSet(*problem), drawSamples("routh", *problem, {}, sampler)), 1e-3);
  int sets = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const ImpactProblem problem = test::randomPlanar(seed);
    const ExactSet set(problem, {1'000'000, 20'000});
    if (!set.complete()) continue;
    EXPECT_LT(worstOutside(problem, set, drawSamples("routh", problem, {}, sampler)), 1e-3) << seed;
    ++sets;
  }
  EXPECT_GE(sets, 90);
}

// The friction of a spatial contact is that of the slip at the end of a step: outcomes with a slip that turns on the
// way lay .02 to .035 of the speed outside.
TEST(SlowSamplerExtremes, StepsDoNotJumpOverWhereSpatialSlipsTurn) {
  ImpactProblem edge = test::landedBox(0.6);
  edge.normal = edge.normal({1, 3}, Eigen::all).eval();
  edge.tangent = {edge.tangent[1], edge.tangent[3]};
  edge.friction.resize(2);
  edge.restitution.resize(2);
  edge.velocity << 0.3, 0.1, -1.4, 0.5, 0.2, 0.3;
  ExactGauge::Effort effort;
  effort.cone_edges = 8;
  effort.work = 100'000'000;
  const ExactGauge gauge(edge, effort);
  ASSERT_TRUE(gauge.known());
  SamplerOptions sampler;
  sampler.samples = 1000;
  sampler.mixed_rates = true;
  const SampleSet samples = drawSamples("routh", edge, {}, sampler);
  double worst = 0;
  for (const auto& v : samples.velocity.colwise()) worst = std::max(worst, gauge.outside(v));
  EXPECT_LT(worst, 2e-3);
  sampler.corners = true;
  EXPECT_GT(gauge.coveredShare(drawSamples("routh", edge, {}, sampler).velocity), 1 - 1e-9);
}

// Larger sets than the sampler's own search looks for (here up to 5 million steps of work) have their extremes too.
TEST(SlowSamplerExtremes, SeededSamplesReachThoseOfRandomSets) {
  SamplerOptions sampler;
  sampler.samples = 2000;
  sampler.mixed_rates = sampler.corners = true;
  int sets = 0;
  for (const auto& [seed, rank] : {std::pair{25, 3}, {66, 3}, {103, 3}, {104, 3}, {41, 4}, {95, 4}, {5, 5}, {1, 6}}) {
    const ImpactProblem problem = test::randomThreeContacts(static_cast<std::uint64_t>(seed), rank);
    const ExactSet set(problem, {5'000'000, 20'000});
    if (!set.complete()) continue;
    ++sets;
    const SampleSet samples = drawSamples("routh", problem, {}, sampler);
    EXPECT_EQ(samples.unfinished + samples.failed, 0) << seed;
    EXPECT_LT(openShare(problem, set, samples), 0.02) << seed;
    // .49, .31 and .64 of 25, 66 and 41 were jumps: other contacts pushed than those that approached.
    EXPECT_LT(worstOutside(problem, set, samples), 2e-3) << seed;
  }
  EXPECT_GE(sets, 6);
}

TEST(SamplerExtremes, SeededSamplesReachEveryKnownExtreme) {
  for (const test::KnownSet& known : test::knownSets()) {
    SamplerOptions sampler;
    sampler.samples = 2000;
    sampler.mixed_rates = true;
    sampler.corners = true;
    EXPECT_LT(openShare(known.problem, drawSamples("routh", known.problem, {}, sampler)), 0.02) << known.name;
  }
}

TEST(SamplerExtremes, LawsOfRatesReachThoseOfTheBlockWithoutSeedsForEveryStep) {
  for (const double step : {0.3, 0.1, 0.03}) {
    ImpactOptions options;
    options.step = step;
    SamplerOptions sampler;
    sampler.samples = 2000;
    sampler.mixed_rates = true;
    EXPECT_LT(openShare(test::rockingBlock(), drawSamples("routh", test::rockingBlock(), options, sampler)), 0.02)
        << step;
  }
}

TEST(SamplerExtremes, ContactsListedThreeTimesChangeNothing) {
  for (const ImpactProblem& once : {test::rockingBlock(), test::compassGait()}) {
    ImpactProblem thrice = once;
    thrice.normal = once.normal.replicate(3, 1);
    for (int k = 0; k < 2; ++k) {
      thrice.tangent.insert(thrice.tangent.end(), once.tangent.begin(), once.tangent.end());
      thrice.friction.insert(thrice.friction.end(), once.friction.begin(), once.friction.end());
      if (!once.restitution.empty())
        thrice.restitution.insert(thrice.restitution.end(), once.restitution.begin(), once.restitution.end());
    }
    SamplerOptions sampler;
    sampler.samples = 300;
    const SampleSet a = drawSamples("routh", once, {}, sampler), b = drawSamples("routh", thrice, {}, sampler);
    ASSERT_EQ(a.velocity.cols(), b.velocity.cols());
    EXPECT_TRUE((a.velocity.array() == b.velocity.array()).all());
  }
}

TEST(SamplerExtremes, SeedsOfLargerProblemsAreOutcomes) {
  const ImpactProblem problem = test::diskStack();
  const std::vector<ImpactOutcome> seeds = cornerOutcomes(problem, 100);
  ASSERT_GT(seeds.size(), 5u);
  for (const ImpactOutcome& seed : seeds) {
    EXPECT_EQ(seed.note, kDirectedExtreme);
    test::expectValid(problem, {}, seed);
  }
  EXPECT_TRUE(cornerOutcomes(test::inSpace(test::rockingBlock()), 100).empty());
}

}  // namespace
}  // namespace rigor::impact
