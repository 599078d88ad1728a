// SPDX-License-Identifier: MIT
#include "rigor/sweep.h"

#include "api/input_errors.h"
#include "api/version.h"
#include "sweep/run_sweep.h"

namespace rigor {
namespace {

SweepSummary toPublic(const sweep::SweepSummary& s) { return {s.runs, s.done, s.failed, s.other, s.interrupted}; }

}  // namespace

SweepSummary runSweep(const std::string& file, const std::string& folder, const SweepOptions& options,
                      const Watch& watch) {
  if (options.shards < 1 || options.shard < 1 || options.shard > options.shards)
    throw InputError("shard " + std::to_string(options.shard) + " of " + std::to_string(options.shards) +
                     "; allowed: 1 to the number of shards");
  return withUserErrors([&] {
    const sweep::Plan plan = sweep::Plan::load(file, [](const std::string& scene) { return scene; });
    sweep::SweepOptions o;
    o.folder = folder, o.build = RIGOR_BUILD, o.shard = {options.shard, options.shards}, o.threads = options.threads,
    o.resume = options.resume;
    o.interrupt = watch.interrupt;
    if (watch.progress)
      o.progress = [&](long done, long of) { watch.progress(static_cast<double>(done), static_cast<double>(of)); };
    return toPublic(sweep::runSweep(plan, o));
  });
}

SweepSummary mergeSweeps(const std::vector<std::string>& folders, const std::string& into) {
  return withUserErrors([&] { return toPublic(sweep::mergeSweeps(folders, into)); });
}

}  // namespace rigor
