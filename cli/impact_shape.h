// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "cli/impact_plot.h"
#include "impact/sets/polytope_union.h"
#include "record/svg_plot.h"

namespace rigor::cli {

/// What an exact set of outcomes looks like in the plane of two axes: a polygon, a line or a point for each of its
/// polytopes.
struct SetShadow {
  std::vector<std::vector<record::PlotPoint>> pieces;  ///< Corners counter-clockwise; 1 or 2 where it is flat.
  bool empty() const { return pieces.empty(); }
};

/// @param quantities  quantitiesOf() of the set's problem: the axes are found among them by name.
SetShadow shadowOf(const impact::PolytopeUnion& set, const std::vector<impact::ExactQuantity>& quantities,
                   const std::vector<PlotAxis>& axes);

/// That of the problem's exact set where there is one and it is found with little work (some 10 ms); else empty.
SetShadow exactShadow(const impact::ImpactProblem& problem, const std::vector<PlotAxis>& axes);

/// Areas, lines and points for the pieces, and markers at their corners.
void addShadow(const SetShadow& shadow, record::SvgPlot& plot);

}  // namespace rigor::cli
