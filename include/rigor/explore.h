// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "rigor/scene.h"

namespace rigor {

struct ExploreOptions {
  std::optional<double> until;  ///< [s]; none: the scene's.
  std::uint64_t seed = 0;
  long samples = 1000;      ///< Outcomes drawn of an ambiguous impact.
  double tolerance = 0.05;  ///< Outcomes this close are one [-].
  long max_branches = 100;
  int threads = 0;          ///< 0: all cores. Does not change the tree.
  bool replace = false;     ///< Replace an existing record.
};

/// The figures of `rigor explore --json`.
struct TreeSummary {
  std::string status = "done", message;
  double time = 0, min_gap = 0, open_difference = 0;
  long branches = 0, leaves = 0, forks = 0, merged = 0, open = 0, plastic_impacts = 0, failed = 0;
};

/// The tree of trajectories: every ambiguous simultaneous impact forks. The record is that of `rigor explore`.
/// @throws InputError, GuaranteeError where all branches failed to be simulated on.
TreeSummary exploreScene(const Scene& scene, const std::string& record, const ExploreOptions& options = {},
                         const Watch& watch = {});

}  // namespace rigor
