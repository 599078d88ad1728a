// SPDX-License-Identifier: MIT
#include "record/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numbers>
#include <stdexcept>

#include "elementary/require.h"

namespace rigor::record {
namespace {

constexpr std::array<const char*, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#e69f00", "#56b4e9", "#000000", "#8a8a8a"};
// Room around the frame and inside it [px].
constexpr double kTop = 40, kLeft = 76, kBottom = 56, kRight = 20, kInner = 14;
constexpr double kLegendRow = 20, kLegendSample = 34, kCharacter = 7.2;  // of the 13 px font, generously
// Ranges narrower than this share of their values are widened: nothing could be told apart.
constexpr double kNarrowest = 1e-9;

const char* colourOf(PlotColour colour) { return kColours[static_cast<std::size_t>(colour) % kColours.size()]; }

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (static_cast<unsigned char>(c) >= 0x20) {  // XML has no other control characters.
      out += c;
    } else {
      out += ' ';
    }
  }
  return out;
}

// Hundredths of a pixel, without trailing zeros and negative zero.
std::string px(double value) {
  const double rounded = std::round(value * 100) / 100 + 0.0;
  std::string text = fmt::format("{:.2f}", rounded);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

bool isFinite(const PlotPoint& p) { return std::isfinite(p.x) && std::isfinite(p.y); }

// Code points of UTF-8.
double widthOf(std::string_view text) {
  const auto count = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return kCharacter * static_cast<double>(count);
}

struct Range {
  double low = 0, high = 1;
};

Range widen(Range range) {
  if (!(range.low <= range.high)) return {0, 1};  // no data
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  if (range.high - range.low <= kNarrowest * size || range.high == range.low) {
    const double half = size > 0 ? 0.1 * size : 1;
    return {range.low - half, range.high + half};
  }
  return range;
}

std::string text(double x, double y, std::string_view words, const char* anchor, int size, const char* extra = "") {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" font-size=\"{}\"{}>{}</text>\n", px(x), px(y), anchor,
                     size, extra, escape(words));
}

// A closed or open outline of the marker around (x, y).
std::string markerPath(PlotMarker marker, double x, double y, double r) {
  const auto polygon = [&](int corners, double first, double inner) {
    std::string d;
    const int count = inner > 0 ? 2 * corners : corners;
    for (int k = 0; k < count; ++k) {
      const double angle = first + 2 * std::numbers::pi * k / count,
                   radius = inner > 0 && k % 2 == 1 ? inner * r : 1.2 * r;
      d += fmt::format("{}{} {}", k == 0 ? "M" : "L", px(x + radius * std::cos(angle)),
                       px(y + radius * std::sin(angle)));
    }
    return d + "Z";
  };
  const double up = -std::numbers::pi / 2;
  switch (marker) {
    case PlotMarker::kCircle:
      return fmt::format("M{0} {1}a{2} {2} 0 1 0 {3} 0a{2} {2} 0 1 0 -{3} 0Z", px(x - r), px(y), px(r), px(2 * r));
    case PlotMarker::kSquare:
      return polygon(4, std::numbers::pi / 4, 0);
    case PlotMarker::kDiamond:
      return polygon(4, 0, 0);
    case PlotMarker::kTriangleUp:
      return polygon(3, up, 0);
    case PlotMarker::kTriangleDown:
      return polygon(3, -up, 0);
    case PlotMarker::kStar:
      return polygon(5, up, 0.5);
    case PlotMarker::kCross:
      return fmt::format("M{0} {1}L{2} {3}M{0} {3}L{2} {1}", px(x - r), px(y - r), px(x + r), px(y + r));
    case PlotMarker::kPlus:
      return fmt::format("M{0} {1}L{2} {1}M{3} {4}L{3} {5}", px(x - r), px(y), px(x + r), px(x), px(y - r), px(y + r));
  }
  return {};
}

std::string stroke(const PlotStyle& style, double width) {
  return fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{}", colourOf(style.colour), px(width),
                     style.dashed ? " stroke-dasharray=\"6 4\"" : "");
}

}  // namespace

struct SvgPlot::Frame {
  double x0 = kLeft, y0 = kTop, width = 0, height = 0;
  Range x, y;
  std::vector<PlotTick> x_ticks, y_ticks;
  double toX(double value) const { return x0 + kInner + (value - x.low) / (x.high - x.low) * (width - 2 * kInner); }
  double toY(double value) const {
    return y0 + height - kInner - (value - y.low) / (y.high - y.low) * (height - 2 * kInner);
  }
};

SvgPlot::SvgPlot(std::string title, std::string x_label, std::string y_label)
    : title_(std::move(title)), x_label_(std::move(x_label)), y_label_(std::move(y_label)) {}

void SvgPlot::addLine(const std::vector<PlotPoint>& points, std::string_view label, const PlotStyle& style) {
  items_.push_back({Kind::kLine, points, std::string(label), style});
}
void SvgPlot::addDots(const std::vector<PlotPoint>& points, std::string_view label, const PlotStyle& style) {
  items_.push_back({Kind::kDots, points, std::string(label), style});
}
void SvgPlot::addMarkers(const std::vector<PlotPoint>& points, PlotMarker marker, std::string_view label,
                         const PlotStyle& style) {
  items_.push_back({Kind::kMarkers, points, std::string(label), style, marker});
}
void SvgPlot::addArea(const std::vector<PlotPoint>& outline, std::string_view label, const PlotStyle& style) {
  items_.push_back({Kind::kArea, outline, std::string(label), style});
}
void SvgPlot::addText(PlotPoint at, std::string_view text, const PlotStyle& style) {
  items_.push_back({Kind::kText, {at}, std::string(text), style});
}

void SvgPlot::setXTicks(std::vector<PlotTick> ticks) {
  x_ticks_ = std::move(ticks);
  own_x_ticks_ = true;
}
void SvgPlot::setYTicks(std::vector<PlotTick> ticks) {
  y_ticks_ = std::move(ticks);
  own_y_ticks_ = true;
}
void SvgPlot::setFrame(double width, double height) {
  width_ = std::max(width, 50.0);
  height_ = std::max(height, 50.0);
}

SvgPlot::Frame SvgPlot::layOut() const {
  Frame frame;
  frame.width = width_;
  frame.height = height_;
  frame.x = frame.y = {HUGE_VAL, -HUGE_VAL};
  const auto include = [](Range& range, double value) {
    if (!std::isfinite(value)) return;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  };
  for (const Item& item : items_) {
    for (const PlotPoint& p : item.points) {
      if (isFinite(p)) include(frame.x, p.x), include(frame.y, p.y);
    }
  }
  for (const double x : include_x_) include(frame.x, x);
  for (const double y : include_y_) include(frame.y, y);
  for (const PlotTick& tick : x_ticks_) include(frame.x, tick.value);
  for (const PlotTick& tick : y_ticks_) include(frame.y, tick.value);
  frame.x = widen(frame.x);
  frame.y = widen(frame.y);
  if (equal_scales_) {
    const double per_x = (frame.x.high - frame.x.low) / (width_ - 2 * kInner);
    const double per_y = (frame.y.high - frame.y.low) / (height_ - 2 * kInner);
    const auto stretch = [](Range& range, double factor) {
      const double middle = 0.5 * (range.low + range.high), half = 0.5 * (range.high - range.low) * factor;
      range = {middle - half, middle + half};
    };
    per_x > per_y ? stretch(frame.y, per_x / per_y) : stretch(frame.x, per_y / per_x);
  }
  frame.x_ticks = own_x_ticks_ ? x_ticks_ : niceTicks(frame.x.low, frame.x.high, static_cast<int>(width_ / 70));
  frame.y_ticks = own_y_ticks_ ? y_ticks_ : niceTicks(frame.y.low, frame.y.high, static_cast<int>(height_ / 45));
  return frame;
}

void SvgPlot::drawAxes(const Frame& frame, std::string& out) const {
  const double bottom = frame.y0 + frame.height, right = frame.x0 + frame.width;
  out += "<g stroke=\"#dddddd\" stroke-width=\"1\">\n";
  for (const PlotTick& tick : frame.x_ticks) {
    const std::string x = px(frame.toX(tick.value));
    out += fmt::format("<path d=\"M{0} {1}L{0} {2}\"/>\n", x, px(frame.y0), px(bottom));
  }
  for (const PlotTick& tick : frame.y_ticks) {
    const std::string y = px(frame.toY(tick.value));
    out += fmt::format("<path d=\"M{1} {0}L{2} {0}\"/>\n", y, px(frame.x0), px(right));
  }
  out += "</g>\n<g fill=\"#333333\">\n";
  for (const PlotTick& tick : frame.x_ticks) out += text(frame.toX(tick.value), bottom + 18, tick.text, "middle", 12);
  for (const PlotTick& tick : frame.y_ticks) out += text(frame.x0 - 8, frame.toY(tick.value) + 4, tick.text, "end", 12);
  out += text(frame.x0 + frame.width / 2, bottom + 42, x_label_, "middle", 13);
  const double x = 18, y = frame.y0 + frame.height / 2;
  out += text(x, y, y_label_, "middle", 13, fmt::format(" transform=\"rotate(-90 {} {})\"", px(x), px(y)).c_str());
  out += text(frame.x0, frame.y0 - 14, title_, "start", 15, " font-weight=\"bold\"");
  out += fmt::format("</g>\n<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#333333\"/>\n",
                     px(frame.x0), px(frame.y0), px(frame.width), px(frame.height));
}

void SvgPlot::drawItem(const Item& item, const Frame& frame, std::string& out) const {
  std::string d;
  switch (item.kind) {
    case Kind::kLine:
    case Kind::kArea: {
      bool pen = false;
      for (const PlotPoint& p : item.points) {
        if (!isFinite(p)) {
          pen = pen && item.kind == Kind::kArea;  // An area has no gaps.
          continue;
        }
        d += fmt::format("{}{} {}", pen ? "L" : "M", px(frame.toX(p.x)), px(frame.toY(p.y)));
        pen = true;
      }
      if (d.empty()) return;
      if (item.kind == Kind::kLine) {
        out += fmt::format("<path class=\"line\" {} stroke-linejoin=\"round\" d=\"{}\"/>\n",
                           stroke(item.style, item.style.width), d);
      } else {
        out += fmt::format(
            "<path class=\"area\" fill=\"{0}\" fill-opacity=\"0.12\" stroke=\"{0}\" stroke-opacity=\"0.6\" "
            "stroke-linejoin=\"round\" d=\"{1}Z\"/>\n",
            colourOf(item.style.colour), d);
      }
      return;
    }
    case Kind::kDots: {
      std::vector<std::array<long, 2>> places;  // tenths of a pixel
      for (const PlotPoint& p : item.points) {
        if (isFinite(p)) places.push_back({std::lround(10 * frame.toX(p.x)), std::lround(10 * frame.toY(p.y))});
      }
      std::sort(places.begin(), places.end());
      places.erase(std::unique(places.begin(), places.end()), places.end());
      // Strokes of no length with round ends: one element however many dots.
      for (const auto& [x, y] : places) {
        d += fmt::format("M{} {}h0", px(0.1 * static_cast<double>(x)), px(0.1 * static_cast<double>(y)));
      }
      if (d.empty()) return;
      out += fmt::format("<path class=\"dots\" stroke-linecap=\"round\" stroke-opacity=\"0.45\" {} d=\"{}\"/>\n",
                         stroke(item.style, 0.5 * item.style.size), d);
      return;
    }
    case Kind::kMarkers:
      for (const PlotPoint& p : item.points) {
        if (isFinite(p)) d += markerPath(item.marker, frame.toX(p.x), frame.toY(p.y), item.style.size);
      }
      if (d.empty()) return;
      out += fmt::format("<path class=\"markers\" {} d=\"{}\"/>\n", stroke(item.style, 2), d);
      return;
    case Kind::kText:
      if (!isFinite(item.points[0])) return;
      out += text(frame.toX(item.points[0].x) + 6, frame.toY(item.points[0].y) - 6, item.label, "start", 12,
                  fmt::format(" fill=\"{}\"", colourOf(item.style.colour)).c_str());
      return;
  }
}

void SvgPlot::drawLegend(const Frame& frame, std::string& out) const {
  const double x = frame.x0 + frame.width + 16;
  double y = frame.y0 + 10;
  for (const Item& item : items_) {
    if (item.label.empty() || item.kind == Kind::kText) continue;
    const double middle = x + 11;
    switch (item.kind) {
      case Kind::kLine:
        out += fmt::format("<path {} d=\"M{} {}h22\"/>\n", stroke(item.style, item.style.width), px(x), px(y));
        break;
      case Kind::kDots:
        out += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\" fill-opacity=\"0.6\"/>\n", px(middle),
                           px(y), px(0.4 * item.style.size), colourOf(item.style.colour));
        break;
      case Kind::kMarkers:
        out += fmt::format("<path {} d=\"{}\"/>\n", stroke(item.style, 2),
                           markerPath(item.marker, middle, y, std::min(item.style.size, 7.0)));
        break;
      case Kind::kArea:
        out += fmt::format(
            "<rect x=\"{0}\" y=\"{1}\" width=\"22\" height=\"12\" fill=\"{2}\" fill-opacity=\"0.12\" "
            "stroke=\"{2}\" stroke-opacity=\"0.6\"/>\n",
            px(x), px(y - 6), colourOf(item.style.colour));
        break;
      case Kind::kText:
        break;
    }
    out += text(x + kLegendSample - 4, y + 4, item.label, "start", 13, " fill=\"#333333\"");
    y += kLegendRow;
  }
}

std::string SvgPlot::svg() const {
  const Frame frame = layOut();
  double legend = 0;
  int rows = 0;
  for (const Item& item : items_) {
    if (item.label.empty() || item.kind == Kind::kText) continue;
    legend = std::max(legend, 16 + kLegendSample + widthOf(item.label));
    ++rows;
  }
  const double width = std::max(kLeft + width_ + std::max(legend, kRight), kLeft + 1.25 * widthOf(title_) + kRight);
  const double height = std::max(kTop + height_ + kBottom, kTop + kLegendRow * (rows + 1));
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"Helvetica, Arial, sans-serif\" role=\"img\">\n<title>{2}</title>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      px(std::ceil(width)), px(std::ceil(height)), escape(title_));
  drawAxes(frame, out);
  for (const Item& item : items_) drawItem(item, frame, out);
  drawLegend(frame, out);
  return out + "</svg>\n";
}

void SvgPlot::write(const std::string& path) const {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << svg();
  file.flush();
  if (!file) throw std::runtime_error(path + " cannot be written");
}

std::vector<PlotTick> niceTicks(double low, double high, int most) {
  RIGOR_REQUIRE(low < high && std::isfinite(high - low));
  const double raw = (high - low) / std::max(most, 1), power = std::pow(10.0, std::floor(std::log10(raw)));
  // From the first step that is long enough to shorter ones, until two ticks lie inside.
  double step = 0, first = 0, last = 0;
  for (const double factor : {10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1}) {
    if (step > 0 && last > first && factor * power < raw * (1 - 1e-9)) break;
    step = factor * power;
    // Whole multiples, so that zero is zero.
    first = std::ceil(low / step - 1e-9);
    last = std::floor(high / step + 1e-9);
  }
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  const double largest = std::max(std::abs(low), std::abs(high));
  const bool plain = largest < 1e6 && decimals <= 6;
  // Numbers far from zero relative to their range keep their digits.
  const int digits = std::clamp(static_cast<int>(std::ceil(std::log10(largest / step) + 1e-9)) + 1, 1, 17);
  std::vector<PlotTick> ticks;
  for (double k = first; k <= last; ++k) {
    const double value = k * step + 0.0;
    ticks.push_back({value, plain ? fmt::format("{:.{}f}", value, decimals) : fmt::format("{:.{}g}", value, digits)});
  }
  return ticks;
}

std::vector<PlotPoint> convexOutline(std::vector<PlotPoint> points) {
  std::erase_if(points, [](const PlotPoint& p) { return !isFinite(p); });
  std::sort(points.begin(), points.end(),
            [](const PlotPoint& a, const PlotPoint& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  points.erase(std::unique(points.begin(), points.end(),
                           [](const PlotPoint& a, const PlotPoint& b) { return a.x == b.x && a.y == b.y; }),
               points.end());
  if (points.size() < 3) return points;
  const auto turn = [](const PlotPoint& a, const PlotPoint& b, const PlotPoint& c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  };
  std::vector<PlotPoint> hull;
  // The lower chain from left to right, then the upper one back.
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t start = hull.size();
    for (const PlotPoint& p : points) {
      while (hull.size() >= start + 2 && turn(hull[hull.size() - 2], hull.back(), p) <= 0) hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

}  // namespace rigor::record
