// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "sim/explorer.h"

namespace rigor::cli {

struct ExploreArguments {
  std::string scene;                    ///< A file, or the name of a bundled scene.
  std::string output;                   ///< Empty: the next free runs/NAME-0001.rigor.
  std::optional<double> until;          ///< [s], else the scene's. This and the next four: a resumed record's own.
  std::optional<std::uint64_t> seed;    ///< Default 0.
  std::optional<long> samples;          ///< Of an ambiguous impact, default 1000.
  std::optional<double> tolerance;      ///< Of outcomes that are one, default 0.05.
  std::string impact;                   ///< Model, else the scene's.
  std::string plot;                     ///< Empty, or the SVG file to draw the tree into.
  std::string reach;                    ///< Empty, or the CSV file of where bodies can be (record/reach.h).
  long max_branches = 100;
  int threads = 0;                      ///< 0: all cores.
  bool resume = false, json = false, quiet = false, force = false;
};

/// `rigor explore`: simulates the tree of trajectories, records it, and says what it is: one JSON object on `out`, or a
/// few lines. @returns the program's exit code. SIGINT and SIGTERM end it with a valid record that --resume continues.
int exploreCommand(const ExploreArguments& arguments, std::ostream& out, std::ostream& err);

}  // namespace rigor::cli
