// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "impact/problem/matrix_factors.h"

namespace rigor::impact {

/// One step x -> x_new of a stiff autonomous system x' = f(x) by the stiffly accurate, L-stable Rosenbrock method RODAS
/// of order 4(3) (Hairer and Wanner, Solving Ordinary Differential Equations II, 1996, Section IV.10).
///
/// `error` estimates the local error of x_new component by component (order 3 embedded). One factorisation of the
/// system's size a step, six evaluations of f. No allocation once sized. One per thread.
class RosenbrockStep {
 public:
  /// @param f  f(x, rate) writes x'. @param jacobian  d f / d x at x.
  template <class Rate>
  void step(const Rate& f, const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& x, double h, Eigen::VectorXd& x_new,
            Eigen::VectorXd& error) {
    factorise(jacobian, h);
    for (int stage = 0; stage < kStages; ++stage) {
      startStage(stage, x, h);
      f(point_, rate_);
      finishStage(stage);
    }
    x_new = point_ + slope_[kStages - 1];
    error = slope_[kStages - 1];
  }

 private:
  static constexpr int kStages = 6;
  void factorise(const Eigen::MatrixXd& jacobian, double h);
  void startStage(int stage, const Eigen::VectorXd& x, double h);
  void finishStage(int stage);

  PartialLu lu_;
  Eigen::MatrixXd matrix_;
  Eigen::VectorXd point_, rate_, sum_, slope_[kStages];
};

/// Factor by which the next step may differ from one whose scaled error was `error` (1: just accepted), in [1/6, 5].
[[nodiscard]] double rosenbrockGrowth(double error);

}  // namespace rigor::impact
