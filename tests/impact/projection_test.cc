// SPDX-License-Identifier: MIT
// Proved: the projected velocity satisfies J v = 0, kinetic energy does not grow, and it is the nearest such velocity
// in the
// kinetic metric. Oracle: the weighted least-squares projection by a complete orthogonal decomposition.
#include "impact/problem/projection.h"

#include <gtest/gtest.h>

#include "tests/impact/contact_sets.h"
#include "tests/dense_algebra.h"

namespace rigor::impact {
namespace {

TEST(Projection, AgreesWithTheOrthogonalDecomposition) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 2000; ++k) {
    const test::ContactSet set = test::randomSet(random, k % 7);
    const int n = static_cast<int>(set.J.cols());
    const Eigen::VectorXd v = test::randomVector(random, n);
    Eigen::VectorXd projected = v;
    const int rank = projectVelocity(set.inverse_mass, set.J, projected);
    const Eigen::MatrixXd root = algebra::choleskyFactor(set.inverse_mass);
    const Eigen::MatrixXd B = algebra::product(set.J, root);
    const Eigen::VectorXd u = root.triangularView<Eigen::Lower>().solve(v);
    const algebra::LeastSquares nearest = algebra::leastSquares(B, B * u);
    EXPECT_EQ(rank, nearest.rank);
    const Eigen::VectorXd expected = root * (u - nearest.x);
    const double row = set.J.rowwise().norm().maxCoeff();
    EXPECT_LT((set.J * projected).cwiseAbs().maxCoeff(), 1e-10 * row * v.norm()) << k;
    const Eigen::MatrixXd M = algebra::inverse(set.inverse_mass);
    EXPECT_LE(projected.dot(M * projected), v.dot(M * v) * (1 + 1e-12));
    EXPECT_LT(std::sqrt((projected - expected).dot(M * (projected - expected))), 1e-8 * std::sqrt(v.dot(M * v))) << k;
  }
}

TEST(Projection, NoRowsAndZeroRowsChangeNothing) {
  const Eigen::MatrixXd W = Eigen::MatrixXd::Identity(3, 3);
  Eigen::VectorXd v = Eigen::Vector3d(1, 2, 3);
  EXPECT_EQ(projectVelocity(W, Eigen::MatrixXd(0, 3), v), 0);
  EXPECT_EQ(projectVelocity(W, Eigen::MatrixXd::Zero(2, 3), v), 0);
  EXPECT_EQ(v, Eigen::Vector3d(1, 2, 3));
}

}  // namespace
}  // namespace rigor::impact
