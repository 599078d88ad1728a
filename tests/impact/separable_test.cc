// SPDX-License-Identifier: MIT
// Proved: findSeparability() tells jammed configurations from others, with a certificate for either answer.
// Oracles: the certificates themselves, checked here (a velocity that separates all contacts; weights whose normals
// balance: by Gordan's theorem exactly one of them exists), closed forms of wedges.
#include "impact/problem/separable.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "published_problems.h"
#include "tests/dense_algebra.h"

namespace rigor::impact {
namespace {

ImpactProblem withNormals(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& normal) {
  ImpactProblem problem;
  problem.mass_matrix = mass;
  problem.normal = normal;
  problem.friction.assign(static_cast<size_t>(normal.rows()), 0.0);
  problem.velocity = Eigen::VectorXd::Zero(normal.cols());
  return problem;
}

void expectCertified(const ImpactProblem& problem) {
  const Separability found = findSeparability(problem);
  EXPECT_GE(found.weights.minCoeff(), 0);
  EXPECT_NEAR(found.weights.sum(), 1, 1e-12);
  if (found.separable) {
    EXPECT_GT((problem.normal * found.velocity).minCoeff(), 0);
    return;
  }
  // Unit normals in the metric of the identity balance.
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(problem.numVelocities());
  const Eigen::MatrixXd inverse = algebra::inverse(problem.mass_matrix);
  for (int i = 0; i < problem.numContacts(); ++i) {
    const Eigen::VectorXd n = problem.normal.row(i).transpose();
    if (n.isZero(0)) continue;
    sum += found.weights[i] / std::sqrt(n.dot(inverse * n)) * n;
  }
  EXPECT_LT(std::sqrt(sum.dot(inverse * sum)), 2 * kWedgeTolerance);
}

TEST(Separable, PublishedExamplesAre) {
  for (const ImpactProblem& problem :
       {test::rockingBlock(), test::boxAndWall(), test::compassGait(), test::ramOne(), test::diskStack()}) {
    EXPECT_TRUE(findSeparability(problem).separable);
    expectCertified(problem);
  }
}

TEST(Separable, ABodyBetweenParallelWallsIsJammed) {
  Eigen::MatrixXd normal(2, 3);
  normal << 0, 1, 0.2, 0, -1, -0.2;
  const Separability found = findSeparability(withNormals(Eigen::Matrix3d::Identity(), normal));
  EXPECT_FALSE(found.separable);
  EXPECT_NEAR(found.weights[0], 0.5, 1e-12);
  EXPECT_NEAR(found.weights[1], 0.5, 1e-12);
}

TEST(Separable, WedgesUpToTheTolerance) {
  // A point between two walls that open by the angle 2 a: it leaves along the bisector at the speed sin a.
  for (double a : {1.0, 1e-3, 1e-6, 1e-8, 1e-9, 3e-10}) {
    Eigen::MatrixXd normal(2, 2);
    normal << std::sin(a), std::cos(a), std::sin(a), -std::cos(a);
    const Separability found = findSeparability(withNormals(Eigen::Matrix2d::Identity(), normal));
    EXPECT_TRUE(found.separable) << a;
    EXPECT_NEAR(found.margin, std::sin(a), 1e-14 + 1e-6 * a) << a;
  }
  for (double a : {0.0, 1e-12, 3e-11}) {
    Eigen::MatrixXd normal(2, 2);
    normal << std::sin(a), std::cos(a), std::sin(a), -std::cos(a);
    EXPECT_FALSE(findSeparability(withNormals(Eigen::Matrix2d::Identity(), normal)).separable) << a;
  }
  // A third wall closes the way out.
  for (double a : {1.0, 1e-3, 1e-8, -1e-8, -1e-3, -1.0}) {
    Eigen::MatrixXd normal(3, 2);
    normal << std::sin(a), std::cos(a), std::sin(a), -std::cos(a), a > 0 ? -1 : 1, 0;
    EXPECT_FALSE(findSeparability(withNormals(Eigen::Matrix2d::Identity(), normal)).separable) << a;
  }
}

TEST(Separable, ThreeNormalsJamOnlyTogether) {
  Eigen::MatrixXd normal(3, 2);
  for (int i = 0; i < 3; ++i) normal.row(i) << std::cos(2 * M_PI * i / 3), std::sin(2 * M_PI * i / 3);
  const ImpactProblem all = withNormals(Eigen::Matrix2d::Identity(), normal);
  const Separability found = findSeparability(all);
  EXPECT_FALSE(found.separable);
  EXPECT_LT((found.weights.array() - 1.0 / 3).abs().maxCoeff(), 1e-12);
  EXPECT_TRUE(findSeparability(withNormals(Eigen::Matrix2d::Identity(), normal.topRows(2))).separable);
}

TEST(Separable, AZeroNormalIsJammed) {
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(2, 2);
  normal(0, 1) = 1;
  EXPECT_FALSE(findSeparability(withNormals(Eigen::Matrix2d::Identity(), normal)).separable);
}

TEST(Separable, RandomNormalsAreCertifiedInAllUnits) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> gauss;
  int jammed = 0;
  for (int k = 0; k < 2000; ++k) {
    const int n = 1 + static_cast<int>(random() % 6), m = 1 + static_cast<int>(random() % 9);
    const Eigen::MatrixXd root = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return gauss(random); });
    const Eigen::MatrixXd mass = root * root.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n);
    Eigen::MatrixXd normal = Eigen::MatrixXd::NullaryExpr(m, n, [&] { return gauss(random); });
    if (k % 5 == 0 && m > 1) normal.row(m - 1) = -normal.topRows(m - 1).colwise().sum();
    const ImpactProblem problem = withNormals(mass, normal);
    const bool separable = findSeparability(problem).separable;
    jammed += !separable;
    if (k % 5 == 0 && m > 1) {
      EXPECT_FALSE(separable);
    }
    expectCertified(problem);
    EXPECT_EQ(findSeparability(withNormals(0x1p40 * mass, 0x1p-30 * normal)).separable, separable);
  }
  EXPECT_GT(jammed, 400);
  EXPECT_LT(jammed, 1600);
}

}  // namespace
}  // namespace rigor::impact
