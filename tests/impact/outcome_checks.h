// SPDX-License-Identifier: MIT
#pragma once
#include <gtest/gtest.h>

#include <random>

#include "tests/impact/contact_sets.h"
#include "impact/resolver.h"
#include "tests/dense_algebra.h"

/// What holds for an outcome of any impact model, and problems to try the models on.
namespace rigor::impact::test {

inline double energyOf(const ImpactProblem& problem, const Eigen::VectorXd& v) {
  return 0.5 * v.dot(problem.mass_matrix * v);
}

// The invariants of any outcome of any model here.
inline void expectValid(const ImpactProblem& problem, const ImpactOptions& options, const ImpactOutcome& outcome) {
  double speed = 0;
  for (int i = 0; i < problem.numContacts(); ++i) {
    speed = std::max(speed, problem.normal.row(i).cwiseAbs().dot(problem.velocity.cwiseAbs()));
    if (i < static_cast<int>(problem.tangent.size()) && problem.friction[i] > 0) {
      // Along no axis of the tangent plane, but as fast as it is.
      speed = std::max(speed, (problem.tangent[i].cwiseAbs() * problem.velocity.cwiseAbs()).norm());
    }
  }
  EXPECT_GE((problem.normal * outcome.velocity).minCoeff(), -options.tolerance * speed);
  const double before = energyOf(problem, problem.velocity);
  EXPECT_LE(energyOf(problem, outcome.velocity), before * (1 + 1e-10));
  EXPECT_LT(outcome.residual, 1e-10);
  Eigen::VectorXd momentum = problem.mass_matrix * (outcome.velocity - problem.velocity);
  double size = momentum.cwiseAbs().maxCoeff();
  ASSERT_EQ(static_cast<int>(outcome.impulses.size()), problem.numContacts());
  for (int i = 0; i < problem.numContacts(); ++i) {
    const Eigen::VectorXd& p = outcome.impulses[i];
    momentum -= p[0] * problem.normal.row(i).transpose();
    if (p.size() > 1) momentum -= problem.tangent[i].transpose() * p.tail(p.size() - 1);
    size = std::max(size, p.cwiseAbs().maxCoeff() * problem.normal.row(i).cwiseAbs().maxCoeff());
    EXPECT_GE(p[0], -1e-10 * size);
    const double mu = std::isinf(problem.friction[i]) ? 1e4 : problem.friction[i];
    EXPECT_LE(p.tail(p.size() - 1).norm(), mu * std::max(p[0], 0.0) + 1e-9 * size);
  }
  EXPECT_LE(momentum.cwiseAbs().maxCoeff(), 1e-9 * size);
}

// Problems from rigid-body contact sets in space.
inline ImpactProblem spatialProblem(std::mt19937_64& random, int kind, double mu_max, bool restitution) {
  const ContactSet set = randomSet(random, kind, mu_max);
  ImpactProblem problem;
  problem.mass_matrix = algebra::inverse(set.inverse_mass);
  problem.normal.resize(set.contacts(), set.J.cols());
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < set.contacts(); ++i) {
    problem.normal.row(i) = set.J.row(3 * i);
    problem.tangent.push_back(set.J.middleRows(3 * i + 1, 2));
    problem.friction.push_back(random() % 10 == 0 ? kNoSlip : set.mu[i]);
    problem.restitution.push_back(restitution ? unit(random) : 0);
  }
  problem.velocity = randomVector(random, static_cast<int>(set.J.cols()));
  return problem;
}

}  // namespace rigor::impact::test
