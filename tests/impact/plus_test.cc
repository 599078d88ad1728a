// SPDX-License-Identifier: MIT
// Proved: PLUS converges to the exact rigid limit of one contact, reproduces the examples of Uchida, Sherman and Delp,
// spreads loads evenly, and its outcomes are valid, whatever the order of contacts, the frame and the units.
// Oracles: an integration of Darboux's and Keller's equations over the normal impulse (darboux_keller.h), closed forms,
// the published rounds and transitions, invariants computed here from the problem itself.
#include "impact/models/plus.h"

#include <gtest/gtest.h>

#include "darboux_keller.h"
#include "outcome_checks.h"
#include "plus_examples.h"
#include "published_problems.h"
#include "tests/dense_algebra.h"

namespace rigor::impact {
namespace {

using test::expectValid;
using test::spatialProblem;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Role = ImpactPoint::Role;
using Slip = ImpactPoint::Slip;

constexpr RandomKey kKey{};
constexpr double kRounding = 1e-12;

ImpactOutcome resolved(const ImpactProblem& problem, const ImpactOptions& options = {},
                       std::vector<PlusInterval>* intervals = nullptr) {
  Plus plus;
  plus.trace(intervals);
  ImpactOutcome outcome;
  EXPECT_EQ(plus.resolve(problem, options, kKey, outcome), ImpactStatus::kResolved) << outcome.note;
  expectValid(problem, options, outcome);
  return outcome;
}

// Contact rows of one contact, (t1, t2, n), and the oracle's answer.
MatrixXd contactRows(const ImpactProblem& problem) {
  MatrixXd J(3, problem.numVelocities());
  J << problem.tangent[0], problem.normal.row(0);
  return J;
}
test::RigidLimit rigidLimit(const ImpactProblem& problem, double step = 2e-3) {
  const MatrixXd J = contactRows(problem);
  const Matrix3d K = algebra::congruence(J, algebra::inverse(problem.mass_matrix));
  return test::DarbouxKeller(K, problem.friction[0], problem.restitution[0], step).run(J * problem.velocity);
}

double relativeError(const ImpactProblem& problem, const ImpactOutcome& outcome, const test::RigidLimit& exact) {
  const MatrixXd J = contactRows(problem);
  return (J * outcome.velocity - exact.v).norm() / (J * problem.velocity).norm();
}

struct Vertex {
  double mu, e;
  int transition_round;  // in which the contact begins to roll; -1: it slides throughout
};
constexpr Vertex kVertices[] = {{.125, .392, -1}, {.225, .387, 1}, {.325, .373, 0}};

TEST(PlusExampleOne, IsTheRigidLimitWithinATenthOfAPercent) {
  for (const Vertex& vertex : kVertices) {
    const ImpactProblem problem = test::brickOnVertex(vertex.mu, vertex.e);
    const test::RigidLimit exact = rigidLimit(problem);
    ASSERT_LT((rigidLimit(problem, 1e-3).v - exact.v).norm(), 1e-9 * exact.v.norm());  // The oracle has converged.
    std::vector<PlusInterval> intervals;
    const ImpactOutcome outcome = resolved(problem, {}, &intervals);
    EXPECT_LT(relativeError(problem, outcome, exact), 1e-3);
    EXPECT_NEAR(outcome.impulses[0][0], exact.impulse, 1e-3 * exact.impulse);
    EXPECT_TRUE(outcome.note.empty());
    // Where the paper sees the contact begin to roll; by the oracle too.
    int transition = -1;
    for (const PlusInterval& interval : intervals)
      if (transition < 0 && interval.points[0].slip == Slip::kRolls) transition = interval.round;
    EXPECT_EQ(transition, vertex.transition_round);
    const double ended = exact.end_of_slip;
    EXPECT_EQ(ended < 0 ? -1 : ended > exact.end_of_compression ? 1 : 0, vertex.transition_round);
    std::printf("mu %.3f: %zu intervals, error %.1e\n", vertex.mu, intervals.size(),
                relativeError(problem, outcome, exact));
  }
}

TEST(PlusExampleOne, ConvergesWithTheSquareOfThetaMax) {
  const ImpactProblem problem = test::brickOnVertex(.125, .392);
  const test::RigidLimit exact = rigidLimit(problem);
  double errors[2];
  for (int i : {0, 1}) {
    ImpactOptions options;
    options.plus.theta_max = i == 0 ? 0.1 : 0.0125;
    errors[i] = relativeError(problem, resolved(problem, options), exact);
  }
  EXPECT_LT(errors[1], errors[0] / 24);  // eight times finer: 64 for the second order, 8 for the first
  for (double theta : {.15, .25}) {
    ImpactOptions options;
    options.plus.theta_max = theta;
    EXPECT_LT(relativeError(problem, resolved(problem, options), exact), 0.02);  // coarse, and still right
  }
}

TEST(PlusExampleTwo, FourVerticesInUnison) {
  const double mu = .2, e = .414;
  const Vector3d v(-2, 0, -8.84);
  const ImpactProblem problem = test::brickOnFace(mu, e, v);
  std::vector<PlusInterval> intervals;
  const ImpactOutcome outcome = resolved(problem, {}, &intervals);
  // Until slip ends nothing turns: the loads balance the moment of friction. Then the four points roll.
  ASSERT_GE(intervals.size(), 3u);
  EXPECT_LT((intervals[0].velocity.head<3>() - Vector3d(v.x() - mu * v.z(), 0, 0)).norm(), 1e-10);
  EXPECT_LT(intervals[0].velocity.tail<3>().norm(), 1e-10);
  for (const ImpactPoint& point : intervals[0].points) EXPECT_EQ(point.slip, Slip::kSlides);
  EXPECT_EQ(intervals[1].round, 1);
  EXPECT_LT(std::abs(intervals[1].velocity[0]), 1e-10);
  // (v_x - mu v_z) is stopped by friction mu times the impulse: share of the expansion until slip ends.
  EXPECT_NEAR(intervals[1].length, (-v.x() + mu * v.z()) / (-mu * e * v.z()), 1e-10);
  EXPECT_NEAR(outcome.velocity[2], -e * v.z(), 1e-10);
  for (int i = 0; i < 4; ++i) EXPECT_LT((problem.tangent[i] * outcome.velocity).norm(), 1e-10);
  // Mirror symmetry in y, and Poisson's total.
  EXPECT_NEAR(outcome.impulses[0][0], outcome.impulses[2][0], 1e-10);
  EXPECT_NEAR(outcome.impulses[1][0], outcome.impulses[3][0], 1e-10);
  double total = 0;
  for (const VectorXd& p : outcome.impulses) total += p[0];
  EXPECT_NEAR(total, -(1 + e) * test::kBrickMass * v.z(), 1e-10);
}

TEST(PlusExampleThree, OnlyTheLastBallLeavesAfterThePublishedRounds) {
  std::vector<PlusInterval> intervals;
  const ImpactOutcome outcome = resolved(test::ballRow(5, 1, 2, 1), {}, &intervals);
  EXPECT_LT((outcome.velocity - 2 * VectorXd::Unit(5, 4)).norm(), 1e-12);
  // Table 2: contact k compresses in round k, expands in the next.
  ASSERT_EQ(intervals.size(), 5u);
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(intervals[round].round, round);
    for (int k = 0; k < 4; ++k) {
      const Role role = k == round ? Role::kCompressing : k + 1 == round ? Role::kExpanding : Role::kObserving;
      EXPECT_EQ(intervals[round].points[k].role, role);
    }
  }
  // Two balls strike: two leave. A plastic row moves on as one.
  ImpactProblem two = test::ballRow(6, .3, 1, 1);
  two.velocity[1] = 1;
  EXPECT_LT((resolved(two).velocity - VectorXd::Unit(6, 4) - VectorXd::Unit(6, 5)).norm(), 1e-9);
  EXPECT_LT((resolved(test::ballRow(5, 1, 2, 0)).velocity - VectorXd::Constant(5, 0.4)).norm(), 1e-5);
  EXPECT_LT((resolved(test::ballRow(30, 1, 2, 1)).velocity - 2 * VectorXd::Unit(30, 29)).norm(), 1e-9);
}

TEST(PlusExampleFour, FrictionFollowsTheReversedSlip) {
  // At friction 0.1 the slip of the ball ends in the expansion and reverses; the oracle has a second, decoupled
  // tangent.
  for (const auto& [mu, e] : {std::pair{.1, 1.}, std::pair{.5, 1.}, std::pair{.05, .5}, std::pair{.2, 0.}}) {
    const ImpactProblem problem = test::triplePendulum(mu, e);
    MatrixXd J(2, 3);
    J << problem.tangent[0], problem.normal;
    const Eigen::Matrix2d planar = algebra::congruence(J, algebra::inverse(problem.mass_matrix));
    Matrix3d K = Matrix3d::Identity();
    K(0, 0) = planar(0, 0), K(2, 2) = planar(1, 1), K(0, 2) = K(2, 0) = planar(0, 1);
    const Vector2d before = J * problem.velocity;
    const test::RigidLimit exact = test::DarbouxKeller(K, mu, e).run({before[0], 0, before[1]});
    const ImpactOutcome outcome = resolved(problem);
    const Vector2d after = J * outcome.velocity;
    EXPECT_LT((after - Vector2d(exact.v[0], exact.v[2])).norm(), 1e-6 * before.norm());
    const double p_n = outcome.impulses[0][0], p_t = outcome.impulses[0][1];
    if (mu != .1) continue;
    EXPECT_LT(before[0], 0);
    EXPECT_GT(after[0], 0.1);
    EXPECT_LT(p_t, 0.7 * mu * p_n);  // kept at mu p_n it would go on pushing along the slip
  }
}

TEST(PlusOneContact, RandomBodiesFollowTheRigidLimit) {
  std::mt19937_64 random(31);
  int jams = 0, sticks = 0, reversals = 0, compared = 0;
  double worst = 0;
  for (int k = 0; k < 150; ++k) {
    ImpactProblem problem = spatialProblem(random, 0, k % 3 == 0 ? 3 : 1, true);
    if (problem.friction[0] == kNoSlip) problem.friction[0] = 1;
    if ((problem.normal * problem.velocity)[0] > 0) problem.velocity *= -1;
    const test::RigidLimit exact = rigidLimit(problem, 1e-2);
    const ImpactOutcome outcome = resolved(problem);
    if (exact.energy_gain > 0) continue;  // Poisson's law would add energy: the model must not follow.
    ++compared;
    const Vector3d before = contactRows(problem) * problem.velocity;
    jams += exact.jam;
    sticks += exact.end_of_slip >= 0;
    reversals += exact.v.head<2>().dot(before.head<2>()) < 0;
    worst = std::max(worst, relativeError(problem, outcome, exact));
  }
  std::printf("%d cases, worst error %.1e; %d jams, %d stick, %d reversed\n", compared, worst, jams, sticks, reversals);
  EXPECT_LT(worst, 1e-3);
  EXPECT_GT(compared, 100);
  EXPECT_GT(jams, 2);
  EXPECT_GT(sticks, 15);
  EXPECT_GT(reversals, 5);
}

TEST(PlusOneContact, NoSlipIsTheLimitOfHighFriction) {
  std::mt19937_64 random(32);
  int stuck = 0;
  for (int k = 0; k < 30; ++k) {
    ImpactProblem problem = spatialProblem(random, 0, 1, true);
    if ((problem.normal * problem.velocity)[0] > 0) problem.velocity *= -1;
    ImpactProblem high = problem;
    problem.friction[0] = kNoSlip;
    high.friction[0] = 1e4;
    const test::RigidLimit exact = rigidLimit(high, 1e-2);
    EXPECT_LT(relativeError(problem, resolved(problem), exact), 1e-3) << k;
    stuck += exact.end_of_slip >= 0;
  }
  EXPECT_GT(stuck, 10);
}

TEST(PlusOneContact, FrictionlessIsNewtonsLaw) {
  std::mt19937_64 random(33);
  for (int k = 0; k < 50; ++k) {
    ImpactProblem problem = spatialProblem(random, 0, 1, true);
    problem.friction[0] = 0;
    if ((problem.normal * problem.velocity)[0] > 0) problem.velocity *= -1;
    const double before = (problem.normal * problem.velocity)[0];
    EXPECT_NEAR((problem.normal * resolved(problem).velocity)[0], -problem.restitution[0] * before, -1e-9 * before);
    ImpactOptions options;
    options.capture_speed = -1.01 * before;
    EXPECT_NEAR((problem.normal * resolved(problem, options).velocity)[0], 0, -1e-9 * before);
  }
}

TEST(PlusRedundancy, LoadsAreShared) {
  const ImpactProblem problem = test::brickOnFace(.4, .3, {0, 0, -3});
  const ImpactOutcome outcome = resolved(problem);
  for (const VectorXd& p : outcome.impulses) {
    EXPECT_NEAR(p[0], 1.3 * 3 * test::kBrickMass / 4, 1e-10);
    EXPECT_LT(p.tail<2>().norm(), 1e-10);
  }
  // The same contact given twice shares its load and leaves the outcome as it was.
  const ImpactProblem once = test::brickOnVertex(.225, .387);
  ImpactProblem twice = once;
  twice.normal = once.normal.replicate(2, 1);
  twice.tangent.push_back(once.tangent[0]);
  twice.friction.push_back(once.friction[0]);
  twice.restitution.push_back(once.restitution[0]);
  const ImpactOutcome one = resolved(once), both = resolved(twice);
  EXPECT_LT((one.velocity - both.velocity).norm(), 1e-6 * one.velocity.norm());
  EXPECT_LT((both.impulses[0] - both.impulses[1]).norm(), 1e-6 * one.impulses[0].norm());
}

TEST(PlusInvariance, OrderFrameAndUnits) {
  std::mt19937_64 random(34);
  for (int k = 0; k < 40; ++k) {
    const ImpactProblem problem = spatialProblem(random, std::array{0, 1, 2, 6}[k % 4], 1, true);
    ImpactOptions options;
    options.plus.theta_max = 0.05;
    const ImpactOutcome outcome = resolved(problem, options);
    const double size = problem.velocity.norm();
    ImpactProblem other = problem;
    const int m = problem.numContacts();
    for (int i = 0; i < m; ++i) {
      const int j = m - 1 - i;
      other.normal.row(i) = problem.normal.row(j);
      const Eigen::Matrix2d turn =
          Eigen::Rotation2Dd(0.3 + j).toRotationMatrix() * Vector2d(1, k % 2 ? -1 : 1).asDiagonal();
      other.tangent[i] = turn * problem.tangent[j];
      other.friction[i] = problem.friction[j];
      other.restitution[i] = problem.restitution[j];
    }
    EXPECT_LT((resolved(other, options).velocity - outcome.velocity).norm(), 1e-6 * size) << k;
    ImpactProblem scaled = problem;
    scaled.mass_matrix *= 0x1p+20;
    scaled.velocity *= 0x1p-15;
    EXPECT_LT((0x1p+15 * resolved(scaled, options).velocity - outcome.velocity).norm(), 1e-9 * size) << k;
  }
}

// Halm and Posa's planar problems, among them friction 1e5 and redundant, wedged contacts.
TEST(PlusPlanar, PublishedProblemsAreResolved) {
  for (double e : {0., .5, 1.}) {
    for (ImpactProblem problem :
         {test::rockingBlock(), test::boxAndWall(), test::compassGait(), test::ramOne(), test::diskStack()}) {
      std::fill(problem.restitution.begin(), problem.restitution.end(), e);
      resolved(problem);
    }
  }
  // Both corners at once, without bias: the rocking block bounces flat.
  ImpactProblem block = test::rockingBlock();
  block.restitution.assign(2, .5);
  EXPECT_LT((resolved(block).velocity + .5 * block.velocity).norm(), 1e-10);
}

TEST(PlusOptions, AreChecked) {
  Plus plus;
  ImpactOutcome outcome;
  for (double theta : {0., -1., 2., std::nan("")}) {
    ImpactOptions options;
    options.plus.theta_max = theta;
    EXPECT_THROW((void)plus.resolve(test::rockingBlock(), options, kKey, outcome), std::invalid_argument);
  }
  ImpactOptions options;
  options.plus.rolling_speed = -1;
  EXPECT_THROW((void)plus.resolve(test::rockingBlock(), options, kKey, outcome), std::invalid_argument);
  ImpactProblem problem = test::rockingBlock();
  problem.mass_matrix(0, 1) = .1;
  EXPECT_THROW((void)plus.resolve(problem, {}, kKey, outcome), std::invalid_argument);
  problem = test::rockingBlock();
  problem.restitution[0] = 1.5;
  EXPECT_THROW((void)plus.resolve(problem, {}, kKey, outcome), std::invalid_argument);
}

TEST(PlusRandom, OutcomesAreValid) {
  for (bool restitution : {false, true}) {
    std::mt19937_64 random(restitution ? 42 : 41);
    Plus plus;
    int unresolved = 0;
    for (int k = 0; k < 36; ++k) {
      const int kind = std::array{0, 1, 2, 3, 6, 5}[k % 6];
      const ImpactProblem problem = spatialProblem(random, kind, k % 4 == 0 ? 10 : 1, restitution);
      ImpactOptions options;
      options.plus.theta_max = 0.1;
      ImpactOutcome outcome;
      if (plus.resolve(problem, options, kKey, outcome) != ImpactStatus::kResolved) {
        ++unresolved;
        EXPECT_FALSE(outcome.note.empty());
        continue;
      }
      expectValid(problem, options, outcome);
    }
    EXPECT_EQ(unresolved, 0);
  }
}

// Figure 2 of Uchida, Sherman and Delp: e(v) falls in a line from 1 at rest to e at the plastic speed, and vanishes
// below the capture speed. A ball that hits the ground straight leaves it with e(v) v.
TEST(Plus, SlowHitsReboundByTheRuleOfThePaper) {
  const double e = 0.4, plastic_speed = 0.8, capture_speed = 0.05, mass = 3;
  for (const double speed : {0.01, 0.049, 0.051, 0.1, 0.4, 0.79, 0.8, 1.0, 5.0}) {
    ImpactProblem problem;
    problem.mass_matrix = MatrixXd::Identity(1, 1) * mass;
    problem.normal = MatrixXd::Ones(1, 1);
    problem.tangent = {MatrixXd(0, 1)};
    problem.friction = {0}, problem.restitution = {e};
    problem.velocity = VectorXd::Constant(1, -speed);
    ImpactOptions options;
    options.capture_speed = capture_speed;
    const double constant = speed < capture_speed ? 0 : e * speed;
    EXPECT_NEAR(resolved(problem, options).velocity[0], constant, kRounding * speed) << speed;
    options.plus.plastic_speed = plastic_speed;
    const double at = speed < capture_speed ? 0 : speed >= plastic_speed ? e : 1 - (1 - e) * speed / plastic_speed;
    EXPECT_NEAR(resolved(problem, options).velocity[0], at * speed, kRounding * speed) << speed;
  }
}

}  // namespace
}  // namespace rigor::impact
