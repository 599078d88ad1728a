// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

/// Dense linear algebra of tests as plain functions: what Eigen instantiates for a decomposition takes the compiler
/// seconds in every file that names it, and here once.
namespace rigor::algebra {

/// By the LU decomposition with full pivoting.
Eigen::MatrixXd inverse(const Eigen::MatrixXd& A);
Eigen::MatrixXd product(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
/// J W J^T.
Eigen::MatrixXd congruence(const Eigen::MatrixXd& J, const Eigen::MatrixXd& W);
/// Of a symmetric matrix.
bool isPositiveDefinite(const Eigen::MatrixXd& M);
/// L of L L^T = M. @pre M is symmetric and positive definite.
Eigen::MatrixXd choleskyFactor(const Eigen::MatrixXd& M);
/// Columns span { x : A x = 0 }; one column of zeros if that is 0.
Eigen::MatrixXd kernel(const Eigen::MatrixXd& A);
/// The orthogonal factor of A = Q R.
Eigen::MatrixXd orthogonalFactor(const Eigen::MatrixXd& A);

/// The shortest x of those that minimise |A x - b|.
struct LeastSquares {
  Eigen::VectorXd x;
  long rank;
};
LeastSquares leastSquares(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

}  // namespace rigor::algebra
