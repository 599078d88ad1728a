// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <Eigen/LU>
#include <Eigen/QR>

namespace rigor::impact {

/// Eigen's factorisations behind plain functions: instantiated once, in matrix_factors.cc, where every file that names
/// them would cost the compiler seconds. Small systems in a caller's buffer: dense_factor.h.

/// M <- L, M = L L'; what is above the diagonal stays. @returns false unless M is positive definite (NaN too). No
/// allocation.
[[nodiscard]] bool choleskyInPlace(Eigen::MatrixXd& M);
/// X <- (L L')^-1 X with the lower triangle of L. No allocation.
void solveCholesky(const Eigen::MatrixXd& L, Eigen::MatrixXd& X);
void solveCholesky(const Eigen::MatrixXd& L, Eigen::VectorXd& x);

/// LU with partial pivoting, for invertible matrices. No allocation once sized.
class PartialLu {
 public:
  void factor(const Eigen::MatrixXd& A);
  double reciprocalCondition() const;
  void solve(const Eigen::VectorXd& b, Eigen::VectorXd& x) const;
  Eigen::MatrixXd solve(const Eigen::MatrixXd& B) const;

 private:
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

/// By the LU with partial pivoting.
Eigen::MatrixXd inverseOf(const Eigen::MatrixXd& A);
double determinantOf(const Eigen::MatrixXd& A);

/// x of M x = b by a pivoted L D L'; M is symmetric.
Eigen::VectorXd solveSymmetric(const Eigen::MatrixXd& M, const Eigen::VectorXd& b);

/// Of a symmetric matrix: eigenvalues in ascending order, and of each a vector of length one, a column.
struct Spectrum {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
Spectrum spectrumOf(const Eigen::MatrixXd& M);

/// LU with full pivoting: reveals the rank. Pivots below `threshold`, relative to the largest, are zero; 0: rounding.
class FullLu {
 public:
  explicit FullLu(const Eigen::MatrixXd& A, double threshold = 0);
  long rank() const;
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;
  Eigen::MatrixXd kernel() const;

 private:
  Eigen::FullPivLU<Eigen::MatrixXd> lu_;
};

/// Of all x that minimise |A x - b| the shortest, by a complete orthogonal decomposition. No allocation once sized.
class LeastNorm {
 public:
  /// @param threshold  As of FullLu.
  void factor(const Eigen::MatrixXd& A, double threshold = 0);
  void solve(const Eigen::VectorXd& b, Eigen::VectorXd& x) const;

 private:
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factor_;
};

/// An orthonormal basis of R^n, n columns of A: the first `rank` vectors span A's rows, the others are across them.
struct RowBasis {
  Eigen::MatrixXd vectors;  ///< n by n, a vector a column.
  long rank;
};
/// By the QR decomposition of A' with column pivoting. @param threshold  As of FullLu.
RowBasis rowBasis(const Eigen::MatrixXd& A, double threshold);
/// An orthonormal basis across the columns of A, a vector a column. @param threshold  As of FullLu.
Eigen::MatrixXd acrossColumns(const Eigen::MatrixXd& A, double threshold);

}  // namespace rigor::impact
