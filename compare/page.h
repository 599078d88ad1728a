// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "compare/compare.h"

namespace rigor::compare {

/// One JSON object: `{scene, until, entries: [{name, kind, step, refused, status, verdict, deepest: {pair, time,
/// depth}, ...}]}`.
std::string compareJson(const sim::Scene& scene, const std::vector<Entry>& entries);
/// A table for a terminal.
std::string compareText(const sim::Scene& scene, const std::vector<Entry>& entries);
/// One self-contained page: the table and the plots.
std::string comparePage(const sim::Scene& scene, const std::vector<Entry>& entries);
/// The plots by name: "depth", "energy", "height", "cost". Those that would be empty are left out.
std::vector<std::pair<std::string, record::SvgPlot>> comparePlots(const sim::Scene& scene,
                                                                  const std::vector<Entry>& entries);

}  // namespace rigor::compare
