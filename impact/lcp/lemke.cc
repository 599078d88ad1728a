// SPDX-License-Identifier: MIT
#include "impact/lcp/lemke.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "elementary/elementary.h"
#include "friction/dense_factor.h"

namespace rigor::impact {
namespace {

/// Scaled residual of an answer that needs no refinement: a few roundings of a pivot sequence.
constexpr double kWellSolved = 1e-12;

// Entries of the entering column below this, relative to the column's largest, are rounding and never pivots.
constexpr double kPivotTolerance = 1e-11;
// Ratios this close (relative to the largest constant) are ties, decided lexicographically.
constexpr double kTieTolerance = 1e-13;
// Entries of the lexicographic comparison this close are equal.
constexpr double kLexTolerance = 1e-11;
constexpr double kRegularisations[] = {1e-15, 1e-13, 1e-11, 1e-9, 1e-8, 1e-7, 1e-6};
constexpr int kCoverings = 8;

}  // namespace

// Variables: 0..n-1 are w, n..2n-1 are z, 2n is the artificial z0.
namespace {

// The same operations in the same order on wider registers where the processor has them: the bits do not change, since
// nothing is contracted. Sanitizers cannot start programs with such dispatch.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define RIGOR_WIDE_REGISTERS __attribute__((target_clones("avx2", "default")))
#else
#define RIGOR_WIDE_REGISTERS
#endif

/// Exchanges the basic variable of row r with the nonbasic one of column e in an n x width tableau.
RIGOR_WIDE_REGISTERS void exchange(double* T, int width, int n, int r, int e) {
  double* __restrict row = T + static_cast<long>(r) * width;
  const double inverse = 1 / row[e];
  for (int j = 0; j < width; ++j) row[j] *= -inverse;
  row[e] = inverse;
  for (int i = 0; i < n; ++i) {
    if (i == r) continue;
    double* __restrict other = T + static_cast<long>(i) * width;
    const double factor = other[e];
    if (factor == 0) continue;
    other[e] = 0;
    for (int j = 0; j < width; ++j) other[j] += factor * row[j];
  }
}

}  // namespace

double LemkeSolver::startDictionary(const double* M, long ld, const double* q, int n, const double* covering,
                                    double regularisation) {
  const int width = n + 2, artificial = 2 * n;
  double q_scale = 0;
  for (int i = 0; i < n; ++i) {
    double* row = table_.data() + i * width;
    for (int j = 0; j < n; ++j) row[j] = M[i + j * ld];
    row[i] += regularisation;
    row[n] = covering[i];
    row[n + 1] = q[i];
    basic_[i] = i;
    where_[i] = i;  // row of a basic variable, -1 - column of a nonbasic one
    nonbasic_[i] = n + i;
    where_[n + i] = -1 - i;
    q_scale = std::max(q_scale, std::abs(q[i]));
  }
  nonbasic_[n] = artificial;
  where_[artificial] = -1 - n;
  return q_scale;
}

bool LemkeSolver::pivotToSolution(const double* M, long ld, const double* q, int n, const double* covering,
                                  double regularisation, int max_pivots) {
  const int width = n + 2;
  double* const T = table_.data();
  double* const column = x_.data() + 2 * n;
  double* const constant = column + n;
  const int artificial = 2 * n;
  const double tie = kTieTolerance * startDictionary(M, ld, q, n, covering, regularisation);

  const auto pivot = [&](int r, int e) {
    exchange(T, width, n, r, e);
    const int leaving = basic_[r], entering = nonbasic_[e];
    basic_[r] = entering;
    nonbasic_[e] = leaving;
    where_[entering] = r;
    where_[leaving] = -1 - e;
    return leaving;
  };
  // Whether row i is lexicographically before row j for the weights given: by the coefficients of the k-th
  // infinitesimal perturbation of q in the constants of both rows, over the weights, for the first k in which they
  // differ.
  const auto before = [&](int i, double weight_i, int j, double weight_j) {
    const double* const row_i = T + i * width;
    const double* const row_j = T + j * width;
    for (int k = 0; k < n; ++k) {
      const int at = where_[k];
      const double p = at >= 0 ? (at == i ? 1.0 : 0.0) : -row_i[-1 - at];
      const double r = at >= 0 ? (at == j ? 1.0 : 0.0) : -row_j[-1 - at];
      if (p == 0 && r == 0) continue;
      const double x = p / weight_i, y = r / weight_j;
      if (std::abs(x - y) > kLexTolerance * (1 + std::abs(x) + std::abs(y))) return x < y;
    }
    return false;
  };

  // z0 enters, at the row that needs it most.
  int r = 0;
  for (int i = 1; i < n; ++i) {
    const double difference = T[i * width + n + 1] / covering[i] - T[r * width + n + 1] / covering[r];
    if (difference < -tie || (difference <= tie && before(i, covering[i], r, covering[r]))) r = i;
  }
  int leaving = pivot(r, n);
  for (int count = 1; count < max_pivots; ++count) {
    ++stats_.pivots;
    if (leaving == artificial) return true;
    const int complement = leaving < n ? leaving + n : leaving - n;
    const int e = -1 - where_[complement];
    // The entering column and the constants side by side: both are read several times.
    double largest = 0;
    for (int i = 0; i < n; ++i) {
      column[i] = T[i * width + e];
      constant[i] = T[i * width + n + 1];
      largest = std::max(largest, std::abs(column[i]));
    }
    const double floor = -kPivotTolerance * largest;
    r = -1;
    double best = HUGE_VAL;
    for (int i = 0; i < n; ++i) {
      if (!(column[i] < floor)) continue;
      const double ratio = constant[i] / -column[i];
      if (ratio < best) best = ratio, r = i;
    }
    if (r < 0) return false;  // secondary ray
    const double limit = best + tie + kTieTolerance * std::abs(best);
    const double first = -column[r];
    int winner = r;
    double winner_weight = first;
    for (int i = 0; i < n; ++i) {
      const double t = column[i];
      if (i == winner || !(t < floor) || constant[i] > -t * limit) continue;
      if (basic_[winner] == artificial) break;  // z0 may always leave on a tie
      if (basic_[i] == artificial || before(i, -t, winner, winner_weight)) winner = i, winner_weight = -t;
    }
    leaving = pivot(winner, e);
  }
  return leaving == artificial;
}

// z of the final basis, solved from M itself with one step of refinement; the tableau's own z where that is singular.
void LemkeSolver::refine(const double* M, long ld, const double* q, int n, double* z) {
  const int width = n + 2;
  int k = 0;
  for (int i = 0; i < n; ++i) z[i] = 0;
  for (int i = 0; i < n; ++i) {
    const int at = where_[n + i];
    if (at < 0) continue;
    z[i] = std::max(0.0, table_[at * width + n + 1]);
    index_[k++] = i;
  }
  for (int j = 0; j < k; ++j) {
    for (int i = 0; i < k; ++i) lu_[j * k + i] = M[index_[i] + index_[j] * ld];
  }
  if (k == 0 || !friction::factorLu(lu_.data(), k, pivot_.data())) return;
  // A singular basis (redundant contacts) amplifies; then the tableau's values stand.
  double change = 0, size = 0;
  double* x = x_.data();
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < k; ++i) {
      double residual = -q[index_[i]];
      for (int j = 0; j < k; ++j) residual -= M[index_[i] + index_[j] * ld] * z[index_[j]];
      x[i] = residual;
    }
    friction::solveLu(lu_.data(), k, pivot_.data(), x);
    for (int i = 0; i < k; ++i) change = std::max(change, std::abs(x[i])), size = std::max(size, z[index_[i]]);
    if (!(change <= 1e-6 * size)) return;
    for (int i = 0; i < k; ++i) z[index_[i]] = std::max(0.0, z[index_[i]] + x[i]);
  }
}

LcpStatus LemkeSolver::solve(const Eigen::Ref<const Eigen::MatrixXd>& M, const Eigen::Ref<const Eigen::VectorXd>& q,
                             Eigen::Ref<Eigen::VectorXd> z, const LemkeOptions& options) {
  const int n = static_cast<int>(q.size());
  const long ld = static_cast<long>(M.outerStride());
  ++stats_.solves;
  residual_ = 0;
  z.setZero();
  if (n == 0 || q.minCoeff() >= 0) return LcpStatus::kSolved;
  if (static_cast<int>(basic_.size()) < n) {
    table_.resize(static_cast<std::size_t>(n) * (n + 2));
    lu_.resize(static_cast<std::size_t>(n) * n);
    ones_.resize(n);
    x_.resize(4 * static_cast<std::size_t>(n));
    basic_.resize(n);
    nonbasic_.resize(n + 1);
    where_.resize(2 * n + 1);
    index_.resize(n);
    pivot_.resize(n);
  }
  const int max_pivots = options.max_pivots > 0 ? options.max_pivots : 20 * n + 50;
  double best = HUGE_VAL;
  double* const kept = x_.data() + n;
  const auto attempt = [&](const double* covering, double regularisation) {
    if (!pivotToSolution(M.data(), ld, q.data(), n, covering, regularisation, max_pivots)) return false;
    double residual = lcpResidual(M, q, z);
    if (residual > kWellSolved) {
      refine(M.data(), ld, q.data(), n, z.data());
      residual = lcpResidual(M, q, z);
    }
    if (residual < best) best = residual, std::copy_n(z.data(), n, kept);
    return residual <= options.tolerance;
  };
  const auto solved = [&] {
    residual_ = best;
    return LcpStatus::kSolved;
  };
  std::fill(ones_.begin(), ones_.begin() + n, 1.0);
  if (attempt(options.covering ? options.covering : ones_.data(), 0)) return solved();
  // A fixed sequence of other covering vectors, over two decades: a different path avoids a bad pivot.
  std::uint64_t state = 0x9e3779b97f4a7c15ULL;
  const auto shuffle = [&] {
    for (int i = 0; i < n; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      ones_[i] = elementary::exp2(-7 * static_cast<double>(state >> 40) / (1 << 24));
    }
  };
  for (int k = 0; k < kCoverings; ++k) {
    ++stats_.retries;
    shuffle();
    if (attempt(ones_.data(), 0)) return solved();
  }
  std::fill(ones_.begin(), ones_.begin() + n, 1.0);
  const double largest = M.cwiseAbs().maxCoeff();
  for (double r : kRegularisations) {
    ++stats_.regularised;
    if (attempt(ones_.data(), r * largest)) return solved();
  }
  for (int k = 0; k < 4 * kCoverings; ++k) {
    ++stats_.retries;
    shuffle();
    const double r = k % 2 ? kRegularisations[k / 2 % std::size(kRegularisations)] : 0;
    if (attempt(ones_.data(), r * largest)) return solved();
  }
  if (n <= options.max_enumerated) {
    ++stats_.enumerated;
    if (enumerateLcp(M, q, options.tolerance, [&](const Eigen::VectorXd& solution) {
          z = solution;
          return false;
        }) > 0) {
      best = lcpResidual(M, q, z);
      return solved();
    }
  }
  ++stats_.failures;
  residual_ = best;
  for (int i = 0; i < n; ++i) z[i] = best < HUGE_VAL ? kept[i] : 0;
  return LcpStatus::kFailed;
}

}  // namespace rigor::impact
