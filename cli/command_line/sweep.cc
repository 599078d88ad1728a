// SPDX-License-Identifier: MIT
#include "cli/command_line/commands.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

#include "cli/command_line/option_checks.h"
#include "cli/sweep_command.h"

namespace rigor::cli {
namespace {

constexpr const char* kSweepHelp = R"(
SWEEP.yaml says which scene, how many runs, and what varies:
  scene: die
  runs: 1000
  vary:
    bodies.die.orientation: {rotation: uniform}
    bodies.die.velocity: {uniform: [[-1, -1, -2], [1, 1, -1]]}
  results: [die.face_up, rest_time, energy]
FOLDER gets results.csv, a row a run, results.h5, and plots. The results depend on the file alone, not on threads,
shards or interruptions.
Examples:
  rigor sweep dice.yaml -o dice                        all cores
  rigor sweep dice.yaml -o dice --resume               go on after an interruption
  rigor sweep dice.yaml -o part3 --shard 3/8           the third eighth, on one of eight machines
  rigor sweep merge part1 part2 part3 ... -o dice      put together again
  rigor sweep extract dice 17 42 -o chosen             records of two runs, from an archive (store: archive)

Exit codes: 0 done, 2 wrong usage, 3 bad input, 4 some run could not keep its guarantee, 130 interrupted
(--resume goes on).)";

}  // namespace

Command addSweep(CLI::App& app) {
  const auto arguments = std::make_shared<SweepArguments>();
  CLI::App* sweep =
      app.add_subcommand("sweep", "Many runs of a scene from distributions, on all cores or many machines");
  sweep->footer(kSweepHelp);
  sweep
      ->add_option("SWEEP", arguments->files,
                   "Sweep file; merge and the folders of all shards; or extract, a folder and runs")
      ->required();
  sweep->add_option("-o,--output", arguments->output, "Folder for results, created")->required();
  sweep->add_option("--shard", arguments->shard, "K/N: only every N-th run, the K-th first (default: all)");
  sweep->add_option("--threads", arguments->threads, "Threads (default: all cores); the results do not depend on it")
      ->check([](const std::string& text) { return checkWhole<int>(text, 1); });
  sweep->add_flag("--resume", arguments->resume, "Keep the runs that the folder has, and make the others");
  sweep->add_flag("--json", arguments->json, "Print one JSON object");
  sweep->add_flag("--quiet", arguments->quiet, "No summary or progress; errors only");
  return {sweep, [arguments] { return sweepCommand(*arguments, std::cout, std::cerr); }};
}

}  // namespace rigor::cli
