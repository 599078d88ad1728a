// SPDX-License-Identifier: MIT
#include "cli/command_line/commands.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

#include "cli/command_line/option_checks.h"
#include "cli/command_line/reach_option.h"
#include "cli/explore_command.h"
#include "cli/run_command.h"

namespace rigor::cli {
namespace {

constexpr const char* kRunHelp = R"(
Examples:
  rigor run die                                 a bundled scene (see `rigor scenes`), recorded in runs/
  rigor run scenes/die.yaml -o die.rigor        a scene file, recorded where you say
  rigor run die --seed 7 --until 1.5 --json     another random sample, shorter, summary as JSON
  rigor run scenes/die.yaml -o die.rigor --resume   go on with it where it was interrupted or killed, or reached
                                                a budget; with a later --until also where it had ended
  rigor run die --trace die.jsonl; rigor trace die.jsonl   what the event loop decided, and its sum
  rigor verify die.rigor                        prove the result again

A resumed run ends in the same bits as one that never stopped. It keeps its record's seed, model and end unless a later
--until is given.

Exit codes: 0 done, 2 wrong usage, 3 bad scene, 4 the guarantee could not be kept (the record up to there is valid),
5 step budget reached (--resume goes on), 130 interrupted (Ctrl-C; the record is valid, --resume goes on).)";

constexpr const char* kExploreHelp = R"(
Where several contacts are hit at once, rigid-body mechanics allows several outcomes. `run` draws one; `explore` samples
the set, merges outcomes that are the same within --tolerance, and follows each: the run becomes a tree of branches,
"0", its children "0/0", "0/1", ..., their children "0/1/0", ... The most different outcomes come first, so that a small
--max-branches covers the set; what is left is counted ("open"), and --resume goes on there. A branch's weight is its
share of the samples, no probability of nature. The tree is the same for any --threads and after any interruption.
Examples:
  rigor explore brick-four-corners -o brick.rigor            up to 100 branches
  rigor explore brick-four-corners -o brick.rigor --resume --max-branches 300
  rigor explore scenes/die-on-face.yaml --samples 500 --tolerance 0.02 --json
  rigor explore box-and-wall --plot tree.svg               the branches over time
  rigor info brick.rigor; rigor verify brick.rigor         every branch is proved
  rigor export brick.rigor --branch 0/1 --format gltf -o brick.gltf

Exit codes: 0 the whole tree was explored, 2 wrong usage, 3 bad scene, 4 the guarantee could not be kept in some branch
(the record is valid up to there), 5 --max-branches was reached (--resume goes on), 130 interrupted (likewise).)";

}  // namespace

Command addRun(CLI::App& app) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App* run = app.add_subcommand("run", "Simulate one trajectory, record it, print a summary");
  run->footer(kRunHelp);
  run->add_option("SCENE", arguments->scene, "Scene file, or the name of a bundled scene")->required();
  run->add_option("-o,--output", arguments->output,
                  "Record to write (default: runs/NAME-0001.rigor, the next free number)");
  run->add_option("--until", arguments->until, "End of the run [s] (default: the scene's)")->check(checkEnd);
  run->add_option("--seed", arguments->seed, "Seed of the random samples (default: 0)")
      ->check([](const std::string& text) { return checkWhole<std::uint64_t>(text, 0); });
  run->add_option("--impact", arguments->impact, "Impact model (default: the scene's, or routh)");
  run->add_option("--max-steps", arguments->max_steps, "Stop after this many steps with exit code 5")
      ->check([](const std::string& text) { return checkWhole<long>(text, 1); });
  run->add_option("--threads", arguments->threads,
                  "Threads for bodies that are apart and for the record (default: 0, all cores); same result for any")
      ->check([](const std::string& text) { return checkWhole<int>(text, 0); });
  run->add_flag("--json", arguments->json, "Print one JSON object instead of the summary");
  run->add_flag("--quiet", arguments->quiet, "No summary, warnings or progress; errors only");
  run->add_flag("--force", arguments->force, "Replace an existing record");
  run->add_flag("--resume", arguments->resume, "Go on with an unfinished run (default: the newest in runs/)");
  run->add_option("--trace", arguments->trace,
                  "Write what the event loop decides: JSON lines, or for Perfetto where FILE ends in .json");
  run->add_option_function<std::string>(
         "--log",
         [arguments](const std::string& level) {
           arguments->quiet = level == "error", arguments->debug = level == "debug";
         },
         "What stderr gets: error (as --quiet), info (default), debug (what the event loop decides)")
      ->check(CLI::IsMember({"error", "info", "debug"}));
  return {run, [arguments] { return runCommand(*arguments, std::cout, std::cerr); }};
}

Command addExplore(CLI::App& app) {
  const auto arguments = std::make_shared<ExploreArguments>();
  CLI::App* explore = app.add_subcommand("explore", "Simulate the tree of trajectories: ambiguous impacts fork");
  explore->footer(kExploreHelp);
  explore->add_option("SCENE", arguments->scene, "Scene file, or the name of a bundled scene")->required();
  explore->add_option("-o,--output", arguments->output,
                      "Record to write (default: the next free runs/NAME-0001.rigor)");
  explore->add_option("--samples", arguments->samples, "Outcomes drawn of an ambiguous impact (default: 1000)")
      ->check([](const std::string& text) { return checkWhole<long>(text, 1); });
  explore
      ->add_option("--max-branches", arguments->max_branches,
                   "Stop after this many branches with exit code 5 (default: 100)")
      ->check([](const std::string& text) { return checkWhole<long>(text, 1); });
  explore
      ->add_option(
          "--tolerance", arguments->tolerance,
          "Outcomes this close are one, relative to the largest change of velocity of the impact (default: 0.05)")
      ->check(checkTolerance);
  explore->add_option("--until", arguments->until, "End of every trajectory [s] (default: the scene's)")
      ->check(checkEnd);
  explore->add_option("--seed", arguments->seed, "Seed of the random samples (default: 0)")
      ->check([](const std::string& text) { return checkWhole<std::uint64_t>(text, 0); });
  explore->add_option("--impact", arguments->impact, "Impact model (default: the scene's, or routh)");
  explore->add_option("--threads", arguments->threads, "Branches simulated at once (default: 0, all cores)")
      ->check([](const std::string& text) { return checkWhole<int>(text, 0); });
  explore->add_option("--plot", arguments->plot, "Draw the branch tree over time into this SVG file");
  explore->add_option("--reach", arguments->reach, kReachHelp);
  explore->add_flag("--resume", arguments->resume,
                    "Go on with an unfinished exploration (default: the newest in runs/)");
  explore->add_flag("--json", arguments->json, "Print one JSON object instead of the summary");
  explore->add_flag("--quiet", arguments->quiet, "No summary, warnings or progress; errors only");
  explore->add_flag("--force", arguments->force, "Replace an existing record");
  return {explore, [arguments] { return exploreCommand(*arguments, std::cout, std::cerr); }};
}

}  // namespace rigor::cli
