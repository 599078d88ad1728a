// SPDX-License-Identifier: MIT
#include "cli/impact_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "cli/impact_shape.h"

namespace rigor::cli {
namespace {

using impact::ImpactProblem;
using record::PlotColour;
using record::PlotMarker;
using record::PlotPoint;

// A velocity varies if it does by more than this share of the fastest contact before; springs leave about 1e-6.
constexpr double kVaries = 1e-5;
// Scales of both axes are equal unless one range is this many times the other.
constexpr double kMostUnequal = 4;

struct Look {
  PlotMarker marker;
  PlotColour colour;
  double size;
};
// In the order of the deterministic models; larger ones first, so that all stay visible on one another.
constexpr std::array<Look, 6> kLooks = {{{PlotMarker::kSquare, PlotColour::kVermillion, 10},
                                         {PlotMarker::kTriangleUp, PlotColour::kGreen, 8},
                                         {PlotMarker::kDiamond, PlotColour::kPurple, 8},
                                         {PlotMarker::kStar, PlotColour::kOrange, 7},
                                         {PlotMarker::kCross, PlotColour::kBlack, 5},
                                         {PlotMarker::kTriangleDown, PlotColour::kBlue, 8}}};

int tangentRows(const ImpactProblem& problem, int contact) {
  return contact < static_cast<int>(problem.tangent.size()) ? static_cast<int>(problem.tangent[contact].rows()) : 0;
}

std::vector<PlotAxis> allAxes(const ImpactProblem& problem, PlotAxis::Kind kind) {
  std::vector<PlotAxis> axes;
  if (kind == PlotAxis::Kind::kGeneralized) {
    for (int i = 0; i < problem.numVelocities(); ++i) axes.push_back({kind, i, 0});
    return axes;
  }
  for (int i = 0; i < problem.numContacts(); ++i) {
    const int rows = kind == PlotAxis::Kind::kNormal ? 1 : tangentRows(problem, i);
    for (int k = 0; k < rows; ++k) axes.push_back({kind, i, k});
  }
  return axes;
}

template <typename Visit>
void forEachVelocity(const std::vector<ModelReport>& reports, const Visit& visit) {
  for (const ModelReport& report : reports) {
    if (report.random) {
      for (long k = 0; k < report.samples.velocity.cols(); ++k) visit(report.samples.velocity.col(k));
    } else {
      for (const ShownOutcome& shown : report.outcomes) visit(shown.outcome.velocity);
    }
  }
}

double spread(const ImpactProblem& problem, const std::vector<ModelReport>& reports, const PlotAxis& axis) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  forEachVelocity(reports, [&](const auto& v) {
    const double value = axis.valueOf(problem, v);
    low = std::min(low, value);
    high = std::max(high, value);
  });
  return low <= high ? high - low : 0;
}

}  // namespace

std::string PlotAxis::name() const {
  switch (kind) {
    case Kind::kNormal:
      return fmt::format("vn{}", index);
    case Kind::kTangential:
      return fmt::format("vt{}_{}", index, direction);
    case Kind::kGeneralized:
      break;
  }
  return fmt::format("v{}", index);
}

std::string PlotAxis::label() const {
  switch (kind) {
    case Kind::kNormal:
      return fmt::format("normal velocity of contact {}, {} [m/s]", index, name());
    case Kind::kTangential:
      return fmt::format("tangential velocity of contact {}, {} [m/s]", index, name());
    case Kind::kGeneralized:
      break;
  }
  return "generalized velocity " + name();
}

double PlotAxis::valueOf(const ImpactProblem& problem, const Eigen::Ref<const Eigen::VectorXd>& v) const {
  switch (kind) {
    case Kind::kNormal:
      return problem.normal.row(index).dot(v);
    case Kind::kTangential:
      return problem.tangent[index].row(direction).dot(v);
    case Kind::kGeneralized:
      break;
  }
  return v[index];
}

std::vector<PlotAxis> parsePlotAxes(const std::string& text, const ImpactProblem& problem) {
  std::vector<PlotAxis> known;
  for (const auto kind : {PlotAxis::Kind::kNormal, PlotAxis::Kind::kTangential, PlotAxis::Kind::kGeneralized}) {
    const std::vector<PlotAxis> axes = allAxes(problem, kind);
    known.insert(known.end(), axes.begin(), axes.end());
  }
  std::vector<PlotAxis> axes;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const PlotAxis& axis) { return axis.name() == text.substr(at, end - at); });
    if (found != known.end()) axes.push_back(*found);
    if (found == known.end() || axes.size() > 2) {
      axes.clear();
      break;
    }
    at = end + 1;
  }
  if (axes.size() != 2) {
    std::vector<std::string> names;
    for (const PlotAxis& axis : known) names.push_back(axis.name());
    throw std::invalid_argument(fmt::format("--plot-axes {} is not allowed; two of {}, such as {},{}", text,
                                            fmt::join(names, " "), names.front(), names.back()));
  }
  return axes;
}

std::vector<PlotAxis> choosePlotAxes(const ImpactProblem& problem, const std::vector<ModelReport>& reports) {
  double speed = (problem.normal * problem.velocity).cwiseAbs().maxCoeff();
  if (!(speed > 0)) speed = 1;
  std::vector<PlotAxis> chosen, rest;
  for (const auto kind : {PlotAxis::Kind::kNormal, PlotAxis::Kind::kTangential, PlotAxis::Kind::kGeneralized}) {
    std::vector<std::pair<double, PlotAxis>> ranked;
    // In whole units, so that spreads that differ by rounding are equal: the first contact first.
    for (const PlotAxis& axis : allAxes(problem, kind)) {
      ranked.emplace_back(std::round(spread(problem, reports, axis) / (kVaries * speed)), axis);
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [range, axis] : ranked) {
      if (chosen.size() < 2 && range > 0) {
        chosen.push_back(axis);
      } else {
        rest.push_back(axis);
      }
    }
  }
  for (std::size_t k = 0; chosen.size() < 2 && k < rest.size(); ++k) chosen.push_back(rest[k]);
  while (chosen.size() < 2) chosen.push_back(chosen.front());  // One contact, one velocity.
  if (chosen[0].kind == chosen[1].kind && chosen[1].index < chosen[0].index) std::swap(chosen[0], chosen[1]);
  return chosen;
}

record::SvgPlot plotImpact(const scenes::LoadedProblem& file, const std::vector<ModelReport>& reports,
                           std::vector<PlotAxis> axes) {
  const ImpactProblem& problem = file.problem;
  if (axes.empty()) axes = choosePlotAxes(problem, reports);
  const auto point = [&](const Eigen::Ref<const Eigen::VectorXd>& v) {
    return PlotPoint{axes[0].valueOf(problem, v), axes[1].valueOf(problem, v)};
  };
  record::SvgPlot plot(file.name + ": velocities after the impact", axes[0].label(), axes[1].label());
  for (const ModelReport& report : reports) {
    if (!report.random || report.samples.velocity.cols() == 0) continue;
    std::vector<PlotPoint> points;
    for (long k = 0; k < report.samples.velocity.cols(); ++k) points.push_back(point(report.samples.velocity.col(k)));
    const SetShadow exact = exactShadow(problem, axes);
    if (exact.empty()) plot.addArea(record::convexOutline(points), "hull of the samples", {.colour = PlotColour::kSky});
    else addShadow(exact, plot);
    plot.addDots(points, fmt::format("{}, {} samples", report.model, points.size()), {.colour = PlotColour::kBlue});
  }
  std::size_t look = 0;
  for (const ModelReport& report : reports) {
    if (report.random) continue;
    const Look& style = kLooks[look++ % kLooks.size()];
    std::vector<PlotPoint> points;
    bool frictionless = false;
    for (const ShownOutcome& shown : report.outcomes) {
      points.push_back(point(shown.outcome.velocity));
      frictionless = frictionless || shown.outcome.note.find("frictionless") != std::string_view::npos;
    }
    if (points.empty()) continue;
    plot.addMarkers(points, style.marker, report.model + (frictionless ? " (frictionless)" : ""),
                    {.colour = style.colour, .size = style.size});
  }
  const double x = spread(problem, reports, axes[0]), y = spread(problem, reports, axes[1]);
  const bool same_unit = axes[0].kind != PlotAxis::Kind::kGeneralized && axes[1].kind != PlotAxis::Kind::kGeneralized;
  if (same_unit && x > 0 && y > 0 && x < kMostUnequal * y && y < kMostUnequal * x) plot.setEqualScales();
  // Where contacts stay in touch or stick.
  plot.includeX(0);
  plot.includeY(0);
  return plot;
}

}  // namespace rigor::cli
