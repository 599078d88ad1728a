// SPDX-License-Identifier: MIT
// Proved: impacts of jammed contacts (parallel walls, wedges) end in all models but the sequential one, whose outcomes
// are valid where it ends; the exact set of a body between walls is what its one free direction allows.
#include <gtest/gtest.h>

#include <random>

#include "impact/problem/separable.h"
#include "impact/sets/exact_set.h"
#include "impact/sets/polytope_union.h"
#include "outcome_checks.h"
#include "published_problems.h"

namespace rigor::impact {
namespace {

/// Up to four contacts that no velocity separates all at once: the last normal balances the others.
ImpactProblem randomJam(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> pick(0, 5);
  const auto draw = [&](double) { return normal(random); };
  while (true) {
    const int m = 2 + pick(random) % 3, n = 2 + pick(random) % 4;
    Eigen::MatrixXd A(n, n), N(m, n), T(m, n);
    for (auto* matrix : {&A, &N, &T}) *matrix = matrix->unaryExpr(draw);
    const Eigen::VectorXd v = Eigen::VectorXd(n).unaryExpr(draw);
    N.row(m - 1).setZero();
    for (int i = 0; i < m - 1; ++i) N.row(m - 1) -= std::abs(draw(0)) * N.row(i);
    ImpactProblem problem = test::planarProblem(A * A.transpose() + 0.3 * Eigen::MatrixXd::Identity(n, n), N, T, 1, v);
    const double mu[] = {0, 0.1, 0.3, 0.7, 1, 2};
    for (double& coefficient : problem.friction) coefficient = mu[pick(random)];
    if ((N * v).minCoeff() < -0.05 && !findSeparability(problem).separable) return problem;
  }
}

TEST(Jams, EndInAllModelsButTheSequentialOne) {
  int unfinished = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const ImpactProblem problem = randomJam(seed);
    for (const std::string& name : runResolverNames()) {
      const auto model = makeResolver(name);
      for (std::uint64_t k = 0; k < (model->isRandom() ? 10 : 1); ++k) {
        ImpactOutcome outcome;
        const ImpactStatus status = model->resolve(problem, {}, {seed, k}, outcome);
        if (name == "sequential" && status == ImpactStatus::kUnfinished) {
          ++unfinished;
          continue;
        }
        ASSERT_EQ(status, ImpactStatus::kResolved) << name << ' ' << seed;
        if (name != "propagative") test::expectValid(problem, {}, outcome);
      }
    }
  }
  EXPECT_LT(unfinished, 60);
}

// Friction slows the slide along the walls; the push of the wall that is hit stops the approach.
TEST(Jams, ABodyBetweenWallsHasAnExactSet) {
  const ImpactProblem problem = test::planarProblem(
      Eigen::Matrix2d::Identity(), (Eigen::MatrixXd(2, 2) << 1, 0, -1, 0).finished(),
      (Eigen::MatrixXd(2, 2) << 0, 1, 0, 1).finished(), 0.5, Eigen::Vector2d(-1, 3));
  const ExactSet set(problem);
  ASSERT_TRUE(set.complete()) << set.limit();
  const PolytopeUnion outcomes(set);
  for (const ExactQuantity& quantity : quantitiesOf(set.problem())) {
    if (quantity.name == "v0") {
      EXPECT_EQ(outcomes.smallest(quantity).value, 0);
      EXPECT_EQ(outcomes.largest(quantity).value, 0);
    } else if (quantity.name == "v1") {
      // The wall that is hit pushes with 1 N s; where both push, their forces balance and their friction may do more.
      EXPECT_EQ(outcomes.largest(quantity).value, mpq_class(5, 2));
    }
  }
}

}  // namespace
}  // namespace rigor::impact
