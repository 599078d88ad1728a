// SPDX-License-Identifier: MIT
// Proved: sequential impacts give the published and the textbook outcomes, in the order asked for, whatever the units,
// the frame and the numbering of the contacts; an impact that does not end is reported. Oracles: published values (Halm
// and Posa) and closed forms (elastic exchange of equal balls), invariances.
#include "impact/models/sequential.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numeric>
#include <random>

#include "impact/samples/outcome_set.h"
#include "published_problems.h"
#include "tests/dense_algebra.h"
#include "tests/impact/contact_sets.h"

namespace rigor::impact {
namespace {

using test::kNineDigits;

Eigen::VectorXd velocityAfter(const ImpactProblem& problem, std::vector<int> order = {}) {
  ImpactOptions options;
  options.order = std::move(order);
  ImpactOutcome outcome;
  EXPECT_EQ(Sequential().resolve(problem, options, {}, outcome), ImpactStatus::kResolved);
  return outcome.velocity;
}

ImpactProblem equalBalls(int balls, double e) {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::MatrixXd::Identity(balls, balls);
  problem.normal = Eigen::MatrixXd::Zero(balls - 1, balls);
  for (int i = 0; i + 1 < balls; ++i) problem.normal(i, i) = -1, problem.normal(i, i + 1) = 1;
  problem.friction.assign(balls - 1, 0.0);
  problem.restitution.assign(balls - 1, e);
  problem.velocity = Eigen::VectorXd::Unit(balls, 0);
  return problem;
}

/// The contacts renumbered: contact i of the result is contact order[i] of `problem`.
ImpactProblem renumbered(const ImpactProblem& problem, const std::vector<int>& order) {
  ImpactProblem result = problem;
  for (size_t i = 0; i < order.size(); ++i) {
    result.normal.row(static_cast<long>(i)) = problem.normal.row(order[i]);
    result.tangent[i] = problem.tangent[order[i]];
    result.friction[i] = problem.friction[order[i]];
    result.restitution[i] = problem.restitution[order[i]];
  }
  return result;
}

ImpactStatus everyOrder(const ImpactProblem& problem, std::vector<OrderedOutcome>& outcomes, int& unfinished) {
  return resolveAllOrders(*findModel("sequential"), problem, {}, outcomes, unfinished);
}

TEST(Sequential, RockingBlockRocksAwayFromTheFirstCorner) {
  const Eigen::Vector3d published(.0930183852795, .0465091926397, -.0930183852795);
  EXPECT_LT((velocityAfter(test::rockingBlock()) - published).cwiseAbs().maxCoeff(), kNineDigits);
  EXPECT_LT((velocityAfter(test::rockingBlock(), {0, 1}) - published).cwiseAbs().maxCoeff(), kNineDigits);
  const Eigen::Vector3d mirror(-published[0], published[1], -published[2]);
  EXPECT_LT((velocityAfter(test::rockingBlock(), {1, 0}) - mirror).cwiseAbs().maxCoeff(), kNineDigits);
}

TEST(Sequential, ElasticBallsPassTheMomentumOn) {
  for (int balls : {2, 3, 5, 9}) {
    EXPECT_LT((velocityAfter(equalBalls(balls, 1)) - Eigen::VectorXd::Unit(balls, balls - 1)).cwiseAbs().maxCoeff(),
              1e-14);
  }
  // Restitution e: the pairs share (1 +- e)/2 one after the other; the last of three leaves with ((1 + e)/2)^2.
  const Eigen::VectorXd v = velocityAfter(equalBalls(3, 0.5));
  EXPECT_NEAR(v[2], 0.75 * 0.75, 1e-12);
  EXPECT_NEAR(v.sum(), 1, 1e-12);
}

TEST(Sequential, PlasticBallsEndTogether) {
  // Infinitely many impacts in exact arithmetic; the limit is the common velocity.
  const Eigen::VectorXd v = velocityAfter(equalBalls(3, 0));
  EXPECT_LT((v.array() - 1.0 / 3).abs().maxCoeff(), 1e-9);
}

TEST(Sequential, EveryOrderOfTheCradleAndTheBlock) {
  std::vector<OrderedOutcome> outcomes;
  int unfinished = 0;
  ASSERT_EQ(everyOrder(test::rockingBlock(), outcomes, unfinished), ImpactStatus::kResolved);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].order, (std::vector<int>{0, 1}));
  EXPECT_EQ(outcomes[1].order, (std::vector<int>{1, 0}));
  // One contact approaches at a time: all 24 orders are one outcome.
  ASSERT_EQ(everyOrder(equalBalls(5, 1), outcomes, unfinished), ImpactStatus::kResolved);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].orders, 24);
  EXPECT_THROW((void)everyOrder(equalBalls(9, 1), outcomes, unfinished), std::invalid_argument);
}

TEST(Sequential, NumberingOfTheContactsIsOnlyTheOrder) {
  const ImpactProblem problem = test::diskStack();
  const std::vector<int> order{3, 0, 4, 1, 2};
  const Eigen::VectorXd renamed = velocityAfter(renumbered(problem, order));
  EXPECT_LT((renamed - velocityAfter(problem, order)).norm(), 1e-12);
}

TEST(Sequential, UnitsFramesAndTangentSignsDoNotMatter) {
  std::mt19937_64 random(8);
  std::normal_distribution<double> gauss;
  for (const ImpactProblem& problem : {test::boxAndWall(), test::compassGait(), test::ramOne(), test::diskStack()}) {
    const Eigen::VectorXd v = velocityAfter(problem);
    ImpactProblem scaled = problem;
    scaled.mass_matrix *= 0x1p-20;
    scaled.velocity *= 0x1p10;
    EXPECT_LT((velocityAfter(scaled) / 0x1p10 - v).norm(), 1e-9 * problem.velocity.norm());
    ImpactProblem flipped = problem;
    for (Eigen::MatrixXd& T : flipped.tangent) T = -T;
    EXPECT_LT((velocityAfter(flipped) - v).norm(), 1e-9 * problem.velocity.norm());
    // Other generalized coordinates, v = T w.
    const int n = problem.numVelocities();
    const Eigen::MatrixXd T = Eigen::MatrixXd::Identity(n, n) +
                              0.3 / n * Eigen::MatrixXd::NullaryExpr(n, n, [&] { return gauss(random); });
    ImpactProblem turned = problem;
    turned.mass_matrix = T.transpose() * problem.mass_matrix * T;
    turned.mass_matrix = (0.5 * (turned.mass_matrix + turned.mass_matrix.transpose())).eval();
    turned.normal = problem.normal * T;
    for (Eigen::MatrixXd& t : turned.tangent) t = t * T;
    turned.velocity = algebra::inverse(T) * problem.velocity;
    EXPECT_LT((T * velocityAfter(turned) - v).norm(), 1e-7 * problem.velocity.norm());
  }
}

TEST(Sequential, OrdersThatAreNoPermutationAreRefused) {
  for (const std::vector<int>& order : {std::vector<int>{0}, {0, 0}, {1, 2}, {0, 1, 2}, {-1, 0}}) {
    ImpactOptions options;
    options.order = order;
    ImpactOutcome outcome;
    EXPECT_THROW((void)Sequential().resolve(test::rockingBlock(), options, {}, outcome), std::invalid_argument);
  }
}

TEST(Sequential, AnImpactThatDoesNotEndSaysSo) {
  // A light ball between two heavy ones that approach: nearly elastic, it is hit some sqrt(ratio) times; more than the
  // cap.
  ImpactProblem problem = equalBalls(3, 1);
  problem.mass_matrix.diagonal() << 1e12, 1, 1e12;
  problem.velocity << 1, 0, -1;
  ImpactOutcome outcome;
  EXPECT_EQ(Sequential().resolve(problem, {}, {}, outcome), ImpactStatus::kUnfinished);
  EXPECT_NE(outcome.note, "");
  std::vector<OrderedOutcome> outcomes;
  int unfinished = 0;
  EXPECT_EQ(everyOrder(problem, outcomes, unfinished), ImpactStatus::kUnfinished);
  EXPECT_EQ(unfinished, 2);
  EXPECT_TRUE(outcomes.empty());
}

TEST(Sequential, RandomSpatialProblemsKeepTheInvariants) {
  std::mt19937_64 random(31);
  int resolved_count = 0;
  for (int k = 0; k < 150; ++k) {
    const test::ContactSet set = test::randomSet(random, std::array{0, 1, 2, 5}[k % 4], 1);
    ImpactProblem problem;
    problem.mass_matrix = algebra::inverse(set.inverse_mass);
    problem.normal.resize(set.contacts(), set.J.cols());
    for (int i = 0; i < set.contacts(); ++i) {
      problem.normal.row(i) = set.J.row(3 * i);
      problem.tangent.push_back(set.J.middleRows(3 * i + 1, 2));
      problem.friction.push_back(set.mu[i]);
      problem.restitution.push_back(k % 2 ? 0.4 : 0);
    }
    problem.velocity = test::randomVector(random, static_cast<int>(set.J.cols()));
    ImpactOutcome outcome;
    const ImpactStatus status = Sequential().resolve(problem, {}, {}, outcome);
    ASSERT_NE(status, ImpactStatus::kFailed) << k;
    if (status != ImpactStatus::kResolved) continue;
    ++resolved_count;
    const double speed = (problem.normal.cwiseAbs() * problem.velocity.cwiseAbs()).maxCoeff();
    EXPECT_GE((problem.normal * outcome.velocity).minCoeff(), -1e-9 * speed);
    const auto energy = [&](const Eigen::VectorXd& v) { return v.dot(problem.mass_matrix * v); };
    EXPECT_LE(energy(outcome.velocity), energy(problem.velocity) * (1 + 1e-10));
    Eigen::VectorXd momentum = problem.mass_matrix * (outcome.velocity - problem.velocity);
    const double size = momentum.cwiseAbs().maxCoeff();
    for (int i = 0; i < problem.numContacts(); ++i) {
      momentum -= outcome.impulses[i][0] * problem.normal.row(i).transpose() +
                  problem.tangent[i].transpose() * outcome.impulses[i].tail(2);
      EXPECT_GE(outcome.impulses[i][0], 0);
    }
    EXPECT_LT(momentum.cwiseAbs().maxCoeff(), 1e-8 * (1 + size));
  }
  EXPECT_GT(resolved_count, 100);
}

}  // namespace
}  // namespace rigor::impact
