// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "rigor/types.h"

namespace rigor {

struct SweepOptions {
  long shard = 1, shards = 1;  ///< The runs k with k mod shards = shard - 1.
  int threads = 0;             ///< 0: all cores. Does not change the results.
  bool resume = false;         ///< Keep the rows that the folder has.
};

struct SweepSummary {
  long runs = 0, done = 0, failed = 0, refused = 0;
  bool interrupted = false;
};

/// The runs of a sweep file (docs/sweep.md); FOLDER/results.csv has a row each. @throws InputError.
SweepSummary runSweep(const std::string& file, const std::string& folder, const SweepOptions& options = {},
                      const Watch& watch = {});
/// Puts shards together: the same bytes as one sweep. @throws InputError.
SweepSummary mergeSweeps(const std::vector<std::string>& folders, const std::string& into);

}  // namespace rigor
