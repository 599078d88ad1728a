// SPDX-License-Identifier: MIT
#include "cli/sweep_command.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/places.h"
#include "cli/progress_bar.h"
#include "cli/version.h"
#include "scenes/load_error.h"
#include "sweep/run_sweep.h"

namespace rigor::cli {
namespace {

/// K/N with 1 <= K <= N.
std::optional<sweep::Shard> parseShard(const std::string& text) {
  sweep::Shard shard;
  if (text.empty()) return shard;
  const char *at = text.data(), *end = at + text.size();
  const auto first = std::from_chars(at, end, shard.index);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '/') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, shard.count);
  if (second.ec != std::errc() || second.ptr != end || shard.index < 1 || shard.index > shard.count)
    return std::nullopt;
  return shard;
}

void printSummary(const SweepArguments& arguments, const std::string& scene, const sweep::SweepSummary& s,
                  double seconds, std::ostream& out) {
  const char* status = s.interrupted ? "interrupted" : s.failed > 0 ? "failed" : "done";
  if (arguments.json) {
    out << nlohmann::ordered_json{{"scene", scene},         {"status", status},  {"runs", s.runs},
                                  {"done", s.done},         {"failed", s.failed}, {"refused", s.other},
                                  {"folder", arguments.output}, {"wall_seconds", seconds}}
               .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
        << '\n';
  } else if (!arguments.quiet) {
    out << fmt::format("{}: {} runs, {} done, {} failed, {} refused ({:.3g} s); {}/results.csv\n", scene, s.runs,
                       s.done, s.failed, s.other, seconds, arguments.output);
  }
}

int exitCodeOf(const sweep::SweepSummary& s) { return s.interrupted ? kInterrupted : s.failed > 0 ? kFailure : kDone; }

/// Which of its three kinds this command is; nothing where it is none, and `err` says what is wrong.
enum class Kind { kRun, kMerge, kExtract };
std::optional<Kind> kindOf(const std::vector<std::string>& files, std::ostream& err) {
  if (files[0] == "merge") {
    if (files.size() > 1) return Kind::kMerge;
    err << "rigor: sweep merge: which folders? rigor sweep merge FOLDER... -o FOLDER\n";
  } else if (files[0] == "extract") {
    if (files.size() > 2) return Kind::kExtract;
    err << "rigor: sweep extract: which runs of which folder? rigor sweep extract FOLDER RUN... -o FOLDER\n";
  } else {
    if (files.size() == 1) return Kind::kRun;
    err << "rigor: sweep takes one file; or: rigor sweep merge FOLDER... -o FOLDER\n";
  }
  return std::nullopt;
}

/// Numbers of runs, as they stand on the command line. Nothing where one is none.
std::optional<std::vector<long>> parseRuns(const std::vector<std::string>& words, std::ostream& err) {
  std::vector<long> runs;
  for (const std::string& word : words) {
    long run = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), run);
    if (error != std::errc() || end != word.data() + word.size() || run < 0) {
      err << fmt::format("rigor: sweep extract: {} is no number of a run; 0 or more\n", word);
      return std::nullopt;
    }
    runs.push_back(run);
  }
  return runs;
}

}  // namespace

int sweepCommand(const SweepArguments& arguments, std::ostream& out, std::ostream& err) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  const auto shard = parseShard(arguments.shard);
  if (!shard) err << fmt::format("rigor: --shard {}: K/N with 1 <= K <= N\n", arguments.shard);
  const auto kind = kindOf(arguments.files, err);
  if (!shard || !kind) return kUsage;
  try {
    if (kind == Kind::kExtract) {
      const auto runs = parseRuns({arguments.files.begin() + 2, arguments.files.end()}, err);
      if (!runs) return kUsage;
      sweep::extractRecords(arguments.files[1], *runs, arguments.output);
      return kDone;
    }
    if (kind == Kind::kMerge) {
      const sweep::SweepSummary summary =
          sweep::mergeSweeps({arguments.files.begin() + 1, arguments.files.end()}, arguments.output);
      printSummary(arguments, "merged", summary, seconds(), out);
      return exitCodeOf(summary);
    }
    const sweep::Plan plan = sweep::Plan::load(arguments.files[0], resolveScene);
    sweep::SweepOptions options;
    options.folder = arguments.output, options.build = RIGOR_BUILD, options.shard = *shard;
    options.threads = arguments.threads, options.resume = arguments.resume;
    const InterruptGuard guard;
    options.interrupt = &guard.flag();
    ProgressBar bar(!arguments.quiet);
    options.progress = [&](long done, long of) {
      bar.showPart(static_cast<double>(done) / static_cast<double>(of), fmt::format("{} of {} runs", done, of));
    };
    const sweep::SweepSummary summary = sweep::runSweep(plan, options);
    printSummary(arguments, plan.sceneName(), summary, seconds(), out);
    if (summary.interrupted && !arguments.quiet) err << "rigor: interrupted; --resume goes on\n";
    return exitCodeOf(summary);
  } catch (const scenes::LoadError& error) {
    err << error.what() << '\n';
    return kBadInput;
  } catch (const sweep::SweepError& error) {
    err << "rigor: " << error.what() << '\n';
    return kBadInput;
  } catch (const std::exception& error) {
    err << "rigor: " << error.what() << '\n';
    return kFailure;
  }
}

}  // namespace rigor::cli
