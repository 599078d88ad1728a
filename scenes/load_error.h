// SPDX-License-Identifier: MIT
#pragma once
#include <stdexcept>
#include <string>

namespace rigor::scenes {

/// A place in a text file, both counted from 1.
struct Position {
  int line = 1, column = 1;
  int file = 0;  ///< Of a model of several files: which (FileModel::pathOf()).
};

/// Thrown for a file that cannot be used. what() is `FILE:LINE:COL: what was found; what is allowed`, the place that of
/// the offending value. Where what was found says all, such as the message of a file that is named, `allowed` is empty
/// and left out.
struct LoadError : std::runtime_error {
  LoadError(const std::string& file, Position where, const std::string& found, const std::string& allowed)
      : std::runtime_error(file + ':' + std::to_string(where.line) + ':' + std::to_string(where.column) + ": " + found +
                           (allowed.empty() ? "" : "; " + allowed)),
        position(where) {}
  Position position;
};

}  // namespace rigor::scenes
