// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "cli/impact_report.h"
#include "record/svg_plot.h"

namespace rigor::cli {

/// A velocity after the impact that an axis shows: vnI, vtI_K or vI, named as the columns of the CSV.
struct PlotAxis {
  enum class Kind { kNormal, kTangential, kGeneralized };
  Kind kind = Kind::kNormal;
  int index = 0;      ///< Contact, or number of the generalized velocity.
  int direction = 0;  ///< Tangent row.

  std::string name() const;
  std::string label() const;  ///< With its unit [m/s] where it has one.
  double valueOf(const impact::ImpactProblem& problem, const Eigen::Ref<const Eigen::VectorXd>& v) const;
};

/// "vn0,vt1_0" as two axes. @throws std::invalid_argument naming what is allowed.
std::vector<PlotAxis> parsePlotAxes(const std::string& text, const impact::ImpactProblem& problem);

/// The two that tell the outcomes of all reports apart best: normal velocities by how much they vary; where fewer than
/// two vary, tangential ones, then generalized ones. Two different axes always, if the problem has them.
std::vector<PlotAxis> choosePlotAxes(const impact::ImpactProblem& problem, const std::vector<ModelReport>& reports);

/// The samples of the random models as dots over the exact set, or over their hull where that is not known; the
/// outcomes of the others as one kind of marker a model.
/// @param axes  Two; empty: choosePlotAxes().
record::SvgPlot plotImpact(const scenes::LoadedProblem& problem, const std::vector<ModelReport>& reports,
                           std::vector<PlotAxis> axes);

}  // namespace rigor::cli
