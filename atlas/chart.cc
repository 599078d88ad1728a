// SPDX-License-Identifier: MIT
#include "atlas/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rigor::atlas {
namespace {

constexpr int kSide = 30, kLeft = 70, kUpper = 40, kLower = 60, kRight = 20;  // px
constexpr int kLetter = 7;                                                    // px: width of a title's letter, about

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else out += c;
  }
  return out;
}

/// White to a deep blue.
std::string colourOf(const std::optional<double>& value, double least, double most) {
  if (!value) return "#dddddd";
  const double share = most > least ? std::clamp((*value - least) / (most - least), 0.0, 1.0) : 0;
  const auto part = [&](int deep) { return static_cast<int>(std::lround(255 + share * (deep - 255))); };
  return fmt::format("#{:02x}{:02x}{:02x}", part(0), part(79), part(138));
}

}  // namespace

std::string drawChart(const Chart& chart) {
  const int columns = static_cast<int>(chart.xs.size()), rows = static_cast<int>(chart.ys.size());
  const int title = kLetter * static_cast<int>(chart.title.size());
  const int width = std::max(kLeft + kSide * columns + kRight, 2 * kLeft + title);
  const int height = kUpper + kSide * rows + kLower;
  double most = 0;
  for (const std::optional<double>& value : chart.values) most = std::max(most, value.value_or(0));
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" "
      "font-size=\"11\">\n<rect width=\"{}\" height=\"{}\" fill=\"white\"/>\n<text x=\"{}\" y=\"20\" "
      "font-size=\"13\">{}</text>\n",
      width, height, width, height, kLeft, escaped(chart.title));
  for (int j = 0; j < rows; ++j) {
    const int line = kUpper + kSide * (rows - 1 - j);
    const double y = chart.ys[static_cast<std::size_t>(j)];
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{:.2g}</text>\n", kLeft - 6, line + 19, y);
    for (int i = 0; i < columns; ++i) {
      const std::optional<double>& value = chart.values[static_cast<std::size_t>(j * columns + i)];
      const double x = chart.xs[static_cast<std::size_t>(i)];
      out += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"><title>{} {:.3g}, {} {:.3g}: "
          "{}</title></rect>\n",
          kLeft + kSide * i, line, kSide - 1, kSide - 1, colourOf(value, chart.least, most), escaped(chart.x_name), x,
          escaped(chart.y_name), y, value ? fmt::format("{:.4g}", *value) : std::string("no answer"));
    }
  }
  for (int i = 0; i < columns; ++i) {
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{:.2g}</text>\n", kLeft + kSide * i + 14,
                       kUpper + kSide * rows + 14, chart.xs[static_cast<std::size_t>(i)]);
  }
  out += fmt::format("<text x=\"{}\" y=\"{}\">across: {}; up: {}</text>\n", kLeft, height - 26, escaped(chart.x_name),
                     escaped(chart.y_name));
  out += fmt::format("<text x=\"{}\" y=\"{}\">white: {}; full colour: {:.3g}; grey: no answer</text>\n</svg>\n", kLeft,
                     height - 10, chart.least > 0 ? fmt::format("at most {:g}", chart.least) : "0", most);
  return out;
}

}  // namespace rigor::atlas
