// SPDX-License-Identifier: MIT
#include "sweep/run_sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>

#include "formats/csv.h"
#include "impact/workers.h"
#include "record/writer.h"
#include "scenes/loader.h"
#include "sweep/archive.h"
#include "sweep/results.h"

namespace rigor::sweep {
namespace {

namespace fs = std::filesystem;

Manifest manifestOf(const Plan& plan, const Shard& shard) {
  Manifest manifest;
  manifest.sweep_text = plan.text(), manifest.scene_text = plan.sceneText();
  manifest.runs = plan.runs(), manifest.shard = shard.index, manifest.shards = shard.count;
  manifest.columns = plan.columns();
  manifest.categories = {"status"};
  for (const Quantity& quantity : plan.quantities())
    if (quantity.isCategory())
      manifest.categories.insert(manifest.categories.end(), quantity.columns().begin(), quantity.columns().end());
  return manifest;
}

void createFolder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw SweepError(fmt::format("the folder {} cannot be created: {}", folder, error.message()));
}

SweepSummary countRows(const Rows& rows) {
  SweepSummary summary;
  for (const auto& [run, line] : rows) {
    const std::string status = formats::splitCsvLine(line)[2];
    ++summary.runs;
    ++(status == "done" ? summary.done : status == "failed" ? summary.failed : summary.other);
  }
  return summary;
}

void writeResults(const std::string& folder, const Manifest& manifest, const Rows& rows) {
  writeCsv((fs::path(folder) / "results.csv").string(), manifest.columns, rows);
  writeHdf5((fs::path(folder) / "results.h5").string(), manifest.columns, rows);
  writePlots(folder, manifest, rows);
}

/// Hands everything to two sinks.
class BothSinks : public sim::Sink {
 public:
  BothSinks(sim::Sink& first, sim::Sink& second) : first_(first), second_(second) {}
  void piece(const sim::PieceRecord& r) override { first_.piece(r), second_.piece(r); }
  void witness(const sim::WitnessRecord& r) override { first_.witness(r), second_.witness(r); }
  void event(const sim::EventRecord& r) override { first_.event(r), second_.event(r); }
  void impact(const sim::ImpactRecord& r) override { first_.impact(r), second_.impact(r); }
  void impulses(const sim::ImpulseRecord& r) override { first_.impulses(r), second_.impulses(r); }
  void joints(const sim::JointRecord& r) override { first_.joints(r), second_.joints(r); }
  void checkpoint(double time, long step, const std::vector<unsigned char>& state) override {
    first_.checkpoint(time, step, state), second_.checkpoint(time, step, state);
  }

 private:
  sim::Sink &first_, &second_;
};

/// The runs of one sweep, made by several threads.
class Sweep {
 public:
  Sweep(const Plan& plan, const SweepOptions& options) : plan_(plan), options_(options) {}

  SweepSummary run() {
    const Manifest manifest = manifestOf(plan_, options_.shard);
    const fs::path folder(options_.folder);
    prepareFolder(manifest);
    std::vector<long> open;
    for (long k = options_.shard.index - 1; k < plan_.runs(); k += options_.shard.count)
      if (!rows_.contains(k)) open.push_back(k);
    of_ = static_cast<long>(open.size() + rows_.size());
    log_.emplace((folder / "rows.csv").string(), manifest.columns, rows_);
    impact::Workers workers(options_.threads);
    std::vector<YAML::Node> documents;
    for (int i = 0; i < workers.size(); ++i)
      documents.push_back(YAML::Load(plan_.sceneText()));  // yaml-cpp shares nothing then.
    workers.run(static_cast<long>(open.size()), 1, [&](long begin, long end, int worker) {
      for (long i = begin; i < end && !interrupted(); ++i)
        if (auto line = make(open[i], documents[worker])) finish(open[i], std::move(*line));
    });
    SweepSummary summary = countRows(rows_);
    summary.interrupted = static_cast<long>(rows_.size()) < of_;
    if (!summary.interrupted) writeResults(options_.folder, manifest, rows_);
    return summary;
  }

 private:
  bool interrupted() const { return options_.interrupt && *options_.interrupt; }

  void prepareFolder(const Manifest& manifest) {
    createFolder(options_.folder);
    const fs::path folder(options_.folder);
    const bool used = fs::exists(folder / "sweep.json");
    if (used && !options_.resume)
      throw SweepError(fmt::format("{} holds a sweep already; --resume goes on with it", options_.folder));
    if (used) {
      const Manifest known = Manifest::read(options_.folder);
      if (!known.isSameSweep(manifest) || known.shard != manifest.shard || known.shards != manifest.shards)
        throw SweepError(fmt::format("{} holds another sweep, scene or shard", options_.folder));
      rows_ = readRows((folder / "rows.csv").string(), manifest.columns);
      std::erase_if(rows_,
                    [&](const auto& row) { return row.first >= plan_.runs() || !options_.shard.holds(row.first); });
    }
    manifest.write(options_.folder);
    if (!plan_.keepsAny()) return;
    if (plan_.archives()) archive_.emplace(options_.folder);
    else createFolder((folder / "records").string());
  }

  /// Nothing for a run that was interrupted: it is made again.
  std::optional<std::string> make(long run, const YAML::Node& document) {
    const std::vector<YAML::Node> values = plan_.draw(run);
    const std::string text = plan_.sceneWith(document, values);
    try {
      const bool keep = plan_.keep().all || plan_.keep().runs.contains(run);
      std::optional<RunOutcome> outcome;
      simulate(run, text, keep, outcome);
      // What a run is follows from its number: a failed one is made again for its record.
      if (!keep && plan_.keep().failed && outcome->summary.status == sim::RunStatus::kFailed)
        simulate(run, text, true, outcome);
      if (outcome->summary.status == sim::RunStatus::kInterrupted) return std::nullopt;
      return row(run, values, *outcome);
    } catch (const scenes::LoadError& error) {
      throw SweepError(
          fmt::format("run {}: the varied scene is not allowed: {}\n{}", run, error.what(), describe(values)));
    } catch (const sim::SceneError& error) {
      return refusedRow(run, values);
    }
  }

  void simulate(long run, const std::string& text, bool keep, std::optional<RunOutcome>& outcome) {
    sim::Simulation simulation(scenes::parseScene(text, plan_.scenePath()), plan_.seedOf(run));
    const sim::Scene& scene = simulation.scene();
    outcome.emplace(scene);
    if (!keep) {
      outcome->summary = simulation.run(scene.until, *outcome, options_.interrupt);
      return;
    }
    const record::RunInfo info = record::runInfo(simulation, plan_.seedOf(run), scene.until, options_.build);
    record::WriterOptions writer_options;
    std::vector<unsigned char> image;
    writer_options.replace = true;
    if (archive_) writer_options.image = &image;
    record::Writer writer((fs::path(options_.folder) / "records" / recordName(run)).string(), scene, info,
                          writer_options);
    BothSinks both(*outcome, writer);
    outcome->summary = simulation.run(scene.until, both, options_.interrupt);
    writer.finish(outcome->summary, "");
    if (archive_ && outcome->summary.status != sim::RunStatus::kInterrupted) archive_->put(run, image);
  }

  std::string rowStart(long run, std::string_view status, const std::vector<YAML::Node>& values) const {
    std::string line = fmt::format("{},{},{}", run, plan_.seedOf(run), status);
    for (std::size_t i = 0; i < values.size(); ++i)
      for (const std::string& cell : plan_.variations()[i].cells(values[i])) line.append(1, ',').append(rowCell(cell));
    return line;
  }
  std::string row(long run, const std::vector<YAML::Node>& values, const RunOutcome& outcome) const {
    std::string line = rowStart(run, record::statusName(outcome.summary.status), values);
    std::vector<double> numbers;
    for (const Quantity& quantity : plan_.quantities()) {
      quantity.evaluate(outcome, numbers);
      for (const double x : numbers) line += std::isnan(x) ? "," : fmt::format(",{}", x);
    }
    return line;
  }
  /// Bodies of the varied scene overlap at the start: no run, and no reason to stop the others.
  std::string refusedRow(long run, const std::vector<YAML::Node>& values) const {
    std::string line = rowStart(run, "refused", values);
    for (const Quantity& quantity : plan_.quantities()) line.append(quantity.columns().size(), ',');
    return line;
  }
  std::string describe(const std::vector<YAML::Node>& values) const {
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i)
      text += fmt::format("  {} = {}\n", plan_.variations()[i].path(),
                          fmt::join(plan_.variations()[i].cells(values[i]), " "));
    if (!text.empty()) text.pop_back();
    return text;
  }

  void finish(long run, std::string line) {
    const std::lock_guard lock(mutex_);
    log_->add(line);
    rows_[run] = std::move(line);
    if (options_.progress) options_.progress(static_cast<long>(rows_.size()), of_);
  }

  const Plan& plan_;
  const SweepOptions& options_;
  std::mutex mutex_;
  Rows rows_;
  std::optional<RowLog> log_;
  std::optional<Archive> archive_;
  long of_ = 0;
};

void copyRecords(const std::string& from, const std::string& into) {
  if (Archive::isIn(from)) Archive(into).putAll(Archive::pathIn(from));
  const fs::path source = fs::path(from) / "records";
  if (!fs::exists(source)) return;
  createFolder((fs::path(into) / "records").string());
  for (const fs::directory_entry& entry : fs::directory_iterator(source)) {
    std::error_code error;
    fs::copy_file(entry.path(), fs::path(into) / "records" / entry.path().filename(),
                  fs::copy_options::overwrite_existing, error);
    if (error) throw SweepError(fmt::format("{} cannot be copied: {}", entry.path().string(), error.message()));
  }
}

}  // namespace

SweepSummary runSweep(const Plan& plan, const SweepOptions& options) { return Sweep(plan, options).run(); }

SweepSummary mergeSweeps(const std::vector<std::string>& folders, const std::string& into) {
  Rows rows;
  Manifest whole;
  for (const std::string& folder : folders) {
    const Manifest manifest = Manifest::read(folder);
    if (&folder == &folders.front()) whole = manifest;
    if (!manifest.isSameSweep(whole))
      throw SweepError(fmt::format("{} and {} hold different sweeps", folders.front(), folder));
    const std::string path = (fs::path(folder) / "results.csv").string();
    if (!fs::exists(path))
      throw SweepError(fmt::format("{} is not complete: it has no results.csv; rigor sweep --resume ends it", folder));
    for (const auto& [run, line] : readRows(path, manifest.columns)) {
      const auto [known, fresh] = rows.emplace(run, line);
      if (!fresh) throw SweepError(fmt::format("run {} is in two folders, {} the second", run, folder));
    }
  }
  std::vector<long> missing;
  for (long k = 0; k < whole.runs && missing.size() < 6; ++k)
    if (!rows.contains(k)) missing.push_back(k);
  if (!missing.empty())
    throw SweepError(fmt::format("{} of {} runs are missing: {}{}", whole.runs - static_cast<long>(rows.size()),
                                 whole.runs, fmt::join(missing, ", "), missing.size() == 6 ? ", ..." : ""));
  createFolder(into);
  if (fs::exists(fs::path(into) / "sweep.json")) throw SweepError(fmt::format("{} holds a sweep already", into));
  whole.shard = whole.shards = 1;
  for (const std::string& folder : folders) copyRecords(folder, into);
  writeResults(into, whole, rows);
  whole.write(into);
  return countRows(rows);
}

void extractRecords(const std::string& folder, const std::vector<long>& runs, const std::string& into) {
  if (!Archive::isIn(folder)) throw SweepError(fmt::format("{} holds no archive of records", folder));
  Archive archive(folder);
  createFolder(into);
  for (const long run : runs) {
    const std::vector<unsigned char> record = archive.record(run);
    const std::string path = (fs::path(into) / recordName(run)).string();
    if (fs::exists(path)) throw SweepError(path + " is there already");
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(record.data()), static_cast<std::streamsize>(record.size()));
    if (!file.flush()) throw SweepError(path + " cannot be written");
  }
}

}  // namespace rigor::sweep
