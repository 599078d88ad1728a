// SPDX-License-Identifier: MIT
#include "impact/problem/matrix_products.h"

namespace rigor::impact {

Eigen::MatrixXd matrixProduct(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) { return A * B; }

Eigen::MatrixXd congruence(const Eigen::MatrixXd& J, const Eigen::MatrixXd& M) { return J.transpose() * M * J; }

}  // namespace rigor::impact
