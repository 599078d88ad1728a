// SPDX-License-Identifier: MIT
// Proved: Anitescu-Potra and the Routh sampler give the published outcomes; on random problems no contact approaches
// after,
// kinetic energy does not grow, each impulse obeys its friction cone, momentum changes by the impulses alone.
// Oracles: closed forms, published values (Halm and Posa), those invariants computed here from the problem itself.
#include "impact/resolver.h"

#include <gtest/gtest.h>

#include <random>

#include "outcome_checks.h"
#include "published_problems.h"

namespace rigor::impact {
namespace {

using test::expectValid;
using test::spatialProblem;

using test::kNineDigits;
constexpr RandomKey kResolverKey{11, 5};

TEST(Resolvers, NamesAreKnown) {
  ASSERT_GE(resolverNames().size(), 3u);
  for (std::string_view name : runResolverNames()) EXPECT_NE(name, "compliant");
  for (std::string_view name : resolverNames()) EXPECT_NE(makeResolver(name), nullptr);
  EXPECT_EQ(makeResolver("rough"), nullptr);
}

TEST(Resolvers, MalformedProblemsAreRefused) {
  for (std::string_view name : resolverNames()) {
    const auto resolver = makeResolver(name);
    ImpactOutcome outcome;
    ImpactProblem problem = test::rockingBlock();
    problem.mass_matrix(1, 1) = -1;
    EXPECT_THROW((void)resolver->resolve(problem, {}, kResolverKey, outcome), std::invalid_argument);
    problem = test::rockingBlock();
    problem.velocity[0] = std::nan("");
    EXPECT_THROW((void)resolver->resolve(problem, {}, kResolverKey, outcome), std::invalid_argument);
    problem = test::rockingBlock();
    problem.friction.pop_back();
    EXPECT_THROW((void)resolver->resolve(problem, {}, kResolverKey, outcome), std::invalid_argument);
    problem = test::rockingBlock();
    problem.tangent.clear();
    EXPECT_THROW((void)resolver->resolve(problem, {}, kResolverKey, outcome), std::invalid_argument);
    problem.friction.assign(2, 0.0);  // frictionless contacts need no tangent rows
    EXPECT_EQ(resolver->resolve(problem, {}, kResolverKey, outcome), ImpactStatus::kResolved);
  }
}

TEST(Resolvers, SeparatingContactsAreLeftAlone) {
  for (std::string_view name : resolverNames()) {
    ImpactProblem problem = test::rockingBlock();
    problem.velocity[1] = 0.4;
    ImpactOutcome outcome;
    ASSERT_EQ(makeResolver(name)->resolve(problem, {}, kResolverKey, outcome), ImpactStatus::kResolved);
    EXPECT_EQ(outcome.velocity, problem.velocity);
    EXPECT_EQ(outcome.lcps, 0);
  }
}

TEST(AnitescuPotra, RockingBlockComesToRest) {
  const ImpactProblem problem = test::rockingBlock();
  ImpactOutcome outcome;
  ASSERT_EQ(makeResolver("anitescu-potra")->resolve(problem, {}, kResolverKey, outcome), ImpactStatus::kResolved);
  EXPECT_LT(outcome.velocity.cwiseAbs().maxCoeff(), 1e-14);
  // Half of m v each: the published .22147235.
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(outcome.impulses[i][0], 0.5 * std::sqrt(2 * 9.81 * 0.01), kNineDigits);
  EXPECT_NEAR(outcome.impulses[0][0], .22147235, 5e-9);
  EXPECT_NEAR(outcome.impulses[0][1] + outcome.impulses[1][1], 0, kNineDigits);
}

TEST(AnitescuPotra, OneCornerAtATimeGivesThePublishedVelocities) {
  // Sequential resolution, A first: AP on A alone, then on B alone where B still approaches.
  const Eigen::Vector3d published(.0930183852795, .0465091926397, -.0930183852795);
  for (int first : {0, 1}) {
    ImpactProblem problem = test::rockingBlock();
    const ImpactProblem both = problem;
    for (int stage = 0; stage < 20; ++stage) {
      const int contact = (first + stage) % 2;
      problem.normal = both.normal.row(contact);
      problem.tangent = {both.tangent[contact]};
      problem.friction = {1.0};
      problem.restitution = {0.0};
      ImpactOutcome outcome;
      ASSERT_EQ(makeResolver("anitescu-potra")->resolve(problem, {}, kResolverKey, outcome), ImpactStatus::kResolved);
      problem.velocity = outcome.velocity;
      if ((both.normal * problem.velocity).minCoeff() >= -1e-12) break;
    }
    const Eigen::Vector3d mirror(first == 0 ? 1 : -1, 1, first == 0 ? 1 : -1);
    EXPECT_LT((problem.velocity - mirror.cwiseProduct(published)).cwiseAbs().maxCoeff(), kNineDigits);
  }
}

TEST(AnitescuPotra, PivotingBlockLosesThreeTenthsOfItsRate) {
  // Housner: landing on the other corner multiplies the rate by (I + m(h^2 - w^2)/4) / (I + m(h^2 + w^2)/4) = 0.7.
  const double rate = 1;
  ImpactProblem problem = test::rockingBlock();
  // Rotating about the left corner A (v_x = -theta', v_y = theta' / 2), falling onto B.
  problem.velocity = Eigen::Vector3d(rate, -rate / 2, -rate);
  ASSERT_EQ((problem.normal.row(0) * problem.velocity)[0], 0);
  ASSERT_EQ((problem.tangent[0] * problem.velocity)[0], 0);
  ImpactOutcome outcome;
  ASSERT_EQ(makeResolver("anitescu-potra")->resolve(problem, {}, kResolverKey, outcome), ImpactStatus::kResolved);
  EXPECT_NEAR(outcome.velocity[2] / problem.velocity[2], 0.7, kNineDigits);
  EXPECT_GT((problem.normal.row(0) * outcome.velocity)[0], 0);
}

TEST(AnitescuPotra, CompassGaitGivesOneOfItsThreeOutcomes) {
  // The trailing foot lifts, sticks or slides; the leading foot sticks.
  const ImpactProblem problem = test::compassGait();
  ImpactOutcome outcome;
  ASSERT_EQ(makeResolver("anitescu-potra")->resolve(problem, {}, kResolverKey, outcome), ImpactStatus::kResolved);
  EXPECT_NEAR((problem.normal.row(0) * outcome.velocity)[0], 0, 1e-10);
  EXPECT_NEAR((problem.tangent[0] * outcome.velocity)[0], 0, 1e-10);
  expectValid(problem, {}, outcome);
}

TEST(Routh, RockingBlockSetNeverLiftsBothCorners) {
  const ImpactProblem problem = test::rockingBlock();
  const auto resolver = makeResolver("routh");
  ImpactOptions options;
  options.step = 0.3;
  options.step_is_impulse = true;
  int left = 0, right = 0, rest = 0;
  double lcps = 0;
  constexpr int kSamples = 4000;
  for (int k = 0; k < kSamples; ++k) {
    ImpactOutcome outcome;
    ASSERT_EQ(resolver->resolve(problem, options, {1, static_cast<std::uint64_t>(k)}, outcome),
              ImpactStatus::kResolved);
    const Eigen::Vector2d lift = problem.normal * outcome.velocity;
    EXPECT_TRUE(std::abs(lift[0]) < 1e-10 || std::abs(lift[1]) < 1e-10) << lift.transpose();
    lift[0] > 1e-10 ? ++left : lift[1] > 1e-10 ? ++right : ++rest;
    // Sequential resolution is the extreme of the set.
    EXPECT_LE(std::abs(outcome.velocity[2]), .0930183852795 + kNineDigits);
    lcps += outcome.lcps;
    expectValid(problem, options, outcome);
  }
  EXPECT_GT(left, kSamples / 10);
  EXPECT_GT(right, kSamples / 10);
  EXPECT_GT(rest, kSamples / 10);
  // Mirror symmetry, five standard deviations.
  EXPECT_LT(std::abs(left - right), 5 * std::sqrt(left + right));
  EXPECT_NEAR(lcps / kSamples, 2.47, 0.1);  // independent re-run of the published program; published 2.67
}

TEST(Routh, PublishedProblemsFinishWithinTheirStepLimits) {
  struct Row {
    ImpactProblem problem;
    double h;
    int limit;
    double published;
  };
  for (const Row& row : {Row{test::boxAndWall(), 2, 5, 1.97}, Row{test::compassGait(), .25, 5, 2.27},
                         Row{test::ramOne(), 1, 10, 3.20}, Row{test::diskStack(), 1, 40, 9.04}}) {
    const auto resolver = makeResolver("routh");
    ImpactOptions options;
    options.step = row.h;
    options.step_is_impulse = true;
    options.max_steps = row.limit;
    double lcps = 0;
    int finished = 0, unfinished = 0;
    for (int k = 0; k < 1000; ++k) {
      ImpactOutcome outcome;
      const ImpactStatus status = resolver->resolve(row.problem, options, {2, static_cast<std::uint64_t>(k)}, outcome);
      ASSERT_NE(status, ImpactStatus::kFailed);
      status == ImpactStatus::kResolved ? ++finished : ++unfinished;
      if (status != ImpactStatus::kResolved) continue;
      lcps += outcome.lcps;
      expectValid(row.problem, options, outcome);
    }
    EXPECT_LE(unfinished, 10);
    EXPECT_LT(lcps / finished, 1.3 * row.published);
    EXPECT_GT(lcps / finished, 0.5 * row.published);
  }
}

TEST(Routh, SameKeySameBitsOtherKeyOtherSample) {
  const ImpactProblem problem = test::diskStack();
  ImpactOutcome a, b, c;
  const auto used = makeResolver("routh");
  ASSERT_EQ(used->resolve(problem, {}, {3, 8}, c), ImpactStatus::kResolved);
  ASSERT_EQ(used->resolve(problem, {}, {3, 7}, a), ImpactStatus::kResolved);
  ASSERT_EQ(makeResolver("routh")->resolve(problem, {}, {3, 7}, b), ImpactStatus::kResolved);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_NE(a.velocity, c.velocity);
}

TEST(Routh, TooFewStepsAreReported) {
  ImpactOptions options;
  options.step = 1e-3;
  options.max_steps = 3;
  ImpactOutcome outcome;
  EXPECT_EQ(makeResolver("routh")->resolve(test::rockingBlock(), options, kResolverKey, outcome),
            ImpactStatus::kUnfinished);
}

TEST(Routh, UnitsDoNotMatter) {
  for (const ImpactProblem& problem : {test::rockingBlock(), test::boxAndWall(), test::diskStack()}) {
    ImpactOutcome outcome, scaled_outcome;
    ASSERT_EQ(makeResolver("routh")->resolve(problem, {}, kResolverKey, outcome), ImpactStatus::kResolved);
    for (double mass : {0x1p-20, 0x1p20}) {
      for (double speed : {0x1p-20, 0x1p20}) {
        ImpactProblem scaled = problem;
        scaled.mass_matrix *= mass;
        scaled.velocity *= speed;
        ASSERT_EQ(makeResolver("routh")->resolve(scaled, {}, kResolverKey, scaled_outcome), ImpactStatus::kResolved);
        EXPECT_LT((scaled_outcome.velocity / speed - outcome.velocity).norm(), 1e-9 * problem.velocity.norm());
      }
    }
  }
}

TEST(Restitution, BallBouncesWithItsCoefficient) {
  for (std::string_view name : runResolverNames()) {
    for (double e : {0.0, 0.3, 0.7, 1.0}) {
      ImpactProblem problem;
      problem.mass_matrix = 2 * Eigen::MatrixXd::Identity(2, 2);
      problem.normal = Eigen::RowVector2d(0, 1);
      problem.tangent = {Eigen::RowVector2d(1, 0)};
      problem.friction = {0.2};
      problem.restitution = {e};
      problem.velocity = Eigen::Vector2d(3, -1);
      ImpactOutcome outcome;
      ASSERT_EQ(makeResolver(name)->resolve(problem, {}, kResolverKey, outcome), ImpactStatus::kResolved);
      EXPECT_NEAR(outcome.velocity[1], e, 1e-12);
      const double mu = name == "propagative" ? 0 : 0.2;  // frictionless
      EXPECT_NEAR(outcome.velocity[0], 3 - mu * (1 + e), 1e-12);  // slides throughout
      ImpactOptions options;
      options.capture_speed = 1.5;
      ASSERT_EQ(makeResolver(name)->resolve(problem, options, kResolverKey, outcome), ImpactStatus::kResolved);
      EXPECT_NEAR(outcome.velocity[1], 0, 1e-12);
    }
  }
}

void runRandom(std::string_view name, int count, bool restitution, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto resolver = makeResolver(name);
  int failed = 0, unfinished = 0;
  for (int k = 0; k < count; ++k) {
    const int kind = std::array{0, 1, 2, 3, 6, 5}[k % 6];
    const ImpactProblem problem = spatialProblem(random, kind, k % 4 == 0 ? 10 : 1, restitution);
    ImpactOutcome outcome;
    const ImpactStatus status = resolver->resolve(problem, {}, {seed, static_cast<std::uint64_t>(k)}, outcome);
    failed += status == ImpactStatus::kFailed;
    unfinished += status == ImpactStatus::kUnfinished;
    if (status == ImpactStatus::kResolved) expectValid(problem, {}, outcome);
  }
  std::printf("%s: %d cases, %d failed, %d unfinished\n", std::string(name).c_str(), count, failed, unfinished);
  EXPECT_EQ(failed, 0);
  EXPECT_LE(unfinished, count / 500);
}

TEST(ResolversRandom, AnitescuPotra) { runRandom("anitescu-potra", 600, false, 21); }
TEST(ResolversRandom, AnitescuPotraWithRestitution) { runRandom("anitescu-potra", 300, true, 22); }
TEST(ResolversRandom, Routh) { runRandom("routh", 300, false, 23); }
TEST(SlowResolversRandom, RouthWithRestitution) { runRandom("routh", 300, true, 24); }

}  // namespace
}  // namespace rigor::impact
