// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "impact/sets/fan_growth.h"

namespace rigor::impact {

/// The rows of a place that values x break or come near to, the nearest first; at most `count`.
[[nodiscard]] std::vector<size_t> nearestRows(const FanGrowth& growth, size_t place, const Eigen::VectorXd& x,
                                              size_t count);

/// Solves growth.program() as solveRows() does. From a guess it begins with few rows of each place and adds those that
/// the solution breaks, until there are none: of dozens of rows of a place one or two bind.
/// @param roughly  it ends where the goal hardly changes: some rows may be broken a little.
[[nodiscard]] RowStatus solveByFewRows(const FanGrowth& growth, bool roughly, const std::function<bool()>& goes_on,
                                       std::int64_t& work, RowSolution& solution);

}  // namespace rigor::impact
