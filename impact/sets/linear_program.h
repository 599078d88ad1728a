// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <vector>

namespace rigor::impact {

enum class ProgramStatus { kOptimal, kInfeasible, kUnbounded, kStopped };

/// min c.x subject to A x = b, x >= 0: primal simplex method on a dense tableau, two phases, for a few dozen columns.
///
/// T is double (entries of order one; `tolerance` decides what is zero) or mpq_class (tolerance 0: exact). The entering
/// column is the one of the steepest reduced cost, from some hundred exchanges on the first one (Bland 1977), which
/// ends for exact T. Cost O(rows * columns) an exchange.
template <typename T>
class LinearProgram {
 public:
  LinearProgram(std::vector<std::vector<T>> A, std::vector<T> b, std::vector<T> c, T tolerance)
      : rows_(A.size()), columns_(c.size()), a_(std::move(A)), b_(std::move(b)), c_(std::move(c)), zero_(tolerance) {}

  [[nodiscard]] ProgramStatus solve() {
    start();
    ProgramStatus status = optimise();
    if (status != ProgramStatus::kOptimal) return status;
    if (-cost_.back() > infeasible()) return ProgramStatus::kInfeasible;
    dropArtificials();
    secondPhase();
    return optimise();
  }

  /// Value of the goal.
  T value() const { return -cost_.back(); }
  std::vector<T> solution() const {
    std::vector<T> x(columns_, T(0));
    for (size_t i = 0; i < rows_; ++i) {
      if (basis_[i] < columns_) x[basis_[i]] = a_[i].back();
    }
    return x;
  }
  /// Columns that may be nonzero.
  const std::vector<size_t>& basis() const { return basis_; }

 private:
  static constexpr int kSteepExchanges = 300, kMostExchanges = 20'000;

  T infeasible() const { return T(100) * zero_; }

  void start() {
    basis_.resize(rows_);
    for (size_t i = 0; i < rows_; ++i) {
      if (b_[i] < 0) {
        for (T& entry : a_[i]) entry = -entry;
        b_[i] = -b_[i];
      }
      for (size_t k = 0; k < rows_; ++k) a_[i].push_back(T(k == i ? 1 : 0));
      a_[i].push_back(b_[i]);
      basis_[i] = columns_ + i;
    }
    allowed_ = columns_ + rows_;
    cost_.assign(columns_ + rows_ + 1, T(0));
    for (size_t j = 0; j <= columns_ + rows_; ++j) {
      if (j >= columns_ && j < columns_ + rows_) continue;
      for (size_t i = 0; i < rows_; ++i) cost_[j] -= a_[i][j];
    }
  }

  void secondPhase() {
    allowed_ = columns_;
    for (size_t j = 0; j < cost_.size(); ++j) cost_[j] = j < columns_ ? c_[j] : T(0);
    for (size_t i = 0; i < rows_; ++i) {
      if (basis_[i] >= columns_) continue;
      const T factor = c_[basis_[i]];
      if (factor == 0) continue;
      for (size_t j = 0; j < cost_.size(); ++j) cost_[j] -= factor * a_[i][j];
    }
  }

  /// Artificial columns that stay in the basis at zero are exchanged where their row allows it; else the row is
  /// redundant.
  void dropArtificials() {
    for (size_t i = 0; i < rows_; ++i) {
      if (basis_[i] < columns_) continue;
      size_t best = columns_;
      T largest = zero_;
      for (size_t j = 0; j < columns_; ++j) {
        const T size = a_[i][j] < 0 ? T(-a_[i][j]) : a_[i][j];
        if (size > largest) best = j, largest = size;
      }
      if (best < columns_) exchange(i, best);
    }
  }

  ProgramStatus optimise() {
    for (int count = 0; count < kMostExchanges; ++count) {
      size_t enter = allowed_;
      T least = -zero_;
      for (size_t j = 0; j < allowed_; ++j) {
        if (!(cost_[j] < least)) continue;
        enter = j;
        least = cost_[j];
        if (count > kSteepExchanges) break;
      }
      if (enter == allowed_) return ProgramStatus::kOptimal;
      size_t leave = rows_;
      T ratio(0);
      for (size_t i = 0; i < rows_; ++i) {
        if (!(a_[i][enter] > zero_)) continue;
        const T here = a_[i].back() / a_[i][enter];
        if (leave == rows_ || here < ratio || (here == ratio && basis_[i] < basis_[leave])) leave = i, ratio = here;
      }
      if (leave == rows_) return ProgramStatus::kUnbounded;
      exchange(leave, enter);
    }
    return ProgramStatus::kStopped;
  }

  void exchange(size_t row, size_t column) {
    const T scale = 1 / a_[row][column];
    for (T& entry : a_[row]) {
      if (entry != 0) entry *= scale;
    }
    for (size_t i = 0; i < rows_; ++i) {
      if (i != row) eliminate(a_[i], a_[row], column);
    }
    eliminate(cost_, a_[row], column);
    basis_[row] = column;
  }

  static void eliminate(std::vector<T>& target, const std::vector<T>& pivot, size_t column) {
    const T factor = target[column];
    if (factor == 0) return;
    for (size_t j = 0; j < target.size(); ++j) {
      if (pivot[j] != 0) target[j] -= factor * pivot[j];
    }
    target[column] = 0;
  }

  size_t rows_, columns_, allowed_ = 0;
  std::vector<std::vector<T>> a_;
  std::vector<T> b_, c_, cost_;
  T zero_;
  std::vector<size_t> basis_;
};

}  // namespace rigor::impact
