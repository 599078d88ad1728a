// SPDX-License-Identifier: MIT
#include "cli/explore_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/places.h"
#include "cli/progress_bar.h"
#include "cli/record_target.h"
#include "cli/run_command.h"
#include "cli/scene_loading.h"
#include "cli/version.h"
#include "impact/resolver.h"
#include "record/reach.h"
#include "record/reader.h"
#include "record/summary_json.h"
#include "record/tree_plot.h"
#include "record/tree_writer.h"
#include "scenes/loader.h"

namespace rigor::cli {
namespace {

/// What fixes a tree; a resumed one keeps its own.
struct TreeOptions {
  double until = 0, tolerance = 0;
  std::uint64_t seed = 0;
  long samples = 0;
  std::string impact;
};

TreeOptions optionsOf(const ExploreArguments& arguments, const sim::Scene& scene) {
  const sim::ForkOptions defaults;
  return {arguments.until.value_or(scene.until), arguments.tolerance.value_or(defaults.tolerance),
          arguments.seed.value_or(0), arguments.samples.value_or(defaults.samples),
          arguments.impact.empty() ? scene.impact_model : arguments.impact};
}

/// @throws UsageError where the arguments ask for another tree than the record's; record::RecordError.
TreeOptions optionsOfRecord(const ExploreArguments& arguments, const std::string& path, const sim::Scene& scene) {
  record::Reader reader(path);
  const record::RunHeader& header = reader.header();
  requireScene(reader, scene);
  const auto json = nlohmann::json::parse(header.options, nullptr, false);
  if (!json.is_object() || !json.contains("samples"))
    throw UsageError(fmt::format("{} holds one trajectory, no exploration; --force starts anew", path));
  TreeOptions options;
  try {
    options = {json.at("until"), json.at("tolerance"), header.seed, json.at("samples"), json.at("impact")};
  } catch (const nlohmann::json::exception& error) {
    throw record::RecordError("damaged record " + path + ": its options: " + error.what());
  }
  requireSame(path, "--until", arguments.until, options.until);
  requireSame(path, "--seed", arguments.seed, options.seed);
  requireSame(path, "--samples", arguments.samples, options.samples);
  requireSame(path, "--tolerance", arguments.tolerance, options.tolerance);
  requireSame(path, "--impact", arguments.impact.empty() ? std::nullopt : std::optional(arguments.impact),
              options.impact);
  return options;
}

void printSummary(std::ostream& out, const sim::Scene& scene, const sim::TreeSummary& s, double wall_seconds,
                  const std::string& record) {
  const char* verdict = s.status == sim::RunStatus::kFailed        ? "FAILED in some branches"
                        : s.status == sim::RunStatus::kInterrupted ? "interrupted"
                        : s.status == sim::RunStatus::kBudget      ? "stopped at the budget"
                                                                   : "done";
  out << fmt::format("{}: {}, up to {:.6g} s ({:.3g} s of computing)\n", scene.name, verdict, s.time, wall_seconds);
  out << fmt::format("  branches       {}, of which {} are leaves; {} forks\n", s.branches, s.leaves(), s.forks);
  out << fmt::format("  outcomes       {} sampled ones were merged into others\n", s.merged);
  if (s.open > 0)
    out << fmt::format(
        "  unexplored     {} outcomes, each within {:.3g} m/s of another of its fork; --resume goes on\n", s.open,
        s.open_difference);
  out << fmt::format("  smallest gap   {:.4g} m, proved for every pair at every instant of every branch\n", s.min_gap);
  out << fmt::format("  record         {}\n", record);
}

/// What is wrong with the outputs beside the record; empty: nothing.
std::string refusedPicture(const ExploreArguments& arguments) {
  for (const auto& [option, path] :
       {std::pair("--plot: ", &arguments.plot), std::pair("--reach: ", &arguments.reach)}) {
    if (path->empty()) continue;
    if (const std::string wrong = refuseOutput(*path, true); !wrong.empty()) return option + wrong;
  }
  return {};
}

void writePictures(const ExploreArguments& arguments, const std::string& record) {
  if (arguments.plot.empty() && arguments.reach.empty()) return;
  record::Reader reader(record);
  if (!arguments.plot.empty()) record::plotTree(reader).write(arguments.plot);
  if (!arguments.reach.empty()) record::writeReach(reader, arguments.reach);
}

/// Why the command cannot be done as it stands: wrong usage, said before the work starts. Empty: it can.
std::string refusedArguments(const ExploreArguments& arguments) {
  const auto names = impact::runResolverNames();
  if (!arguments.impact.empty() && std::find(names.begin(), names.end(), arguments.impact) == names.end())
    return fmt::format("--impact {}: no model of this version; there are {}", arguments.impact, fmt::join(names, ", "));
  return refusedPicture(arguments);
}

/// What is said of a tree that ended, on both streams.
void reportTree(const ExploreArguments& arguments, const sim::Scene& scene, const sim::TreeSummary& summary,
                double wall_seconds, const std::string& path, const std::string& json, std::ostream& out,
                std::ostream& err) {
  if (arguments.json) out << json << '\n';
  else if (!arguments.quiet) printSummary(out, scene, summary, wall_seconds, path);
  if (arguments.json && arguments.output.empty() && !arguments.quiet) err << "rigor: recorded in " << path << '\n';
  warnOfPlasticImpacts(summary.plastic_impacts, scene.impact_model, true, arguments.quiet, err);
  if (summary.status == sim::RunStatus::kFailed)
    err << fmt::format("rigor: {} of the branches stopped early, the first one: {}\nrigor: {} is valid up to there\n",
                       summary.failed, summary.message, path);
}

}  // namespace

int exploreCommand(const ExploreArguments& arguments, std::ostream& out, std::ostream& err) {
  const auto warn = [&](const std::string& text) {
    if (!arguments.quiet) err << "rigor: warning: " << text << '\n';
  };
  if (const std::string wrong = refusedArguments(arguments); !wrong.empty()) {
    err << "rigor: " << wrong << '\n';
    return kUsage;
  }
  RecordTarget target;

  scenes::SceneSource source;
  sim::Scene scene, start_scene;  // As the file has it; with the starts of the run.
  sim::ExploreOptions options;
  record::RunInfo info;
  try {
    target = chooseRecord(arguments.output, arguments.force, arguments.resume);
    scene = loadShown(resolveScene(arguments.scene), source, arguments.quiet);
    for (const std::string& warning : source.warnings) warn(warning);
    const TreeOptions tree =
        target.resumed ? optionsOfRecord(arguments, target.path, scene) : optionsOf(arguments, scene);
    scene.until = options.until = tree.until;
    scene.impact_model = tree.impact;
    options.fork.samples = tree.samples, options.fork.tolerance = tree.tolerance;
    options.seed = tree.seed;
    options.max_branches = arguments.max_branches;
    options.threads = arguments.threads;
    const sim::Simulation simulation(scene, options.seed);
    start_scene = simulation.scene();
    for (const std::string& warning : simulation.warnings()) warn(warning);
    info = record::runInfo(simulation, options.seed, options.until, RIGOR_BUILD,
                           nlohmann::ordered_json::object({{"scene", arguments.scene},
                                                           {"samples", options.fork.samples},
                                                           {"tolerance", options.fork.tolerance}}));
    if (target.path.empty()) target.path = nextRecordPath(scene.name);
  } catch (...) {
    return reportInputError(source, err);
  }

  const auto start = std::chrono::steady_clock::now();
  try {
    const InterruptGuard interrupt;  // The record is valid at every moment.
    const std::string& path = target.path;
    std::unique_ptr<record::TreeWriter> writer;
    if (target.resumed) {
      writer = std::make_unique<record::TreeWriter>(path);
    } else {
      record::WriterOptions writer_options;
      writer_options.replace = arguments.force;
      writer = std::make_unique<record::TreeWriter>(path, start_scene, info, writer_options);
    }
    sim::TreeSummary summary;
    {
      ProgressBar bar(!arguments.quiet);
      summary = sim::explore(
          scene, options, *writer, writer->takeFrontier(), writer->explored(), &interrupt.flag(),
          [&](const sim::TreeSummary& s, double) {
            bar.showPart(static_cast<double>(s.branches) / static_cast<double>(options.max_branches),
                         fmt::format("{} branches of at most {}, {} open", s.branches, options.max_branches, s.open));
          });
    }
    const double wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::string json = record::treeJson(scene.name, summary, wall_seconds, options.seed, path);
    writer->finish(summary, json);
    writer.reset();
    writePictures(arguments, path);

    reportTree(arguments, scene, summary, wall_seconds, path, json, out, err);
    return exitCodeOf(summary.status);
  } catch (const std::exception& error) {
    err << "rigor: " << error.what() << '\n';
    return kFailure;
  }
}

}  // namespace rigor::cli
