// SPDX-License-Identifier: MIT
#include "cli/run_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/compare_command.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/places.h"
#include "cli/progress_bar.h"
#include "cli/record_target.h"
#include "cli/scene_loading.h"
#include "cli/trace_writer.h"
#include "cli/version.h"
#include "impact/resolver.h"
#include "record/reader.h"
#include "record/summary_json.h"
#include "record/writer.h"
#include "scenes/loader.h"
#include "sim/simulation.h"

namespace rigor::cli {
namespace {

void printSummary(std::ostream& out, const sim::Scene& scene, const sim::Summary& s, double wall_seconds,
                  const std::string& record) {
  const char* verdict = s.status == sim::RunStatus::kDone          ? "done"
                        : s.status == sim::RunStatus::kFailed      ? "FAILED"
                        : s.status == sim::RunStatus::kInterrupted ? "interrupted"
                                                                   : "stopped at the step budget";
  out << fmt::format("{}: {} at {:.6g} s after {} steps ({:.3g} s of computing)\n", scene.name, verdict, s.time,
                     s.steps, wall_seconds);
  out << fmt::format("  smallest gap   {:.4g} m, proved for every pair at every instant\n", s.min_gap);
  out << fmt::format("  steps          {:.3g} s on average, {:.3g} to {:.3g} s\n", s.mean_step, s.min_step, s.max_step);
  out << fmt::format("  contacts       {} manifold changes, {} made, {} broken, {} impacts\n", s.manifold_changes,
                     s.contacts_made, s.contacts_broken, s.impacts);
  out << fmt::format("  energy         {:.6g} -> {:.6g} J, largest rise of a step {:.3g} J\n", s.energy_initial,
                     s.energy_final, s.max_energy_increase);
  out << fmt::format("  record         {}\n", record);
}

/// What a resumed run keeps of its record: the end (unless a later one is asked for), the seed, the model.
/// @throws UsageError where the arguments ask for another run than the record's; record::RecordError.
void takeOptionsOfRecord(const RunArguments& arguments, const std::string& path, sim::Scene& scene,
                         std::uint64_t& seed) {
  record::Reader reader(path);
  const record::RunHeader& header = reader.header();
  requireScene(reader, scene);
  const auto json = nlohmann::json::parse(header.options, nullptr, false);
  if (!json.is_object() || !json.contains("impact") || !json["impact"].is_string())
    throw record::RecordError("damaged record " + path + ": its options name no impact model");
  if (json.contains("samples"))
    throw UsageError(fmt::format("{} holds an exploration: rigor explore --resume goes on with it", path));
  const std::string impact = json["impact"];
  requireSame(path, "--impact", arguments.impact.empty() ? std::nullopt : std::optional(arguments.impact), impact);
  requireSame(path, "--seed", arguments.seed, header.seed);
  if (arguments.until && *arguments.until < header.until)
    throw UsageError(
        fmt::format("{} is of a run up to {} s; --until {} is earlier", path, header.until, *arguments.until));
  scene.until = header.until, scene.impact_model = impact, seed = header.seed;
}

/// Says on `err` where a model is none. Empty: the scene's.
bool knowsModel(const std::string& model, std::ostream& err) {
  const auto names = impact::runResolverNames();
  if (model.empty() || std::find(names.begin(), names.end(), model) != names.end()) return true;
  err << fmt::format("rigor: --impact {}: no model of this version; there are {}\n", model, fmt::join(names, ", "));
  return false;
}

/// Published methods have no trace and cannot be gone on with. @throws UsageError.
void requireNoOptionOfTheLoop(const RunArguments& arguments, const std::string& method) {
  if (arguments.resume) throw UsageError(fmt::format("--resume: a run by {} starts anew; leave it out", method));
  if (!arguments.trace.empty() || arguments.debug)
    throw UsageError(fmt::format("--trace and --log debug show the event loop, not {}", method));
}

/// The run itself; what it decides goes to the trace, or to `err` where that is asked for.
/// @throws std::runtime_error where the trace cannot be written.
sim::Summary runTraced(const RunArguments& arguments, sim::Simulation& simulation, sim::Sink& sink,
                       const std::atomic<bool>& interrupt, std::ostream& err) {
  const double until = simulation.scene().until;
  std::vector<std::string> names;
  for (const sim::Body& body : simulation.scene().bodies) names.push_back(body.name);
  ProgressBar bar(!arguments.quiet && !arguments.debug);
  const auto progress = [&](double time, long steps) { bar.show(time, until, steps); };
  if (arguments.trace.empty() && !arguments.debug) return simulation.run(until, sink, &interrupt, progress);
  std::ofstream file;
  if (!arguments.trace.empty()) file.open(arguments.trace, std::ios::binary);
  sim::Summary summary;
  {
    TraceWriter trace(arguments.trace.empty() ? err : file,
                      arguments.trace.empty() ? TraceWriter::Form::kText : TraceWriter::formOf(arguments.trace),
                      std::move(names));
    TracedSink traced(sink, trace);
    const sim::TraceScope scope(&trace);
    summary = simulation.run(until, traced, &interrupt, progress);
  }
  if (!arguments.trace.empty() && !file.flush()) throw std::runtime_error(arguments.trace + " cannot be written");
  return summary;
}

}  // namespace

void warnOfPlasticImpacts(long count, const std::string& model, bool explored, bool quiet, std::ostream& err) {
  if (count == 0 || quiet) return;
  err << fmt::format("rigor: warning: {} impact{} of many bodies or contacts {} taken all at once, not by {}{}\n",
                     count, count == 1 ? "" : "s", count == 1 ? "was" : "were", model,
                     explored ? "; the tree does not fork there, though their outcomes may be open" : "");
}

int exitCodeOf(sim::RunStatus status) {
  switch (status) {
    case sim::RunStatus::kDone:
    case sim::RunStatus::kForked: return kDone;
    case sim::RunStatus::kFailed: return kFailure;
    case sim::RunStatus::kBudget: return kBudget;
    case sim::RunStatus::kInterrupted: return kInterrupted;
  }
  return kFailure;
}

int runCommand(const RunArguments& arguments, std::ostream& out, std::ostream& err) {
  const auto warn = [&](const std::string& text) {
    if (!arguments.quiet) err << "rigor: warning: " << text << '\n';
  };
  if (!knowsModel(arguments.impact, err)) return kUsage;  // Wrong usage is said before the work starts.

  scenes::SceneSource source;
  RecordTarget target;
  std::uint64_t seed = arguments.seed.value_or(0);
  std::optional<sim::Simulation> simulation;
  methods::Choice method;
  try {
    target = chooseRecord(arguments.output, arguments.force, arguments.resume);
    sim::Scene scene = loadShown(resolveScene(arguments.scene), source, method, arguments.quiet);
    if (!method.advance.empty()) requireNoOptionOfTheLoop(arguments, method.advance);
    for (const std::string& warning : source.warnings) warn(warning);
    if (!arguments.impact.empty()) scene.impact_model = arguments.impact;
    if (target.resumed) takeOptionsOfRecord(arguments, target.path, scene, seed);
    if (arguments.until) scene.until = *arguments.until;
    if (arguments.max_steps) scene.solver.max_steps = *arguments.max_steps;
    simulation.emplace(std::move(scene), seed);
    if (target.path.empty()) target.path = nextRecordPath(simulation->scene().name);
    simulation->setThreads(arguments.threads);
  } catch (...) {
    return reportInputError(source, err);
  }
  for (const std::string& warning : simulation->warnings()) warn(warning);
  if (!method.advance.empty()) {
    return runMethodCommand({target.path, arguments.json, arguments.quiet, arguments.force, seed}, *simulation, method,
                            out, err);
  }
  const sim::Scene& scene = simulation->scene();

  const auto start = std::chrono::steady_clock::now();
  try {
    const InterruptGuard interrupt;  // The record is valid at every moment.
    const std::string& path = target.path;
    const record::RunInfo info =
        record::runInfo(*simulation, seed, scene.until, RIGOR_BUILD,
                        nlohmann::ordered_json::object({{"scene", arguments.scene}}));
    record::WriterOptions writer_options;
    writer_options.replace = arguments.force;
    record::ResumedRun resumed;
    std::unique_ptr<record::Writer> writer;
    if (target.resumed) {
      writer = std::make_unique<record::Writer>(path, scene, info, resumed, writer_options);
      if (!resumed.state.empty()) simulation->restore(resumed.state);
    } else {
      writer = std::make_unique<record::Writer>(path, scene, info, writer_options);
    }

    sim::Summary summary = runTraced(arguments, *simulation, *writer, interrupt.flag(), err);
    summary.plastic_impacts += resumed.plastic_impacts;
    const double wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::string json = record::summaryJson(scene.name, summary, wall_seconds, seed, path);
    writer->finish(summary, json);

    if (arguments.json) out << json << '\n';
    else if (!arguments.quiet) printSummary(out, scene, summary, wall_seconds, path);
    if (arguments.json && arguments.output.empty() && !arguments.quiet) err << "rigor: recorded in " << path << '\n';
    warnOfPlasticImpacts(summary.plastic_impacts, scene.impact_model, false, arguments.quiet, err);
    if (summary.status == sim::RunStatus::kFailed) {
      err << fmt::format("rigor: the run stopped: {}\nrigor: {} is valid up to there\n", summary.message, path);
    }
    return exitCodeOf(summary.status);
  } catch (const std::exception& error) {
    err << "rigor: " << error.what() << '\n';
    return kFailure;
  }
}

}  // namespace rigor::cli
