// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "atlas/family.h"

namespace rigor::atlas {

/// Values over a grid, as shades of one colour.
struct Chart {
  std::string title;
  std::string x_name, y_name;
  std::vector<double> xs, ys;
  std::vector<std::optional<double>> values;  ///< A row of y after the other; none: grey.
  double least = 0;                           ///< Up to here a cell is white: what counts as zero.
};

/// An SVG: well-formed, the same for the same chart; every cell has its numbers as a tooltip. Full colour is the
/// largest value.
std::string drawChart(const Chart& chart);

}  // namespace rigor::atlas
