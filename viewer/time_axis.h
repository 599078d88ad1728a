// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

namespace rigor::viewer {

/// Maps times to pixels: linear, or logarithmic around a point, so that a Zeno cluster's impacts lie evenly apart.
/// Zooming is bounded by the resolution of doubles alone.
struct TimeAxis {
  double from = 0, to = 1;  ///< Shown range [s].
  bool logarithmic = false;
  double centre = 0;   ///< Accumulation point of the logarithmic axis [s].
  double least = 1e-9; ///< Distance from it that is drawn as zero [s].

  double toUnit(double time) const;  ///< 0 at `from`, 1 at `to`; increasing, also outside.
  double toTime(double unit) const;  ///< Inverse of toUnit on [0, 1].
  /// Zooms by a factor about the time under the mouse, which stays in place.
  void zoom(double factor, double about_unit);
  void pan(double unit);
  void showAll(double end);
  /// Logarithmic about `time`, reaching from `least` to both ends of the shown range.
  void setLogarithmic(double time);

  struct Tick {
    double time;
    std::string label;  ///< Empty: a minor one.
  };
  /// Ticks at round times, about `count` of them with a label.
  std::vector<Tick> ticks(int count) const;
};

/// "1.234 s", "12.5 ms", with as many digits as tell times `resolution` apart.
std::string timeText(double time, double resolution = 1e-4);

}  // namespace rigor::viewer
