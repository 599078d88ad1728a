// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

namespace rigor::impact {

/// min cost.x subject to A x <= limits, for very many rows of few entries each.
struct RowProgram {
  std::vector<size_t> first{0};    ///< Where each row begins; one entry more than rows.
  std::vector<int> columns;        ///< Ascending within a row.
  std::vector<double> entries;
  std::vector<double> limits;
  Eigen::VectorXd cost;

  size_t rows() const { return limits.size(); }
  /// A.x of one row.
  double times(size_t row, const Eigen::VectorXd& x) const {
    double sum = 0;
    for (size_t k = first[row]; k < first[row + 1]; ++k) sum += entries[k] * x[columns[k]];
    return sum;
  }
  void addEntry(int column, double entry) {
    columns.push_back(column);
    entries.push_back(entry);
  }
  /// Ends a row.
  void limitBy(double limit) {
    first.push_back(columns.size());
    limits.push_back(limit);
  }
  /// Entries of a row of another program.
  void addEntriesOf(const RowProgram& other, size_t row) {
    for (size_t k = other.first[row]; k < other.first[row + 1]; ++k) addEntry(other.columns[k], other.entries[k]);
  }
};

struct RowSolution {
  Eigen::VectorXd x;               ///< Before: a guess, or empty.
  Eigen::VectorXd multipliers;     ///< Of the rows, >= 0.
  bool far = false;                ///< Is the guess far from the solution?
};

enum class RowStatus {
  kSolved,
  kDiverged,  ///< Most likely no x meets all rows; the multipliers show which ones contradict each other.
  kEnded,     ///< By work or `goes_on`.
};

/// An interior-point method (Mehrotra 1992) on the dense normal equations, in doubles. Deterministic. Rows are met to
/// 1e-8, the goal to some thousandths. Cost: some ten steps of columns^3 / 3 and the squares of rows' entries.
/// @param work  what is left, less what it took.
[[nodiscard]] RowStatus solveRows(const RowProgram& program, const std::function<bool()>& goes_on, std::int64_t& work,
                                  RowSolution& solution);

}  // namespace rigor::impact
