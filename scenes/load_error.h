// SPDX-License-Identifier: MIT
#pragma once
#include <stdexcept>
#include <string>

namespace rigor::scenes {

/// A place in a text file, both counted from 1.
struct Position {
  int line = 1, column = 1;
};

/// Thrown for a file that cannot be used. what() is `FILE:LINE:COL: what was found; what is allowed`, the place that of
/// the offending value.
struct LoadError : std::runtime_error {
  LoadError(const std::string& file, Position where, const std::string& found, const std::string& allowed)
      : std::runtime_error(file + ':' + std::to_string(where.line) + ':' + std::to_string(where.column) + ": " + found +
                           "; " + allowed),
        position(where) {}
  Position position;
};

}  // namespace rigor::scenes
