// SPDX-License-Identifier: MIT
#include "impact/sets/fan_selection.h"

#include <algorithm>
#include <cmath>

namespace rigor::impact {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Rows of a place at first, and added at once.
constexpr size_t kFewRows = 2, kAddedRows = 3;
// Slacks of rows of length one, for values of order one, beyond which rows are left out at first.
constexpr double kNear = 0.03;
// What a row may be broken by: what solveRows() leaves, ten times.
constexpr double kBroken = 1e-7;
constexpr int kMostRounds = 12;
// Change of the goal from one round to the next, relative, after which a rough solution ends.
constexpr double kRoughly = 0.05;
// Entries of rows that are looked at for one unit of work.
constexpr double kEntriesPerUnit = 280;

double lengthOf(const RowProgram& program, size_t row) {
  double sum = 0;
  for (size_t k = program.first[row]; k < program.first[row + 1]; ++k) sum += program.entries[k] * program.entries[k];
  return std::sqrt(sum);
}

}  // namespace

std::vector<size_t> nearestRows(const FanGrowth& growth, size_t place, const VectorXd& x, size_t count) {
  const RowProgram& program = growth.program();
  const auto [from, to] = growth.rowsOf(place);
  std::vector<std::pair<double, size_t>> rows;
  for (size_t row = from; row < to; ++row)
    rows.emplace_back((program.limits[row] - program.times(row, x)) / lengthOf(program, row), row);
  std::sort(rows.begin(), rows.end());
  std::vector<size_t> out;
  for (size_t k = 0; k < std::min(count, rows.size()); ++k) {
    if (rows[k].first < kNear) out.push_back(rows[k].second);
  }
  return out;
}

RowStatus solveByFewRows(const FanGrowth& growth, bool roughly, const std::function<bool()>& goes_on,
                         std::int64_t& work, RowSolution& solution) {
  const RowProgram& all = growth.program();
  if (solution.x.size() != all.cost.size()) return solveRows(all, goes_on, work, solution);
  std::vector<bool> chosen(all.rows());
  for (size_t place = 0; place < growth.places().size(); ++place) {
    for (size_t row : nearestRows(growth, place, solution.x, kFewRows)) chosen[row] = true;
  }
  for (size_t row = growth.rowsOfGrowth(); row < all.rows(); ++row) chosen[row] = true;
  double last = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    RowProgram few;
    std::vector<size_t> rows;
    few.cost = all.cost;
    for (size_t row = 0; row < all.rows(); ++row) {
      if (!chosen[row]) continue;
      rows.push_back(row);
      few.addEntriesOf(all, row);
      few.limitBy(all.limits[row]);
    }
    RowSolution found{solution.x, {}};
    work -= static_cast<std::int64_t>(static_cast<double>(all.entries.size()) / kEntriesPerUnit);
    const RowStatus status = solveRows(few, goes_on, work, found);
    if (status != RowStatus::kSolved) return status;
    bool broken = false;
    for (size_t place = 0; place < growth.places().size(); ++place) {
      for (size_t row : nearestRows(growth, place, found.x, kAddedRows)) {
        if (chosen[row] || all.times(row, found.x) <= all.limits[row] + kBroken) continue;
        chosen[row] = broken = true;
      }
    }
    // Without most of its rows a program may have no least value; then the guess is the better one.
    const double value = few.cost.dot(found.x), change = std::abs(value - last);
    last = value;
    if (value > 0) solution.x = found.x;
    if (broken && !(roughly && change < kRoughly * value)) continue;
    solution.x = found.x;
    solution.multipliers = VectorXd::Zero(static_cast<Index>(all.rows()));
    for (size_t k = 0; k < rows.size(); ++k)
      solution.multipliers[static_cast<Index>(rows[k])] = found.multipliers[static_cast<Index>(k)];
    return status;
  }
  return RowStatus::kDiverged;
}

}  // namespace rigor::impact
