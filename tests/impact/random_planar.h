// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Dense>
#include <random>

#include "impact/problem/separable.h"
#include "published_problems.h"

namespace rigor::impact::test {

/// A planar impact drawn at random: 2 or 3 contacts, 2 to 4 velocities, some contacts without friction, some at rest at
/// first.
inline ImpactProblem randomPlanar(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> pick(0, 99);
  // Few digits: the numbers stay short, and coincidences occur.
  const auto draw = [&] { return std::round(normal(random) * 100) / 100; };
  while (true) {
    const int m = 2 + pick(random) % 2, n = 2 + pick(random) % 3;
    Eigen::MatrixXd A(n, n), N(m, n), T(m, n);
    Eigen::VectorXd v(n);
    for (auto* matrix : {&A, &N, &T}) *matrix = matrix->unaryExpr([&](double) { return draw(); });
    v = v.unaryExpr([&](double) { return draw(); });
    const Eigen::MatrixXd M = (A * A.transpose() + 0.5 * Eigen::MatrixXd::Identity(n, n)).unaryExpr([](double x) {
      return std::round(x * 1e4) / 1e4;
    });
    ImpactProblem problem = planarProblem(M, N, T, 1, v);
    const double mu[] = {0, 0.1, 0.3, 0.7, 1, 2};
    for (double& coefficient : problem.friction) coefficient = mu[pick(random) % 6];
    if (!((N * v).minCoeff() < -0.05) || !findSeparability(problem).separable) continue;
    return problem;
  }
}

/// Three contacts drawn at random with all the digits of doubles, on `rank` velocities: of that rank, 3 to 6, where
/// friction leaves as many rows.
inline ImpactProblem randomThreeContacts(std::uint64_t seed, int rank) {
  std::mt19937_64 random(seed * 8 + static_cast<std::uint64_t>(rank));
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> pick(0, 5);
  const auto draw = [&](Eigen::Index rows, Eigen::Index columns) {
    return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); }).eval();
  };
  const double mu[] = {0, 0.1, 0.3, 0.7, 1, 2};
  while (true) {
    const Eigen::MatrixXd A = draw(rank, rank), N = draw(3, rank), T = draw(3, rank);
    const Eigen::VectorXd v = draw(rank, 1);
    ImpactProblem problem = planarProblem(A * A.transpose() + 0.3 * Eigen::MatrixXd::Identity(rank, rank), N, T, 1, v);
    int rows = 3;
    for (double& coefficient : problem.friction) rows += (coefficient = mu[pick(random)]) > 0;
    if (rows < rank || !((N * v).minCoeff() < -0.05) || !findSeparability(problem).separable) continue;
    return problem;
  }
}

}  // namespace rigor::impact::test
