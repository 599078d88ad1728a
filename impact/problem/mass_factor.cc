// SPDX-License-Identifier: MIT
#include "impact/problem/mass_factor.h"

#include "friction/dense_factor.h"
#include "impact/problem/matrix_factors.h"

namespace rigor::impact {

bool MassFactor::factor(const Eigen::MatrixXd& M) {
  factor_ = M;
  const int n = static_cast<int>(M.rows());
  return n <= kSmall ? friction::factorLdlt(factor_.data(), n) : choleskyInPlace(factor_);
}

void MassFactor::solveInPlace(Eigen::MatrixXd& X) const {
  const int n = static_cast<int>(X.rows());
  if (n > kSmall) return solveCholesky(factor_, X);
  for (Eigen::Index j = 0; j < X.cols(); ++j) friction::solveLdlt(factor_.data(), n, X.data() + j * n);
}

}  // namespace rigor::impact
