// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace rigor::record {

struct PlotPoint {
  double x = 0, y = 0;
};

/// A place on an axis and what is written there.
struct PlotTick {
  double value = 0;
  std::string text;
};

/// Outlines, so that markers on one another all stay visible.
enum class PlotMarker { kCircle, kSquare, kDiamond, kTriangleUp, kTriangleDown, kCross, kPlus, kStar };

/// Okabe and Ito's colours, told apart with any colour vision. Numbers beyond the last begin again.
enum class PlotColour { kBlue, kVermillion, kGreen, kPurple, kOrange, kSky, kBlack, kGrey };

struct PlotStyle {
  PlotColour colour = PlotColour::kBlue;
  double width = 1.6;  ///< Of lines [px].
  double size = 6;     ///< Of markers, half their width; radius of dots is a quarter of it [px].
  bool dashed = false;
};

/// A diagram of lines, dots, markers and filled polygons over two linear axes, written as SVG. The only plot writer of
/// rigor.
///
/// Guarantee: the text is well-formed XML for any strings, without external references, and the same for the same calls
/// (no dates, no locale). Every finite point lies inside the axes, at its place to 0.1 px; points that are not
/// finite are left out, and lines are interrupted there. Later items are drawn over earlier ones; those with a label
/// are in the legend, right of the axes, in the order of addition. Labels name their unit: "v_n0 [m/s]".
class SvgPlot {
 public:
  SvgPlot(std::string title, std::string x_label, std::string y_label);

  void addLine(const std::vector<PlotPoint>& points, std::string_view label, const PlotStyle& style = {});
  /// Small light dots; dots that fall on the same tenth of a pixel are drawn once.
  void addDots(const std::vector<PlotPoint>& points, std::string_view label, const PlotStyle& style = {});
  void addMarkers(const std::vector<PlotPoint>& points, PlotMarker marker, std::string_view label,
                  const PlotStyle& style = {});
  /// A closed polygon, lightly filled.
  void addArea(const std::vector<PlotPoint>& outline, std::string_view label, const PlotStyle& style = {});
  /// A word beside a point.
  void addText(PlotPoint at, std::string_view text, const PlotStyle& style = {.colour = PlotColour::kBlack});

  /// The same length for the same number on both axes.
  void setEqualScales() { equal_scales_ = true; }
  /// Instead of the ticks chosen from the data; their values are inside the axes too. Empty: no ticks.
  void setXTicks(std::vector<PlotTick> ticks);
  void setYTicks(std::vector<PlotTick> ticks);
  /// Numbers that the axes include besides the data.
  void includeX(double x) { include_x_.push_back(x); }
  void includeY(double y) { include_y_.push_back(y); }
  /// Size of the axes' frame [px], each at least 50. Default 480 x 360.
  void setFrame(double width, double height);

  std::string svg() const;
  /// @throws std::runtime_error if the file cannot be written.
  void write(const std::string& path) const;

 private:
  enum class Kind { kLine, kDots, kMarkers, kArea, kText };
  struct Item {
    Kind kind;
    std::vector<PlotPoint> points;
    std::string label;
    PlotStyle style;
    PlotMarker marker = PlotMarker::kCircle;
  };
  struct Frame;

  Frame layOut() const;
  void drawAxes(const Frame& frame, std::string& out) const;
  void drawItem(const Item& item, const Frame& frame, std::string& out) const;
  void drawLegend(const Frame& frame, std::string& out) const;

  std::string title_, x_label_, y_label_;
  std::vector<Item> items_;
  std::vector<double> include_x_, include_y_;
  std::vector<PlotTick> x_ticks_, y_ticks_;
  bool own_x_ticks_ = false, own_y_ticks_ = false, equal_scales_ = false;
  double width_ = 480, height_ = 360;
};

/// Multiples of 1, 2 or 5 times a power of ten in [low, high] as short decimals: at least two, and at most `most` + 1
/// where `most` is 5 or more (6 below). @pre low < high, finite, more than 1e-9 of their size apart.
std::vector<PlotTick> niceTicks(double low, double high, int most = 7);

/// The convex hull of points in the plane, counter-clockwise from the leftmost; collinear points are left out.
std::vector<PlotPoint> convexOutline(std::vector<PlotPoint> points);

}  // namespace rigor::record
