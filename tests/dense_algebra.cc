// SPDX-License-Identifier: MIT
#include "tests/dense_algebra.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>

namespace rigor::algebra {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd inverse(const MatrixXd& A) { return Eigen::FullPivLU<MatrixXd>(A).inverse(); }

MatrixXd product(const MatrixXd& A, const MatrixXd& B) { return A.lazyProduct(B); }

MatrixXd congruence(const MatrixXd& J, const MatrixXd& W) {
  const MatrixXd transposed = J.transpose();
  return product(product(J, W), transposed);
}

bool isPositiveDefinite(const MatrixXd& M) { return Eigen::LLT<MatrixXd>(M).info() == Eigen::Success; }

MatrixXd choleskyFactor(const MatrixXd& M) { return Eigen::LLT<MatrixXd>(M).matrixL(); }

MatrixXd kernel(const MatrixXd& A) {
  const Eigen::FullPivLU<MatrixXd> lu(A);
  if (lu.dimensionOfKernel() == 0) return MatrixXd::Zero(A.cols(), 1);
  return lu.kernel();
}

MatrixXd orthogonalFactor(const MatrixXd& A) { return Eigen::HouseholderQR<MatrixXd>(A).householderQ(); }

LeastSquares leastSquares(const MatrixXd& A, const VectorXd& b) {
  const Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposition(A);
  return {decomposition.solve(b), decomposition.rank()};
}

}  // namespace rigor::algebra
