// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>

/// Checks of options, for CLI11: a sentence that says what was found and what is allowed; empty where all is well.
namespace rigor::cli {

/// A whole number >= least that Number holds. CLI11 itself wraps -1 to a large unsigned number, and numbers that are
/// too large to the largest. Number: int, long, std::uint64_t.
template <typename Number>
std::string checkWhole(const std::string& text, Number least);

/// A finite number > low and < high.
std::string checkBetween(const std::string& text, double low, double high);
/// A finite number >= 0.
std::string checkDepth(const std::string& text);
/// The end of a run: a finite time > 0.
std::string checkEnd(const std::string& text);
/// From 0 to 1.
std::string checkTolerance(const std::string& text);

}  // namespace rigor::cli
