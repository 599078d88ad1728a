// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "impact/dense_factor.h"

namespace rigor::impact {

/// A mass matrix, factored. That of one or two bodies is worked through without the overhead of large ones.
/// No allocation once it has seen the largest.
class MassFactor {
 public:
  /// @returns false unless M is positive definite (NaN too); then solveInPlace() must not be called.
  [[nodiscard]] bool factor(const Eigen::MatrixXd& M) {
    factor_ = M;
    const int n = static_cast<int>(M.rows());
    if (n <= kSmall) return factorLdlt(factor_.data(), n);
    return Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(factor_).info() == Eigen::Success && factor_.diagonal().allFinite();
  }
  /// X <- M^-1 X.
  void solveInPlace(Eigen::MatrixXd& X) const {
    const int n = static_cast<int>(X.rows());
    if (n <= kSmall) {
      for (Eigen::Index j = 0; j < X.cols(); ++j) solveLdlt(factor_.data(), n, X.data() + j * n);
      return;
    }
    factor_.triangularView<Eigen::Lower>().solveInPlace(X);
    factor_.triangularView<Eigen::Lower>().transpose().solveInPlace(X);
  }

 private:
  static constexpr int kSmall = 12;
  Eigen::MatrixXd factor_;
};

}  // namespace rigor::impact
