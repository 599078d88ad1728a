// SPDX-License-Identifier: MIT
#include "impact/problem/matrix_factors.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace rigor::impact {

using Eigen::MatrixXd;
using Eigen::VectorXd;

bool choleskyInPlace(MatrixXd& M) {
  return Eigen::LLT<Eigen::Ref<MatrixXd>>(M).info() == Eigen::Success && M.diagonal().allFinite();
}

void solveCholesky(const MatrixXd& L, MatrixXd& X) {
  L.triangularView<Eigen::Lower>().solveInPlace(X);
  L.triangularView<Eigen::Lower>().transpose().solveInPlace(X);
}

void solveCholesky(const MatrixXd& L, VectorXd& x) {
  L.triangularView<Eigen::Lower>().solveInPlace(x);
  L.triangularView<Eigen::Lower>().transpose().solveInPlace(x);
}

void PartialLu::factor(const MatrixXd& A) { lu_.compute(A); }

double PartialLu::reciprocalCondition() const { return lu_.rcond(); }

void PartialLu::solve(const VectorXd& b, VectorXd& x) const { x = lu_.solve(b); }

MatrixXd PartialLu::solve(const MatrixXd& B) const { return lu_.solve(B); }

MatrixXd inverseOf(const MatrixXd& A) { return A.inverse(); }

double determinantOf(const MatrixXd& A) { return A.determinant(); }

VectorXd solveSymmetric(const MatrixXd& M, const VectorXd& b) { return M.ldlt().solve(b); }

Spectrum spectrumOf(const MatrixXd& M) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(M);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

FullLu::FullLu(const MatrixXd& A, double threshold) : lu_(A) {
  if (threshold > 0) lu_.setThreshold(threshold);
}

long FullLu::rank() const { return lu_.rank(); }

VectorXd FullLu::solve(const VectorXd& b) const { return lu_.solve(b); }

MatrixXd FullLu::kernel() const { return lu_.kernel(); }

void LeastNorm::factor(const MatrixXd& A, double threshold) {
  if (threshold > 0) factor_.setThreshold(threshold);
  factor_.compute(A);
}

void LeastNorm::solve(const VectorXd& b, VectorXd& x) const { x = factor_.solve(b); }

RowBasis rowBasis(const MatrixXd& A, double threshold) {
  if (A.rows() == 0) return {MatrixXd::Identity(A.cols(), A.cols()), 0};
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> factor;
  factor.setThreshold(threshold);
  factor.compute(A.transpose());
  return {factor.householderQ(), factor.rank()};
}

MatrixXd acrossColumns(const MatrixXd& A, double threshold) {
  Eigen::ColPivHouseholderQR<MatrixXd> factor(A);
  factor.setThreshold(threshold);
  const Eigen::Index n = A.rows();
  const MatrixXd basis = factor.householderQ() * MatrixXd::Identity(n, n);
  return basis.rightCols(n - factor.rank());
}

}  // namespace rigor::impact
