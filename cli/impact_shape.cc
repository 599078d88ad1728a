// SPDX-License-Identifier: MIT
#include "cli/impact_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "impact/sets/exact_set.h"

namespace rigor::cli {
namespace {

using record::PlotColour;
using record::PlotMarker;
using record::PlotPoint;

// Work for the set behind a picture, and contacts up to which it is tried.
constexpr std::int64_t kPictureWork = 30'000'000;
constexpr int kPicturePieces = 2000;
constexpr int kMostPicturedContacts = 4;

bool hasExactSet(const impact::ImpactProblem& problem) {
  if (problem.numContacts() > kMostPicturedContacts) return false;
  for (int i = 0; i < problem.numContacts(); ++i) {
    const double mu = problem.friction[static_cast<size_t>(i)];
    if (!std::isfinite(mu) || (mu > 0 && problem.tangent[static_cast<size_t>(i)].rows() != 1)) return false;
  }
  return std::all_of(problem.restitution.begin(), problem.restitution.end(), [](double e) { return e == 0; });
}

const impact::ExactQuantity* quantityOf(const std::vector<impact::ExactQuantity>& quantities, const PlotAxis& axis) {
  for (const impact::ExactQuantity& quantity : quantities) {
    if (quantity.name == axis.name()) return &quantity;
  }
  return nullptr;  // A tangent of a contact without friction.
}

}  // namespace

SetShadow shadowOf(const impact::PolytopeUnion& set, const std::vector<impact::ExactQuantity>& quantities,
                   const std::vector<PlotAxis>& axes) {
  SetShadow shadow;
  const impact::ExactQuantity *x = quantityOf(quantities, axes[0]), *y = quantityOf(quantities, axes[1]);
  if (!x || !y) return shadow;
  for (size_t p = 0; p < set.pieces().size(); ++p) {
    std::vector<PlotPoint>& corners = shadow.pieces.emplace_back();
    for (const std::vector<mpq_class>& corner : set.project(static_cast<int>(p), *x, *y)) {
      corners.push_back({corner[0].get_d(), corner[1].get_d()});
    }
  }
  return shadow;
}

SetShadow exactShadow(const impact::ImpactProblem& problem, const std::vector<PlotAxis>& axes) {
  if (!hasExactSet(problem)) return {};
  const impact::ExactSet set(problem, impact::ExactSetLimits{kPictureWork, kPicturePieces});
  if (!set.complete()) return {};
  return shadowOf(impact::PolytopeUnion(set), quantitiesOf(set.problem()), axes);
}

void addShadow(const SetShadow& shadow, record::SvgPlot& plot) {
  std::string label =
      fmt::format("the exact set: {} polytope{}", shadow.pieces.size(), shadow.pieces.size() == 1 ? "" : "s");
  std::vector<PlotPoint> corners;
  for (const std::vector<PlotPoint>& piece : shadow.pieces) {
    if (piece.size() > 2) plot.addArea(piece, label, {.colour = PlotColour::kSky});
    else plot.addLine(piece, label, {.colour = PlotColour::kSky, .width = 4});
    label.clear();
    corners.insert(corners.end(), piece.begin(), piece.end());
  }
  plot.addMarkers(corners, PlotMarker::kCircle, "its vertices", {.colour = PlotColour::kGrey, .size = 3});
}

}  // namespace rigor::cli
