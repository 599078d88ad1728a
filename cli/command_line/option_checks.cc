// SPDX-License-Identifier: MIT
#include "cli/command_line/option_checks.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>

namespace rigor::cli {

template <typename Number>
std::string checkWhole(const std::string& text, Number least) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= least) return {};
  return fmt::format("{} is not allowed; a whole number from {} to {}", text, least,
                     std::numeric_limits<Number>::max());
}

template std::string checkWhole<int>(const std::string&, int);
template std::string checkWhole<long>(const std::string&, long);
template std::string checkWhole<std::uint64_t>(const std::string&, std::uint64_t);

std::string checkBetween(const std::string& text, double low, double high) {
  double value = 0;
  const bool good = CLI::detail::lexical_cast(text, value) && value > low && value < high;  // NaN -> refused
  return good ? std::string() : fmt::format("{} is not allowed; a number > {} and < {}", text, low, high);
}

std::string checkDepth(const std::string& text) {
  double value = -1;
  const bool good = CLI::detail::lexical_cast(text, value) && value >= 0 && value <= 1e100;  // NaN -> refused
  return good ? std::string() : text + " is no depth; a number from 0 to 1e100 [m]";
}

std::string checkEnd(const std::string& text) {
  double value = 0;
  const bool good = CLI::detail::lexical_cast(text, value) && value > 0 && value <= 1e100;  // NaN -> refused
  return good ? std::string() : text + " is no end of a run; a time > 0, at most 1e100 [s]";
}

std::string checkTolerance(const std::string& text) {
  double value = -1;
  const bool good = CLI::detail::lexical_cast(text, value) && value >= 0 && value <= 1;  // NaN -> refused
  return good ? std::string() : text + " is no tolerance; a number from 0 to 1";
}

}  // namespace rigor::cli
