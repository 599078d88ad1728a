// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

namespace rigor::impact {

/// A mass matrix, factored. That of one or two bodies is worked through without the overhead of large ones.
/// No allocation once it has seen the largest.
class MassFactor {
 public:
  /// @returns false unless M is positive definite (NaN too); then solveInPlace() must not be called.
  [[nodiscard]] bool factor(const Eigen::MatrixXd& M);
  /// X <- M^-1 X.
  void solveInPlace(Eigen::MatrixXd& X) const;

 private:
  static constexpr int kSmall = 12;
  Eigen::MatrixXd factor_;
};

}  // namespace rigor::impact
