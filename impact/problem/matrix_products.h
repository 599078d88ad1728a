// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

namespace rigor::impact {

/// Products of matrices behind plain functions, as their factors are (matrix_factors.h): other folders need no kernels
/// of Eigen's of their own.

/// A B.
Eigen::MatrixXd matrixProduct(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
/// J' M J.
Eigen::MatrixXd congruence(const Eigen::MatrixXd& J, const Eigen::MatrixXd& M);

}  // namespace rigor::impact
