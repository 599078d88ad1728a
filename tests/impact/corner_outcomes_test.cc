// SPDX-License-Identifier: MIT
// Proved: corners of sets are outcomes of the impulses that stand beside them, and gain no energy, also where rows
// depend on each other but for rounding, and of machines with many velocities. Oracle: M (v+ - v) = J' p, in doubles.
// That they are in the set, and all of it: exact_gauge_test.cc.
#include "impact/sets/corner_outcomes.h"

#include <gtest/gtest.h>

#include <Eigen/Core>

#include "impact/sets/exact_problem.h"
#include "tests/dense_algebra.h"

namespace rigor::impact {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A symmetric positive definite matrix with eigenvalues from 1 to 100.
MatrixXd massMatrix(int n) {
  const MatrixXd Q = algebra::orthogonalFactor(MatrixXd::Random(n, n));
  const MatrixXd M = Q * VectorXd::LinSpaced(n, 1, 100).asDiagonal() * Q.transpose();
  return (M + M.transpose()) / 2;
}

/// Contacts without friction that approach.
ImpactProblem approaching(const MatrixXd& mass, const MatrixXd& normal, const VectorXd& velocity) {
  ImpactProblem problem{mass, normal, {}, {}, {}, velocity};
  for (int i = 0; i < problem.numContacts(); ++i) {
    problem.tangent.push_back(MatrixXd::Zero(2, problem.numVelocities()));
    problem.friction.push_back(0), problem.restitution.push_back(0);
  }
  return problem;
}

void expectOutcomesOfTheirImpulses(const ImpactProblem& problem) {
  const auto energy = [&](const VectorXd& v) { return 0.5 * v.dot(problem.mass_matrix * v); };
  const MatrixXd inverse = algebra::inverse(problem.mass_matrix);
  const std::vector<ImpactOutcome> corners = cornerOutcomes(problem, 100);
  ASSERT_FALSE(corners.empty());
  const double speed = problem.velocity.norm();
  for (const ImpactOutcome& corner : corners) {
    VectorXd impulse = VectorXd::Zero(problem.numVelocities());
    for (int i = 0; i < problem.numContacts(); ++i) {
      EXPECT_GE(corner.impulses[static_cast<size_t>(i)][0], 0);
      impulse += problem.normal.row(i).transpose() * corner.impulses[static_cast<size_t>(i)][0];
    }
    EXPECT_LE((corner.velocity - problem.velocity - inverse * impulse).norm(), 1e-8 * speed);
    EXPECT_LE(energy(corner.velocity), energy(problem.velocity) * (1 + 1e-9));
    EXPECT_GE((problem.normal * corner.velocity).minCoeff(), -1e-8 * speed);
  }
}

// Two contacts of one pair of faces have one normal but for rounding; one of them approaches by less than is told from
// zero. Taken for what moves, that became 1e8 m/s.
TEST(CornerOutcomes, RowsThatDependButForRoundingMakeNoVelocities) {
  MatrixXd normal(3, 4);
  normal << 1, 0, 0, 0.5, /**/ 1, 2.5e-14, 0, 0.5, /**/ 0, 0, 1, -0.25;
  VectorXd velocity(4);
  velocity << -0.01, 0.3, -0.2, 0.02;  // The first two rows vanish, but for the second's 7.5e-15.
  expectOutcomesOfTheirImpulses(approaching(MatrixXd::Identity(4, 4), normal, velocity));
}

TEST(CornerOutcomes, OfMachinesWithManyVelocities) {
  srand(3);
  for (const int n : {7, 13, 40}) {
    const MatrixXd normal = MatrixXd::Random(5, n);
    VectorXd velocity = VectorXd::Random(n);
    if ((normal * velocity).maxCoeff() > 0) velocity -= 2 * normal.transpose() * (normal * velocity).cwiseMax(0);
    expectOutcomesOfTheirImpulses(approaching(massMatrix(n), normal, velocity));
  }
}

TEST(SolveExactly, GivesWhatSolves) {
  srand(5);
  for (const int n : {1, 2, 7, 20}) {
    std::vector<std::vector<mpq_class>> A(static_cast<size_t>(n)), B(A.size());
    for (size_t i = 0; i < A.size(); ++i) {
      // Zeros ask for pivots.
      for (int j = 0; j < n; ++j) A[i].emplace_back(rand() % 3 == 0 ? 0 : rand() % 2001 - 1000, 1 + rand() % 50);
      for (int j = 0; j < 3; ++j) B[i].emplace_back(rand() % 2001 - 1000, 1 + rand() % 50);
      for (auto* row : {&A[i], &B[i]})
        for (mpq_class& x : *row) x.canonicalize();
      A[i][i] += 1000;
    }
    std::vector<std::vector<mpq_class>> X = B;
    ASSERT_TRUE(solveExactly(A, X));
    for (size_t i = 0; i < A.size(); ++i) {
      for (size_t k = 0; k < 3; ++k) {
        mpq_class sum = 0;
        for (size_t j = 0; j < A.size(); ++j) sum += A[i][j] * X[j][k];
        EXPECT_EQ(sum, B[i][k]);
      }
    }
    A.back() = A.front();
    for (mpq_class& x : A.back()) x *= mpq_class(-3, 7);
    if (n > 1) {
      EXPECT_FALSE(solveExactly(A, X));
    }
  }
}

}  // namespace
}  // namespace rigor::impact
