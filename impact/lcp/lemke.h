// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "impact/lcp/lcp.h"

namespace rigor::impact {

enum class LcpStatus {
  kSolved,  ///< The residual against the original matrix is within the tolerance.
  kFailed,  ///< No attempt passed that check; z must not be used.
};

struct LemkeOptions {
  double tolerance = 1e-10;          ///< Residual of lcpResidual() that counts as solved.
  int max_pivots = 0;                ///< Of one attempt; 0: 20 n + 50.
  int max_enumerated = 14;           ///< Enumerate complementary bases as the last resort up to this size.
  const double* covering = nullptr;  ///< n positive numbers; null: ones. Which solution is found depends on it.
};

/// Lemke's complementary pivoting with a lexicographic ratio test, which cannot cycle on degenerate problems.
///
/// Guarantee: kSolved only where z passed lcpResidual() against M and q as given. The basis that pivoting ends with is
/// solved again from M before the check. Where the check fails, in this order: other covering vectors (fixed, so that
/// the answer is reproducible), M + r I with r from 1e-15 to 1e-6 of max |M| to find a basis, both, enumeration.
///
/// Best where M and q are scaled to order one. No allocation once it has seen the largest n, except for the
/// enumeration. One per thread.
/// Cost: O(n^2) a pivot, typically n to 2 n pivots.
class LemkeSolver {
 public:
  [[nodiscard]] LcpStatus solve(const Eigen::Ref<const Eigen::MatrixXd>& M, const Eigen::Ref<const Eigen::VectorXd>& q,
                                Eigen::Ref<Eigen::VectorXd> z, const LemkeOptions& options = {});

  /// Of the last solution, or of the best attempt where none passed.
  double residual() const { return residual_; }

  struct Stats {
    long solves = 0, pivots = 0, retries = 0, regularised = 0, enumerated = 0, failures = 0;
  };
  const Stats& stats() const { return stats_; }

 private:
  bool pivotToSolution(const double* M, long ld, const double* q, int n, const double* covering, double regularisation,
                       int max_pivots);
  /// The dictionary of the slack basis, z0 with the others; @returns the largest |q_i|.
  double startDictionary(const double* M, long ld, const double* q, int n, const double* covering,
                         double regularisation);
  void refine(const double* M, long ld, const double* q, int n, double* z);

  // Dictionary, row-major: basic_i = T(i, 0..n) . nonbasic + T(i, n + 1); the last column is the constant.
  std::vector<double> table_, ones_, lu_, x_;
  std::vector<int> basic_, nonbasic_, where_, index_, pivot_;
  double residual_ = 0;
  Stats stats_;
};

}  // namespace rigor::impact
