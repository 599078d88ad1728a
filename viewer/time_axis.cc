// SPDX-License-Identifier: MIT
#include "viewer/time_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rigor::viewer {
namespace {

/// sign(x) log(1 + |x|/least): linear near zero, logarithmic beyond.
double symmetricLog(double x, double least) { return std::copysign(std::log1p(std::abs(x) / least), x); }
double symmetricExp(double y, double least) { return std::copysign(least * std::expm1(std::abs(y)), y); }

constexpr double kNarrowest = 1e-14;  ///< Shown range, relative to the time, and in seconds [1; s].

}  // namespace

double TimeAxis::toUnit(double time) const {
  if (!logarithmic) return (time - from) / (to - from);
  const double a = symmetricLog(from - centre, least), b = symmetricLog(to - centre, least);
  return (symmetricLog(time - centre, least) - a) / (b - a);
}

double TimeAxis::toTime(double unit) const {
  if (!logarithmic) return from + unit * (to - from);
  const double a = symmetricLog(from - centre, least), b = symmetricLog(to - centre, least);
  return centre + symmetricExp(a + unit * (b - a), least);
}

void TimeAxis::zoom(double factor, double about_unit) {
  if (!(factor > 0)) return;
  if (logarithmic) {  // Nearer to the point, or farther from it.
    least = std::clamp(least / factor, 1e-15, std::max(1e-14, (to - from) / 4));
    return;
  }
  const double about = toTime(about_unit);
  double span = (to - from) / factor;
  span = std::max(span, kNarrowest * std::max(1.0, std::abs(about)));
  from = about - about_unit * span;
  to = from + span;
}

void TimeAxis::pan(double unit) {
  const double shift = unit * (to - from);
  from += shift;
  to += shift;
}

void TimeAxis::showAll(double end) {
  logarithmic = false;
  const double span = end > 0 ? end : 1;
  from = -0.01 * span;
  to = 1.01 * span;
}

void TimeAxis::setLogarithmic(double time) {
  logarithmic = true;
  centre = time;
  least = std::max(1e-14, 1e-7 * (to - from));
}

std::vector<TimeAxis::Tick> TimeAxis::ticks(int count) const {
  std::vector<Tick> result;
  count = std::max(count, 1);
  if (logarithmic) {
    // The point, and powers of ten around it; no more than there is room for.
    result.push_back({centre, timeText(centre, 1e-6)});
    const double decades = std::log10((to - from) / least);
    const int stride = std::max(1, static_cast<int>(std::ceil(2 * decades / count)));
    int exponent = static_cast<int>(std::ceil(std::log10(least)));
    for (int i = 0; i < 40; ++i, ++exponent) {
      const double distance = std::pow(10, exponent);
      for (const double sign : {-1.0, 1.0}) {
        const double time = centre + sign * distance;
        if (time < from || time > to) continue;
        result.push_back(
            {time, i % stride == 0 ? fmt::format("{}{}", sign < 0 ? '-' : '+', timeText(distance, distance)) : ""});
      }
    }
    std::sort(result.begin(), result.end(), [](const Tick& a, const Tick& b) { return a.time < b.time; });
    return result;
  }
  const double raw = (to - from) / count, power = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= raw) {
      step = factor * power;
      break;
    }
  const double first = std::ceil(from / step);
  if (std::abs(first) > 4e15) return result;  // Finer than doubles at these times.
  for (double k = first; k * step <= to && result.size() < 500; ++k) {
    result.push_back({k * step, timeText(k == 0 ? 0 : k * step, step)});  // Not -0.
    for (int minor = 1; minor < 5; ++minor) {
      const double time = (k + minor / 5.0) * step;
      if (time <= to) result.push_back({time, ""});
    }
  }
  return result;
}

std::string timeText(double time, double resolution) {
  if (!std::isfinite(time)) return "-";
  const double magnitude = std::max(std::abs(time), std::min(resolution, 1.0));
  double scale = 1;
  const char* unit = "s";
  if (time != 0 && magnitude < 1e-6) scale = 1e-9, unit = "ns";
  else if (time != 0 && magnitude < 1e-3) scale = 1e-6, unit = "\xC2\xB5s";
  else if (time != 0 && magnitude < 0.1) scale = 1e-3, unit = "ms";
  const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(resolution / scale) - 1e-9)), 0, 15);
  return fmt::format("{:.{}f} {}", time / scale, digits, unit);
}

}  // namespace rigor::viewer
