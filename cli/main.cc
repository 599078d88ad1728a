// SPDX-License-Identifier: MIT
// The `rigor` program: options in, exit codes out. What the commands do is in their own files.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>

#include "cli/distance_command.h"
#include "cli/exit_code.h"
#include "cli/export_command.h"
#include "cli/info_command.h"
#include "cli/places.h"
#include "cli/run_command.h"
#include "cli/scenes_command.h"
#include "cli/verify_command.h"
#include "cli/version.h"
#include "scenes/nearest_word.h"

using namespace rigor;

namespace {

/// The record that a command without FILE means. Says so, or says that there is none.
bool findRecord(std::string& path) {
  if (!path.empty()) return true;
  path = cli::findNewestRecord();
  if (path.empty()) {
    std::cerr << "rigor: no record was named, and runs/ has none\n";
    return false;
  }
  std::cerr << "rigor: " << path << '\n';
  return true;
}

int distance(const std::string& path, bool json) {
  if (path == "-") return cli::distanceCommand(std::cin, "stdin", std::cout, std::cerr, json);
  std::ifstream file(path);
  if (!file || file.peek() == std::ifstream::traits_type::eof()) {
    std::error_code error;
    const bool empty = std::filesystem::is_regular_file(path, error) && file.is_open();
    std::cerr << path << (empty ? ":1:1: the file is empty" : ":1:1: the file cannot be read")
              << "; one JSON object a line, or - for stdin\n";
    return cli::kBadInput;
  }
  return cli::distanceCommand(file, path, std::cout, std::cerr, json);
}

int notInThisVersion(const std::string& what) {
  std::cerr << "rigor: " << what << " not in this version\n";
  return cli::kUsage;
}

/// A command of a later version: any arguments are swallowed, so that its message is the one the user sees.
CLI::App* addLater(CLI::App& app, const std::string& name, const std::string& description) {
  CLI::App* later = app.add_subcommand(name, description + " (not in this version)");
  later->allow_extras();
  return later;
}

const std::string kRunHelp = R"(
Examples:
  rigor run die                                 a bundled scene (see `rigor scenes`), recorded in runs/
  rigor run scenes/die.yaml -o die.rigor        a scene file, recorded where you say
  rigor run die --seed 7 --until 1.5 --json     another random sample, shorter, summary as JSON
  rigor verify die.rigor                        prove the result again

Exit codes: 0 done, 2 wrong usage, 3 bad scene, 4 the guarantee could not be kept (the record up to there is valid),
5 step budget reached, 130 interrupted (Ctrl-C; the record is valid).)";
const std::string kVerifyHelp = R"(
Proves from the record alone, in exact arithmetic, that no two bodies ever touched.
Examples:
  rigor verify die.rigor
  rigor verify --json       the newest record in runs/

Exit codes: 0 proved, 1 the guarantee does not hold or could not be proved, 3 not a record.)";
const std::string kDistanceHelp = R"(
PAIRS has one JSON object a line:
  {"id": 1, "a": {"vertices": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], "pose": [1,0,0,0, 0,0,0]}, "b": {...}}
pose is [qw,qx,qy,qz,px,py,pz]. Negative distance: penetration depth.
Examples:
  rigor distance pairs.jsonl --json > answers.jsonl
  rigor distance - < pairs.jsonl

Exit codes: 0 all answered, 3 some lines could not be read (said on stderr; the others are answered).)";
const std::string kExportHelp = R"(
Examples:
  rigor export die.rigor --format csv -o die/       states.csv events.csv impacts.csv joints.csv
  rigor export die.rigor --format hdf5 -o die.h5
  rigor export die.rigor --format gltf -o die.gltf)";
const std::string kInfoHelp = R"(
Examples:
  rigor info die.rigor
  rigor info --json         the newest record in runs/)";

/// CLI11 itself wraps -1 to a large unsigned number, and numbers that are too large to the largest.
template <class Number>
std::string checkWhole(const std::string& text, Number least) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= least) return {};
  return fmt::format("{} is not allowed; a whole number from {} to {}", text, least,
                     std::numeric_limits<Number>::max());
}

std::string checkEnd(const std::string& text) {
  double value = 0;
  const bool good = CLI::detail::lexical_cast(text, value) && value > 0 && value <= 1e100;  // NaN -> refused
  return good ? std::string() : text + " is no end of a run; a finite time > 0 [s]";
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Simulates rigid bodies and proves that they never interpenetrate.", "rigor"};
  app.set_version_flag("--version", std::string("rigor ") + RIGOR_BUILD);
  app.require_subcommand(1);

  cli::RunArguments run_arguments;
  CLI::App* run = app.add_subcommand("run", "Simulate one trajectory, record it, print a summary");
  run->footer(kRunHelp);
  run->add_option("SCENE", run_arguments.scene, "Scene file, or the name of a bundled scene")->required();
  run->add_option("-o,--output", run_arguments.output,
                  "Record to write (default: runs/NAME-0001.rigor, the next free number)");
  run->add_option("--until", run_arguments.until, "End of the run [s] (default: the scene's)")
      ->check(checkEnd);
  run->add_option("--seed", run_arguments.seed, "Seed of the random samples (default: 0)")
      ->check([](const std::string& text) { return checkWhole<std::uint64_t>(text, 0); });
  run->add_option("--impact", run_arguments.impact, "Impact model (default: the scene's, or routh)");
  run->add_option("--max-steps", run_arguments.max_steps, "Stop after this many steps with exit code 5")
      ->check([](const std::string& text) { return checkWhole<long>(text, 1); });
  run->add_flag("--json", run_arguments.json, "Print one JSON object instead of the summary");
  run->add_flag("--quiet", run_arguments.quiet, "No summary, warnings or progress; errors only");
  run->add_flag("--force", run_arguments.force, "Replace an existing record");

  bool json = false;
  std::string file, format, output, branch;
  CLI::App* verify =
      app.add_subcommand("verify", "Check a recorded run's guarantee independently, in exact arithmetic");
  verify->footer(kVerifyHelp);
  verify->add_option("RUN", file, "Record (default: the newest in runs/)");
  verify->add_flag("--json", json, "Print one JSON object");

  CLI::App* distance_command = app.add_subcommand("distance", "Separation of convex polytope pairs");
  distance_command->footer(kDistanceHelp);
  distance_command->add_option("PAIRS", file, "File of pairs, or - for stdin")->required();
  distance_command->add_flag("--json", json, "Print one JSON object a line");

  CLI::App* export_command = app.add_subcommand("export", "Take the data of a record elsewhere");
  export_command->footer(kExportHelp);
  export_command->add_option("RUN", file, "Record (default: the newest in runs/)");
  export_command->add_option("--format", format, "csv, hdf5 or gltf")
      ->required()
      ->check(CLI::IsMember({"csv", "hdf5", "gltf"}));
  export_command->add_option("-o,--output", output, "Folder (csv) or file to write")->required();
  export_command->add_option("--branch", branch, "One branch (default: all)");

  CLI::App* info = app.add_subcommand("info", "What a record holds: scene, seed, version, branches, events");
  info->footer(kInfoHelp);
  info->add_option("RUN", file, "Record (default: the newest in runs/)");
  info->add_flag("--json", json, "Print one JSON object");

  CLI::App* scenes_command = app.add_subcommand("scenes", "List the bundled scenes, a line each");
  CLI::App* explore = addLater(app, "explore", "Simulate the tree of trajectories");
  CLI::App* impact = addLater(app, "impact", "Resolve one impact problem, once or as a set");
  CLI::App* view = addLater(app, "view", "The interactive viewer");

  app.footer(R"(
First steps:
  rigor scenes              what can be run
  rigor run die             simulate a thrown die, and record it in runs/
  rigor verify              prove the newest record again

`rigor COMMAND --help` says more. SI units, radians, z up, quaternions [w, x, y, z].)");

  if (argc < 2) {
    std::cerr << app.help();
    return cli::kUsage;
  }
  std::vector<std::string_view> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (argv[1][0] != '-' && std::find(names.begin(), names.end(), argv[1]) == names.end()) {
    const std::string nearest = scenes::nearestWord(argv[1], names);
    std::cerr << fmt::format("rigor: there is no command {}; {}`rigor --help` lists them\n", argv[1],
                             nearest.empty() ? "" : "did you mean " + nearest + "? ");
    return cli::kUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::cerr << fmt::format("rigor: {}\nRun `rigor{} --help` for more.\n", error.what(),
                             app.get_subcommands().empty() ? "" : " " + app.get_subcommands()[0]->get_name());
    return cli::kUsage;
  }

  try {
    if (*run) return cli::runCommand(run_arguments, std::cout, std::cerr);
    if (*scenes_command) return cli::scenesCommand(std::cout, std::cerr);
    if (*distance_command) return distance(file, json);
    if (*explore) return notInThisVersion("`rigor explore` is");
    if (*impact) return notInThisVersion("`rigor impact` is");
    if (*view) return notInThisVersion("the viewer is");
    if (!findRecord(file)) return cli::kBadInput;
    if (*verify) return cli::verifyCommand(file, json, std::cout, std::cerr);
    if (*info) return cli::infoCommand(file, json, std::cout, std::cerr);
    return cli::exportCommand(file, format, output, branch, std::cout, std::cerr);
  } catch (const std::exception& error) {
    std::cerr << "rigor: " << error.what() << '\n';
    return cli::kFailure;
  }
}
