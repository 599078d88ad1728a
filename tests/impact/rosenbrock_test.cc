// SPDX-License-Identifier: MIT
// Proved: the method has order 4, its error estimate order 4 (that of a third-order formula), and it damps stiff
// components. Oracles: solutions in closed form.
#include "impact/models/rosenbrock.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigor::impact {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// x' = x^2, x(0) = 1: x = 1 / (1 - t), to t = 1/2 in n equal steps. @returns the error at the end.
double errorOf(int n, double* estimate = nullptr) {
  RosenbrockStep integrator;
  VectorXd x = VectorXd::Ones(1), next, error;
  for (int i = 0; i < n; ++i) {
    integrator.step([](const VectorXd& at, VectorXd& rate) { rate = at.cwiseAbs2(); },
                    MatrixXd::Constant(1, 1, 2 * x[0]), x, .5 / n, next, error);
    x = next;
  }
  if (estimate) *estimate = std::abs(error[0]);
  return std::abs(x[0] - 2);
}

TEST(Rosenbrock, OrderFour) {
  double coarse, fine;
  const double ratio = errorOf(40, &coarse) / errorOf(80, &fine);
  EXPECT_NEAR(std::log2(ratio), 4, .1);
  EXPECT_NEAR(std::log2(coarse / fine), 4, .1);
}

TEST(Rosenbrock, DampsWhatIsStiff) {
  // x' = -1e8 (x - cos t) - sin t written as an autonomous system: x follows cos t from a start far away, in large
  // steps.
  RosenbrockStep integrator;
  VectorXd x = Eigen::Vector2d(5, 0), next, error;
  const double stiff = 1e8;
  for (int i = 0; i < 20; ++i) {
    MatrixXd jacobian(2, 2);
    jacobian << -stiff, -stiff * std::sin(x[1]) - std::cos(x[1]), 0, 0;
    integrator.step(
        [&](const VectorXd& at, VectorXd& rate) {
          rate = Eigen::Vector2d(-stiff * (at[0] - std::cos(at[1])) - std::sin(at[1]), 1);
        },
        jacobian, x, .05, next, error);
    x = next;
  }
  EXPECT_NEAR(x[1], 1, 1e-14);
  EXPECT_NEAR(x[0], std::cos(1), 1e-6);
}

TEST(Rosenbrock, StepControl) {
  EXPECT_LT(rosenbrockGrowth(1), 1);
  EXPECT_EQ(rosenbrockGrowth(0), 5);
  EXPECT_EQ(rosenbrockGrowth(std::nan("")), 1. / 6);
  EXPECT_EQ(rosenbrockGrowth(HUGE_VAL), 1. / 6);
}

}  // namespace
}  // namespace rigor::impact
