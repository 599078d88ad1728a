// SPDX-License-Identifier: MIT
// Proved: one contact returns Newton's restitution and, sliding or sticking, the rigid limit; stiff collisions of the
// rocking block end in the set of the Routh sampler whatever the ratio of stiffnesses; units and the common stiffness
// do not matter. Oracles: closed forms of one contact, samples of the set model, conservation of momentum.
#include "impact/models/compliant.h"

#include <gtest/gtest.h>

#include "impact/samples/outcome_set.h"
#include "impact/samples/sampler.h"
#include "published_problems.h"

namespace rigor::impact {
namespace {

// What finite damping (1 / (4 zeta^2)) and the regularised friction leave of a rigid plastic impact, relative to |v-|.
constexpr double kStiffLimit = 2e-4;

/// A point mass of 2 kg hits a plane; x tangential, y normal.
ImpactProblem pointMass(double restitution, double friction, double vx, double vy) {
  ImpactProblem problem;
  problem.mass_matrix = 2 * Eigen::MatrixXd::Identity(2, 2);
  problem.normal = Eigen::RowVector2d(0, 1);
  problem.tangent = {Eigen::RowVector2d(1, 0)};
  problem.friction = {friction};
  problem.restitution = {restitution};
  problem.velocity = Eigen::Vector2d(vx, vy);
  return problem;
}

ImpactOutcome resolve(const ImpactProblem& problem, const ImpactOptions& options = {}) {
  ImpactOutcome outcome;
  EXPECT_EQ(Compliant().resolve(problem, options, {}, outcome), ImpactStatus::kResolved) << outcome.note;
  return outcome;
}

TEST(Compliant, DampingAndRestitutionAreInverse) {
  for (const double e : {1e-4, 1e-3, .1, std::exp(-2.), .5, .9, .999, 1.})
    EXPECT_NEAR(restitutionOfDamping(dampingOfRestitution(e)), e, 1e-12);
  EXPECT_EQ(dampingOfRestitution(0), kLargestDamping);
  EXPECT_NEAR(restitutionOfDamping(1), std::exp(-2), 1e-12);
  // Solution of x'' + 2 zeta x' + x = 0 where the force vanishes, for a damping where it is elementary: zeta =
  // sin(pi/6).
  EXPECT_NEAR(restitutionOfDamping(.5), std::exp(-2 * .5 * std::numbers::pi / 3 / std::sqrt(.75)), 1e-14);
}

TEST(Compliant, OneFrictionlessContactObeysNewton) {
  for (const double e : {0., .2, .5, .9, 1.}) {
    const ImpactOutcome outcome = resolve(pointMass(e, 0, .3, -4));
    EXPECT_NEAR(outcome.velocity[1], 4 * e, e > 0 ? 4e-7 : 4 * kStiffLimit);
    EXPECT_NEAR(outcome.velocity[0], .3, 1e-12);
    EXPECT_NEAR(outcome.impulses[0][0], 2 * (outcome.velocity[1] + 4), 1e-12);
  }
}

TEST(Compliant, OneSlidingContactLosesMuTimesTheNormalImpulse) {
  const ImpactOutcome slides = resolve(pointMass(.5, .2, 3, -1));
  EXPECT_NEAR(slides.velocity[0], 3 - .2 * 1.5, 1e-6);
  const ImpactOutcome sticks = resolve(pointMass(.5, 5, 3, -1));
  EXPECT_NEAR(sticks.velocity[0], 0, 1e-4);
  const ImpactOutcome held = resolve(pointMass(0, std::numeric_limits<double>::infinity(), 3, -1));
  EXPECT_NEAR(held.velocity[0], 0, 1e-4);
}

/// The rocking block, stiffness of the left corner `ratio` times that of the right one.
ImpactOutcome rockingBlock(double ratio) {
  ImpactOptions options;
  options.compliant.stiffness = {ratio, 1};
  return resolve(test::rockingBlock(), options);
}

TEST(Compliant, StiffnessesOfTheRockingBlockSweepTheSetOfTheSampler) {
  const ImpactProblem problem = test::rockingBlock();
  ImpactOptions options;
  options.step = 0.3, options.step_is_impulse = true, options.max_steps = 10;
  SamplerOptions sampler;
  sampler.samples = 4000;
  const SampleSet set = drawSamples("routh", problem, options, sampler);
  double left = 0, right = 0;
  for (int decade = -4; decade <= 4; ++decade) {
    const ImpactOutcome outcome = rockingBlock(std::pow(10., decade));
    double nearest = INFINITY;
    for (long k = 0; k < set.velocity.cols(); ++k)
      nearest = std::min(nearest, kineticDistance(problem, outcome.velocity, set.velocity.col(k)));
    EXPECT_LT(nearest, .01) << decade;
    const Eigen::Vector2d normal = problem.normal * outcome.velocity;
    EXPECT_NEAR(normal.minCoeff(), 0, 1e-3 * problem.velocity.norm()) << decade;  // Never both corners lift.
    left = std::max(left, normal[0]), right = std::max(right, normal[1]);
  }
  // The ends of the sweep are nearly the sequential outcomes: the corner that is hit last stays, the other lifts at
  // .0930.
  EXPECT_GT(left, .085);
  EXPECT_GT(right, .085);
  EXPECT_LT((rockingBlock(1).velocity).norm(), 1e-3 * problem.velocity.norm());  // Equal stiffness: rest.
}

TEST(Compliant, MirroredStiffnessesGiveMirroredOutcomes) {
  for (const double ratio : {3., 1e3}) {
    const Eigen::VectorXd a = rockingBlock(ratio).velocity, b = rockingBlock(1 / ratio).velocity;
    EXPECT_LT((a - Eigen::Vector3d(-b[0], b[1], -b[2])).norm(), kCompliantAccuracy);
  }
}

TEST(Compliant, UnitsAndTheCommonStiffnessDoNotMatter) {
  ImpactProblem problem = test::compassGait();
  ImpactOptions options;
  options.compliant.stiffness = {2, 5};
  const ImpactOutcome outcome = resolve(problem, options);
  options.compliant.stiffness = {2e7, 5e7};
  EXPECT_LT((resolve(problem, options).velocity - outcome.velocity).norm(), 1e-12);
  problem.mass_matrix *= 1e3;
  problem.velocity *= 1e-3;
  EXPECT_LT((1e3 * resolve(problem, options).velocity - outcome.velocity).norm(), 1e-8);
}

TEST(Compliant, EqualBallsInARowNearlyDisperse) {
  // Three equal balls, e = 1: springs of equal stiffness do not give Newton's exchange, but energy and momentum hold.
  ImpactProblem problem;
  problem.mass_matrix = Eigen::MatrixXd::Identity(3, 3);
  problem.normal.resize(2, 3);
  problem.normal << -1, 1, 0, 0, -1, 1;
  problem.friction = {0, 0};
  problem.restitution = {1, 1};
  problem.velocity = Eigen::Vector3d(1, 0, 0);
  for (const double ratio : {1e-4, 1., 1e4}) {
    ImpactOptions options;
    options.compliant.stiffness = {ratio, 1};
    const Eigen::VectorXd v = resolve(problem, options).velocity;
    EXPECT_NEAR(v.sum(), 1, 1e-12);
    EXPECT_NEAR(v.squaredNorm(), 1, 1e-6);
    EXPECT_GE((problem.normal * v).minCoeff(), 0);
    // The stiff first contact is over before the second one has begun: the sequential exchange.
    if (ratio == 1e4) {
      EXPECT_NEAR(v[2], 1, 2e-2);
    }
  }
}

TEST(Compliant, StiffnessesMustFit) {
  ImpactOptions options;
  ImpactOutcome outcome;
  for (const std::vector<double>& bad : {std::vector<double>{1}, {1, 0}, {1, -1}, {1, NAN}, {1, INFINITY}}) {
    options.compliant.stiffness = bad;
    EXPECT_THROW((void)Compliant().resolve(test::rockingBlock(), options, {}, outcome), std::invalid_argument);
  }
}

}  // namespace
}  // namespace rigor::impact
