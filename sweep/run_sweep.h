// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sweep/plan.h"

namespace rigor::sweep {

/// A folder of results that cannot be used, or a run that the varied scene does not allow. what() is for the user.
struct SweepError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A part of a sweep: the runs k with k mod count = index - 1.
struct Shard {
  long index = 1, count = 1;
  bool holds(long run) const { return run % count == index - 1; }
};

struct SweepOptions {
  std::string folder;  ///< Created. Results, records and plots go there.
  std::string build;   ///< Version of the program, for records.
  Shard shard;
  int threads = 0;      ///< 0: all cores.
  bool resume = false;  ///< Keep the rows that the folder has.
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(long done, long of)> progress;  ///< From any thread, one call at a time.
};

struct SweepSummary {
  long runs = 0, done = 0, failed = 0, other = 0;  ///< Of this shard; `other`: budgets.
  bool interrupted = false;
};

/// Makes the runs of a plan and writes FOLDER/results.csv, results.h5, plots of the results, and records as the plan
/// keeps them.
///
/// The results do not depend on threads, shards or interruptions: what a run is follows from the sweep file and its
/// number alone. Rows are appended to FOLDER/rows.csv as runs end; what a killed sweep had written there is kept by
/// `resume`.
/// @throws SweepError; record::RecordError where a record cannot be written.
SweepSummary runSweep(const Plan& plan, const SweepOptions& options);

/// Puts the folders of all shards of one sweep together: the same bytes of results.csv as one sweep without shards.
/// @throws SweepError: folders of different sweeps, runs that are missing or twice.
SweepSummary mergeSweeps(const std::vector<std::string>& folders, const std::string& into);

/// Takes records out of a folder's archive, as files INTO/run-000017.rigor.
/// @throws SweepError: no archive, no record of a run, or a file that is there already.
void extractRecords(const std::string& folder, const std::vector<long>& runs, const std::string& into);

}  // namespace rigor::sweep
