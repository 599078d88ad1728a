// SPDX-License-Identifier: MIT
#include "impact/problem/matrix_factors.h"

#include <Eigen/Cholesky>

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

}  // namespace rigor::impact
