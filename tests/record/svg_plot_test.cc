// SPDX-License-Identifier: MIT
// Proved: plots are well-formed XML for any strings, marks stand where their data are, inside the axes, and the same
// calls give the same bytes. Oracles: Python's XML parser (expat); positions read back from the ticks of the picture
// itself, by linear interpolation; brute-force hulls.
#include "record/svg_plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <regex>

#include "tests/temporary_folder.h"

namespace rigor::record {
namespace {

std::filesystem::path scratch(const std::string& name) {
  static const TemporaryFolder folder;
  return folder / name;
}

bool isWellFormed(const std::string& svg) {
  const auto path = scratch("check.svg");
  std::ofstream(path) << svg;
  const std::string command =
      "python3 -I -S -c \"import sys, xml.dom.minidom as d; r = d.parse(sys.argv[1]).documentElement; "
      "sys.exit(r.tagName != 'svg')\" '" +
      path.string() + "' 2>/dev/null";
  const bool good = std::system(command.c_str()) == 0;
  std::filesystem::remove(path);
  return good;
}

// All points M x y of the first path with this class.
std::vector<PlotPoint> starts(const std::string& svg, const std::string& kind) {
  std::smatch path;
  const std::regex wanted("<path class=\"" + kind + "\"[^>]* d=\"([^\"]*)\"");
  std::vector<PlotPoint> found;
  if (!std::regex_search(svg, path, wanted)) return found;
  const std::string d = path[1];
  const std::regex start("M(-?[0-9.]+) (-?[0-9.]+)");
  for (std::sregex_iterator it(d.begin(), d.end(), start), end; it != end; ++it) {
    found.push_back({std::stod((*it)[1]), std::stod((*it)[2])});
  }
  return found;
}

// The axes as a reader sees them: grid lines and the numbers below and left of them.
struct Axes {
  double x_low, x_high, y_low, y_high;  // pixels of the frame
  double x_at, x_per, y_at, y_per;      // value = at + per * pixel
  PlotPoint read(PlotPoint pixel) const { return {x_at + x_per * pixel.x, y_at + y_per * pixel.y}; }
};

Axes readAxes(const std::string& svg) {
  std::vector<PlotPoint> x, y;  // (pixel, value)
  const std::regex label(
      "<text x=\"([-0-9.]+)\" y=\"([-0-9.]+)\" text-anchor=\"(middle|end)\" font-size=\"12\">([-0-9.e+]+)<");
  for (std::sregex_iterator it(svg.begin(), svg.end(), label), end; it != end; ++it) {
    if ((*it)[3] == "middle") {
      x.push_back({std::stod((*it)[1]), std::stod((*it)[4])});
    } else {
      y.push_back({std::stod((*it)[2]) - 4, std::stod((*it)[4])});
    }
  }
  Axes axes{};
  if (x.size() < 2 || y.size() < 2) {
    ADD_FAILURE() << "fewer than two ticks";
    return axes;
  }
  axes.x_per = (x.back().y - x.front().y) / (x.back().x - x.front().x);
  axes.x_at = x.front().y - axes.x_per * x.front().x;
  axes.y_per = (y.back().y - y.front().y) / (y.back().x - y.front().x);
  axes.y_at = y.front().y - axes.y_per * y.front().x;
  std::smatch frame;
  EXPECT_TRUE(std::regex_search(
      svg, frame,
      std::regex("<rect x=\"([0-9.]+)\" y=\"([0-9.]+)\" width=\"([0-9.]+)\" height=\"([0-9.]+)\" fill=\"none\"")));
  axes.x_low = std::stod(frame[1]), axes.y_low = std::stod(frame[2]);
  axes.x_high = axes.x_low + std::stod(frame[3]), axes.y_high = axes.y_low + std::stod(frame[4]);
  return axes;
}

TEST(SvgPlot, DotsStandWhereTheirDataAre) {
  std::mt19937_64 random(1);
  for (const double scale : {1.0, 1e-8, 1e7}) {
    for (const bool equal : {false, true}) {
      std::normal_distribution<double> gauss(0.3, 1);
      std::vector<PlotPoint> data;
      for (int k = 0; k < 50; ++k) data.push_back({scale * gauss(random), scale * 5 * gauss(random)});
      SvgPlot plot("t", "x [m]", "y [m]");
      if (equal) plot.setEqualScales();
      plot.addDots(data, "dots");
      const std::string svg = plot.svg();
      const Axes axes = readAxes(svg);
      std::vector<PlotPoint> drawn = starts(svg, "dots");
      ASSERT_EQ(drawn.size(), data.size());
      EXPECT_TRUE(!equal || std::abs(axes.x_per / -axes.y_per - 1) < 1e-3);
      for (const PlotPoint& p : data) {
        double nearest = HUGE_VAL;
        for (const PlotPoint& pixel : drawn) {
          const PlotPoint q = axes.read(pixel);
          nearest = std::min(nearest, std::hypot((q.x - p.x) / axes.x_per, (q.y - p.y) / axes.y_per));
        }
        EXPECT_LT(nearest, 0.15);  // dots lie on tenths, labels on hundredths of a pixel
      }
      for (const PlotPoint& pixel : drawn) {
        EXPECT_TRUE(pixel.x > axes.x_low && pixel.x < axes.x_high && pixel.y > axes.y_low && pixel.y < axes.y_high);
      }
    }
  }
}

TEST(SvgPlot, LinesAreInterruptedWhereDataAreNotFinite) {
  SvgPlot plot("t", "x", "y");
  plot.addLine({{0, 0}, {1, 1}, {2, NAN}, {3, 1}, {4, HUGE_VAL}, {5, 0}, {6, 2}}, "line");
  const std::string svg = plot.svg();
  const Axes axes = readAxes(svg);
  const std::vector<PlotPoint> pieces = starts(svg, "line");
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_NEAR(axes.read(pieces[0]).x, 0, 1e-3);
  EXPECT_NEAR(axes.read(pieces[1]).x, 3, 1e-3);
  EXPECT_NEAR(axes.read(pieces[2]).x, 5, 1e-3);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(SlowSvgPlot, AnyStringAndAnyDataIsWellFormed) {
  const std::string nasty = "a<b & \"c\" > 'd' ]]> \x01\n v\xe2\x82\x99 [m/s]";
  for (const int kind : {0, 1, 2, 3, 4, 5}) {
    SvgPlot plot(nasty, nasty, nasty);
    std::vector<PlotPoint> points;
    if (kind == 1) points = {{2, 3}};
    if (kind == 2) points = {{2, 3}, {2, 3}};
    if (kind == 3) points = {{NAN, NAN}};
    if (kind == 4) points = {{0, 0}, {1, 0}, {2, 0}};
    if (kind == 5) points = {{1e100, -1e100}, {1e-100, 5}};
    plot.addArea(points, nasty);
    plot.addLine(points, nasty, {.dashed = true});
    plot.addDots(points, nasty);
    for (int m = 0; m < 8; ++m)
      plot.addMarkers(points, static_cast<PlotMarker>(m), nasty, {.colour = static_cast<PlotColour>(m)});
    if (!points.empty()) plot.addText(points[0], nasty);
    plot.setXTicks({{0, nasty}});
    EXPECT_TRUE(isWellFormed(plot.svg())) << kind;
  }
  EXPECT_FALSE(isWellFormed("<svg><a></svg>"));  // the oracle itself
}

TEST(SvgPlot, SameCallsSameBytes) {
  const auto make = [] {
    SvgPlot plot("t", "x", "y");
    plot.addDots({{1, 2}, {3, 4}}, "dots");
    plot.addMarkers({{1, 2}}, PlotMarker::kStar, "star");
    return plot.svg();
  };
  EXPECT_EQ(make(), make());
}

TEST(SvgPlot, MarkersAreCentredOnTheirData) {
  SvgPlot plot("t", "x", "y");
  plot.addMarkers({{0, 0}, {10, 5}}, PlotMarker::kPlus, "plus", {.size = 5});
  const std::string svg = plot.svg();
  const Axes axes = readAxes(svg);
  const std::vector<PlotPoint> arms = starts(svg, "markers");  // left end, upper end of each
  ASSERT_EQ(arms.size(), 4u);
  EXPECT_NEAR(axes.read({arms[0].x + 5, arms[0].y}).x, 0, 0.01);
  EXPECT_NEAR(axes.read({arms[2].x + 5, arms[2].y}).x, 10, 0.01);
  EXPECT_NEAR(axes.read({arms[2].x, arms[2].y}).y, 5, 0.01);
}

TEST(SvgPlot, WritesTheFileOrThrows) {
  SvgPlot plot("t", "x", "y");
  const auto path = scratch("written.svg");
  plot.write(path.string());
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), plot.svg());
  std::filesystem::remove(path);
  EXPECT_THROW(plot.write("/dev/null/folder/a.svg"), std::runtime_error);
}

TEST(NiceTicks, AreRoundInsideAndNotTooMany) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int k = 0; k < 5000; ++k) {
    const double size = std::pow(10, 12 * unit(random)), low = size * unit(random),
                 high = low + size * (1e-6 + std::abs(unit(random)));
    const int most = 2 + k % 9;
    const std::vector<PlotTick> ticks = niceTicks(low, high, most);
    ASSERT_GE(ticks.size(), 2u);
    ASSERT_LE(ticks.size(), static_cast<std::size_t>(std::max(most, 5)) + 1);
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      const double slack = 1e-8 * (high - low);
      EXPECT_GE(ticks[i].value, low - slack);
      EXPECT_LE(ticks[i].value, high + slack);
      EXPECT_NEAR(std::stod(ticks[i].text), ticks[i].value, 1e-6 * (high - low) + 1e-12 * std::abs(low));
      EXPECT_TRUE(i == 0 || ticks[i].text != ticks[i - 1].text);
    }
    if (ticks.size() > 1) {
      const double step = ticks[1].value - ticks[0].value,
                   digit = step / std::pow(10, std::floor(std::log10(step * (1 + 1e-6))));
      EXPECT_LT(std::min({std::abs(digit - 1), std::abs(digit - 2), std::abs(digit - 5)}), 1e-5);
    }
  }
  const auto ticks = niceTicks(-0.25, 1.05, 7);
  ASSERT_EQ(ticks.size(), 7u);
  EXPECT_EQ(ticks[0].text, "-0.2");
  EXPECT_EQ(ticks[1].text, "0.0");
}

TEST(ConvexOutline, HoldsAllPointsAndNoMore) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 200; ++k) {
    std::vector<PlotPoint> points;
    for (int i = 0; i < 3 + k % 20; ++i)
      points.push_back({static_cast<double>(random() % 6), static_cast<double>(random() % 6)});
    const std::vector<PlotPoint> hull = convexOutline(points);
    const auto side = [](PlotPoint a, PlotPoint b, PlotPoint p) {
      return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
    };
    if (hull.size() < 3) continue;  // all on a line
    for (std::size_t i = 0; i < hull.size(); ++i) {
      const PlotPoint a = hull[i], b = hull[(i + 1) % hull.size()], c = hull[(i + 2) % hull.size()];
      EXPECT_GT(side(a, b, c), 0);  // strictly convex
      for (const PlotPoint& p : points) EXPECT_GE(side(a, b, p), 0);
    }
  }
  EXPECT_EQ(convexOutline({{0, 0}, {1, 1}, {2, 2}}).size(), 2u);
  EXPECT_EQ(convexOutline({{1, 1}, {1, 1}}).size(), 1u);
  EXPECT_TRUE(convexOutline({}).empty());
}

}  // namespace
}  // namespace rigor::record
