// SPDX-License-Identifier: MIT
#pragma once
#include <ostream>
#include <string>
#include <vector>

namespace rigor::cli {

struct SweepArguments {
  std::vector<std::string> files;  ///< A sweep file; `merge` and folders; or `extract`, a folder and runs.
  std::string output, shard;
  int threads = 0;
  bool resume = false, json = false, quiet = false;
};

/// `rigor sweep SWEEP.yaml -o FOLDER`, `rigor sweep merge FOLDER... -o FOLDER` and
/// `rigor sweep extract FOLDER RUN... -o FOLDER` (docs/sweep.md).
/// @returns kDone, kUsage, kBadInput, kFailure (a run could not keep its guarantee, or a file could not be written),
/// kInterrupted.
int sweepCommand(const SweepArguments& arguments, std::ostream& out, std::ostream& err);

}  // namespace rigor::cli
