// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "atlas/chart.h"
#include "atlas/study.h"

namespace rigor::atlas {

/// What a map says of one model, springs of one damping, or engine.
struct Score {
  std::string name;
  int asked = 0, answers = 0;         ///< Impacts, and those with an outcome.
  int outside = 0;                    ///< Impacts with an outcome outside.
  double worst = 0;                   ///< insideOf() included: how far the worst outcome lies outside.
  std::vector<std::size_t> cells = {};  ///< Those outside.
};
std::vector<Score> scoresOf(const Map& map);

/// Names of files and their charts: FAMILY-size.svg, and FAMILY-NAME.svg for what lies outside somewhere.
std::vector<std::pair<std::string, Chart>> chartsOf(const Map& map);

/// The findings of all maps as one page of Markdown, with the charts; as plain text for a terminal; as one JSON object
/// (docs/impact-sets.md).
std::string atlasPage(const std::vector<Map>& maps);
std::string atlasText(const std::vector<Map>& maps);
std::string atlasJson(const std::vector<Map>& maps);

}  // namespace rigor::atlas
