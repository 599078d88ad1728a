// SPDX-License-Identifier: MIT
#pragma once
#include <stdexcept>
#include <string>

namespace rigor {

/// Input that cannot be used: a file, a text, an argument. what() is `FILE:LINE:COL: what was found; what is allowed`
/// where there is a place, else the sentence alone.
struct InputError : std::runtime_error {
  explicit InputError(const std::string& message, std::string in_file = {}, int at_line = 0, int at_column = 0)
      : std::runtime_error(message), file(std::move(in_file)), line(at_line), column(at_column) {}
  std::string file;          ///< Empty: none.
  int line = 0, column = 0;  ///< From 1; 0: none.
};

/// The simulator could not keep its guarantee, or a solver failed. What was made up to there stands.
struct GuaranteeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A call that was interrupted from outside; records are valid.
struct InterruptedError : std::runtime_error {
  InterruptedError() : std::runtime_error("interrupted") {}
};

}  // namespace rigor
