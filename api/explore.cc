// SPDX-License-Identifier: MIT
#include "rigor/explore.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "api/scene_impl.h"
#include "api/version.h"
#include "record/summary_json.h"
#include "record/tree_writer.h"
#include "sim/explorer.h"
#include "sim/simulation.h"

namespace rigor {
namespace {

TreeSummary toPublic(const sim::TreeSummary& s) {
  return {std::string(record::statusName(s.status)),
          s.message,
          s.time,
          s.min_gap,
          s.open_difference,
          s.branches,
          s.leaves(),
          s.forks,
          s.merged,
          s.open,
          s.plastic_impacts,
          s.failed};
}

sim::TreeSummary explore(const sim::Scene& scene, const std::string& path, const sim::ExploreOptions& options,
                         bool replace, const Watch& watch) {
  const auto start = std::chrono::steady_clock::now();
  const sim::Simulation simulation(scene, options.seed);
  const nlohmann::ordered_json own{{"samples", options.fork.samples}, {"tolerance", options.fork.tolerance}};
  const record::RunInfo info = record::runInfo(simulation, options.seed, options.until, RIGOR_BUILD, own);
  record::WriterOptions writer_options;
  writer_options.replace = replace;
  record::TreeWriter writer(path, simulation.scene(), info, writer_options);
  std::function<void(const sim::TreeSummary&, double)> progress;
  if (watch.progress)
    progress = [&](const sim::TreeSummary& s, double) {
      watch.progress(static_cast<double>(s.branches), static_cast<double>(options.max_branches));
    };
  const sim::TreeSummary summary =
      sim::explore(scene, options, writer, writer.takeFrontier(), writer.explored(), watch.interrupt, progress);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  writer.finish(summary, record::treeJson(scene.name, summary, seconds, options.seed, path));
  return summary;
}

}  // namespace

TreeSummary exploreScene(const Scene& scene, const std::string& record, const ExploreOptions& options,
                         const Watch& watch) {
  if (options.samples < 1) throw InputError("samples is " + std::to_string(options.samples) + "; allowed: 1 or more");
  if (options.max_branches < 1)
    throw InputError("max_branches is " + std::to_string(options.max_branches) + "; allowed: 1 or more");
  if (!(options.tolerance >= 0))
    throw InputError("tolerance is " + std::to_string(options.tolerance) + "; allowed: 0 or more");
  return withUserErrors(
      [&] {
        sim::Scene start = startOf(scene);
        sim::ExploreOptions o;
        start.until = o.until = options.until.value_or(start.until);
        o.fork.samples = options.samples, o.fork.tolerance = options.tolerance;
        o.seed = options.seed, o.max_branches = options.max_branches, o.threads = options.threads;
        return toPublic(explore(start, record, o, options.replace, watch));
      },
      &scene.impl().source);
}

}  // namespace rigor
