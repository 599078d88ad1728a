// SPDX-License-Identifier: MIT
// The `rigor` program: options in, exit codes out. What the commands do is in their own files.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>

#include "cli/atlas_command.h"
#include "cli/check_command.h"
#include "cli/compare_command.h"
#include "cli/distance_command.h"
#include "cli/exit_code.h"
#include "cli/explore_command.h"
#include "cli/export_command.h"
#include "cli/helper.h"
#include "cli/impact_command.h"
#include "cli/info_command.h"
#include "cli/places.h"
#include "cli/run_command.h"
#include "cli/scenes_command.h"
#include "cli/sweep_command.h"
#include "cli/trace_command.h"
#include "cli/verify_command.h"
#include "cli/version.h"
#include "cli/view_options.h"
#include "impact/model_registry.h"
#include "scenes/nearest_word.h"
#include "scenes/open_pipe.h"

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

int distance(const std::string& path, bool json, bool second_opinion) {
  if (path == "-") return cli::distanceCommand(std::cin, "stdin", std::cout, std::cerr, json, second_opinion);
  std::error_code kind;
  if (std::filesystem::exists(path, kind) && !std::filesystem::is_regular_file(path, kind) &&
      !scenes::isOpenPipe(path)) {
    std::cerr << path << ":1:1: the file is no regular one; one JSON object a line, or - for stdin\n";
    return cli::kBadInput;
  }
  std::ifstream file(path);
  if (!file || file.peek() == std::ifstream::traits_type::eof()) {
    std::error_code error;
    const bool empty = std::filesystem::is_regular_file(path, error) && file.is_open();
    std::cerr << path << (empty ? ":1:1: the file is empty" : ":1:1: the file cannot be read")
              << "; one JSON object a line, or - for stdin\n";
    return cli::kBadInput;
  }
  return cli::distanceCommand(file, path, std::cout, std::cerr, json, second_opinion);
}

const std::string kRunHelp = R"(
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
const std::string kExploreHelp = R"(
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
const std::string kVerifyHelp = R"(
Proves from the record alone, in exact arithmetic, that no two bodies ever touched.
Examples:
  rigor verify die.rigor
  rigor verify --json       the newest record in runs/

Exit codes: 0 proved, 1 the guarantee does not hold or could not be proved, 3 not a record.)";
const std::string kCheckHelp = R"(
SCENE gives the bodies and their shapes; TRAJECTORY their poses over time, from any simulator: a CSV with the columns
time,body,px,py,pz,qw,qx,qy,qz (and vx..vz,wx..wz), a NumPy archive (.npz) with `time` and an array a body, or HDF5 as
`rigor export` writes it. Between two samples bodies move straight, or, where velocities are given, along cubics.
Each pair and interval is proved apart, or overlaps, or tunnels (apart at both samples, not between), or is undecided.
Examples:
  rigor check die mujoco.npz
  rigor check scene.yaml poses.csv --allow 1e-4 --json
  rigor check scene.yaml poses.csv --junit check.xml --plot depth.svg
  rigor check scene.yaml poses.csv -o given.rigor; rigor view given.rigor

Exit codes: 0 apart (no deeper than --allow), 1 not, 2 wrong usage, 3 bad input, 130 interrupted.)";
const std::string kCompareHelp = R"(
The event loop, every published method (docs/published-methods.md) and, where they are installed, Bullet, ODE and MuJoCo
run the scene one after the other. The table says what each motion is worth: overlap as `rigor check` finds it, between
the samples too, change of energy, processor time, and how far bodies end from where the event loop has them.
A method that takes more than --max-steps ends there, and the table says when.
-o FOLDER gets index.html, compare.json, the plots as SVG, and the records of the event loop and of the methods.
Examples:
  rigor compare die
  rigor compare die -o compared --step 0.005
  rigor compare scene.yaml --only certified,stewart-trinkle,bullet --json

Exit codes: 0 done, 2 wrong usage, 3 bad input, 4 a failure, 130 interrupted.)";
const std::string kSweepHelp = R"(
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
  rigor export die.rigor --format csv -o die/       states.csv, events.csv, impacts.csv, contacts.csv, joints.csv, ...
  rigor export die.rigor --format csv -o die/ --rate 100   states every 0.01 s, evaluated on the proved motion
  rigor export die.rigor --format hdf5 -o die.h5
  rigor export die.rigor --format gltf -o die.gltf
  rigor export die.rigor --format html -o die.html  one page that shows the run in a browser, without network)";
const std::string kInfoHelp = R"(
Examples:
  rigor info die.rigor
  rigor info robot.urdf     links, joints, masses, shapes of a URDF, MJCF or SDF file
  rigor info die.rigor --model | jq .bodies[1].position     what the proof is about
  rigor info --json         the newest record in runs/)";

const std::string kImpactHelp = R"(
One simultaneous impact in generalized coordinates: mass matrix, contact Jacobians, friction, restitution, velocity
(docs/impact-problems.md). The model routh (default) draws the set of outcomes; the others give all outcomes that
they have. Which outcome is right cannot be known from rigid-body data: compare them.
Examples:
  rigor impact rocking-block                               the set: rest, or rocking to either side
  rigor impact rocking-block --samples 100000 -o set.csv   a row for every sample: v, normal, tangential velocities
  rigor impact compass-gait --model anitescu-potra --json  all three solutions of one LCP
  rigor impact disk-stacking --model sequential --order all
  rigor impact ramone --model all                          every model side by side, and what each assumes
  rigor impact rocking-block --plot set.svg                a picture of the set, with the other models' outcomes
  rigor impact compass-gait --coverage 0.02 --confidence 0.99
  rigor impact rocking-block --bounds --certificate p.json the whole set, proved, and the proof
  rigor impact - < problem.yaml                            from stdin

Exit codes: 0 done, 2 wrong usage, 3 bad problem, 4 a solver failed or an impact did not end, 5 --coverage not reached
within --samples, 130 interrupted.)";

const std::string kAtlasHelp = R"(
Maps of families of impacts without restitution over two numbers each: how large the exact, proved set of outcomes is,
and which outcomes of models, of springs of many stiffnesses and dampings, and, where they are installed, of Bullet,
ODE and MuJoCo lie outside it, by how much. -o FOLDER gets index.md, the maps as SVG, and atlas.json.
Examples:
  rigor atlas                                   all families: some minutes
  rigor atlas box-on-face --cells 4
  rigor atlas walker cradle -o atlas

Exit codes: 0 done, 2 wrong usage, 4 a failure, 130 interrupted.)";

/// What a command returns, or that its output was lost on the way, to a full disk for one.
int finish(int code) {
  std::cout.flush();
  if (std::cout) return code;
  std::cerr << "rigor: standard output cannot be written\n";
  return code == cli::kDone || code == cli::kBudget ? cli::kFailure : code;
}

std::string bundledProblems() {
  std::string text = "\nBundled problems:";
  for (const std::string& path : cli::listBundledProblems()) text += ' ' + std::filesystem::path(path).stem().string();
  return text;
}
/// CLI11 itself wraps -1 to a large unsigned number, and numbers that are too large to the largest.
template <class Number>
std::string checkWhole(const std::string& text, Number least) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= least) return {};
  return fmt::format("{} is not allowed; a whole number from {} to {}", text, least,
                     std::numeric_limits<Number>::max());
}

std::string checkTolerance(const std::string& text) {
  double value = -1;
  const bool good = CLI::detail::lexical_cast(text, value) && value >= 0 && value <= 1;  // NaN -> refused
  return good ? std::string() : text + " is no tolerance; a number from 0 to 1";
}

std::string checkEnd(const std::string& text) {
  double value = 0;
  const bool good = CLI::detail::lexical_cast(text, value) && value > 0 && value <= 1e100;  // NaN -> refused
  return good ? std::string() : text + " is no end of a run; a finite time > 0 [s]";
}

std::string checkBetween(const std::string& text, double low, double high) {
  double value = 0;
  const bool good = CLI::detail::lexical_cast(text, value) && value > low && value < high;  // NaN -> refused
  return good ? std::string() : fmt::format("{} is not allowed; a number > {} and < {}", text, low, high);
}

void addDistanceOptions(CLI::App& distance, std::string& file, bool& json, bool& second_opinion) {
  distance.footer(kDistanceHelp);
  distance.add_option("PAIRS", file, "File of pairs, or - for stdin")->required();
  distance.add_flag("--json", json, "Print one JSON object a line");
  distance.add_flag("--second-opinion", second_opinion,
                    "Ask libccd too, which shares no code with ours; exit 4 where it disagrees");
}

void addReach(CLI::App& command, std::string& path) {
  command.add_option("--reach", path, "Write where bodies can be, over all outcomes followed, into this CSV file");
}

void addTreePictures(CLI::App& explore, cli::ExploreArguments& arguments) {
  explore.add_option("--plot", arguments.plot, "Draw the branch tree over time into this SVG file");
  addReach(explore, arguments.reach);
}

CLI::App* addRun(CLI::App& app, cli::RunArguments& arguments) {
  CLI::App* run = app.add_subcommand("run", "Simulate one trajectory, record it, print a summary");
  run->footer(kRunHelp);
  run->add_option("SCENE", arguments.scene, "Scene file, or the name of a bundled scene")->required();
  run->add_option("-o,--output", arguments.output,
                  "Record to write (default: runs/NAME-0001.rigor, the next free number)");
  run->add_option("--until", arguments.until, "End of the run [s] (default: the scene's)")
      ->check(checkEnd);
  run->add_option("--seed", arguments.seed, "Seed of the random samples (default: 0)")
      ->check([](const std::string& text) { return checkWhole<std::uint64_t>(text, 0); });
  run->add_option("--impact", arguments.impact, "Impact model (default: the scene's, or routh)");
  run->add_option("--max-steps", arguments.max_steps, "Stop after this many steps with exit code 5")
      ->check([](const std::string& text) { return checkWhole<long>(text, 1); });
  run->add_flag("--json", arguments.json, "Print one JSON object instead of the summary");
  run->add_flag("--quiet", arguments.quiet, "No summary, warnings or progress; errors only");
  run->add_flag("--force", arguments.force, "Replace an existing record");
  run->add_flag("--resume", arguments.resume, "Go on with an unfinished run (default: the newest in runs/)");
  run->add_option("--trace", arguments.trace,
                  "Write what the event loop decides: JSON lines, or for Perfetto where FILE ends in .json");
  run->add_option_function<std::string>(
         "--log",
         [&arguments](const std::string& level) {
           arguments.quiet = level == "error", arguments.debug = level == "debug";
         },
         "What stderr gets: error (as --quiet), info (default), debug (what the event loop decides)")
      ->check(CLI::IsMember({"error", "info", "debug"}));
  return run;
}

CLI::App* addExplore(CLI::App& app, cli::ExploreArguments& arguments) {
  CLI::App* explore = app.add_subcommand("explore", "Simulate the tree of trajectories: ambiguous impacts fork");
  explore->footer(kExploreHelp);
  explore->add_option("SCENE", arguments.scene, "Scene file, or the name of a bundled scene")->required();
  explore->add_option("-o,--output", arguments.output,
                      "Record to write (default: the next free runs/NAME-0001.rigor)");
  explore->add_option("--samples", arguments.samples, "Outcomes drawn of an ambiguous impact (default: 1000)")
      ->check([](const std::string& text) { return checkWhole<long>(text, 1); });
  explore
      ->add_option("--max-branches", arguments.max_branches,
                   "Stop after this many branches with exit code 5 (default: 100)")
      ->check([](const std::string& text) { return checkWhole<long>(text, 1); });
  explore
      ->add_option(
          "--tolerance", arguments.tolerance,
          "Outcomes this close are one, relative to the largest change of velocity of the impact (default: 0.05)")
      ->check(checkTolerance);
  explore->add_option("--until", arguments.until, "End of every trajectory [s] (default: the scene's)")
      ->check(checkEnd);
  explore->add_option("--seed", arguments.seed, "Seed of the random samples (default: 0)")
      ->check([](const std::string& text) { return checkWhole<std::uint64_t>(text, 0); });
  explore->add_option("--impact", arguments.impact, "Impact model (default: the scene's, or routh)");
  explore->add_option("--threads", arguments.threads, "Branches simulated at once (default: 0, all cores)")
      ->check([](const std::string& text) { return checkWhole<int>(text, 0); });
  addTreePictures(*explore, arguments);
  explore->add_flag("--resume", arguments.resume,
                    "Go on with an unfinished exploration (default: the newest in runs/)");
  explore->add_flag("--json", arguments.json, "Print one JSON object instead of the summary");
  explore->add_flag("--quiet", arguments.quiet, "No summary, warnings or progress; errors only");
  explore->add_flag("--force", arguments.force, "Replace an existing record");
  return explore;
}

CLI::App* addVerify(CLI::App& app, std::string& file, bool& json, cli::VerifyArguments& arguments) {
  CLI::App* verify =
      app.add_subcommand("verify", "Check a recorded run's guarantee independently, in exact arithmetic");
  verify->footer(kVerifyHelp);
  verify->add_option("RUN", file, "Record (default: the newest in runs/)");
  verify->add_flag("--kernel", arguments.kernel, "Exact arithmetic alone, without filters: slow");
  verify->add_flag("--geometry-only", arguments.geometry_only, "Without the laws of motion");
  verify->add_flag("--json", json, "Print one JSON object");
  return verify;
}

CLI::App* addCheck(CLI::App& app, cli::CheckArguments& arguments) {
  CLI::App* check = app.add_subcommand(
      "check", "Are motions that were computed elsewhere free of overlap, between their samples too");
  check->footer(kCheckHelp);
  check->add_option("SCENE", arguments.scene, "Scene file, or the name of a bundled scene")->required();
  check->add_option("TRAJECTORY", arguments.trajectory, "Poses over time: .csv, .npz, .h5")->required();
  check->add_option("--allow", arguments.allow, "Depth of overlap that counts as apart [m] (default: 0)")
      ->check([](const std::string& text) {
        double value = -1;
        const bool good = CLI::detail::lexical_cast(text, value) && value >= 0 && value <= 1e100;  // NaN -> refused
        return good ? std::string() : text + " is no depth; a finite number >= 0 [m]";
      });
  check->add_option("--interpolate", arguments.interpolation,
                    "Motion between samples: linear or hermite (default: hermite where velocities are given)")
      ->check(CLI::IsMember({"linear", "hermite"}));
  check->add_option("--junit", arguments.junit, "Write a JUnit report, a test case a pair that is not apart");
  check->add_option("--plot", arguments.plot, "Draw the depth over time into this SVG file");
  check->add_option("-o,--output", arguments.output, "Write the motions as a record, for rigor view");
  check->add_flag("--force", arguments.force, "Replace an existing record");
  check->add_flag("--second-opinion", arguments.second_opinion, "Ask libccd too; exit 4 where it disagrees");
  check->add_flag("--json", arguments.json, "Print one JSON object");
  return check;
}

CLI::App* addExport(CLI::App& app, cli::ExportArguments& arguments) {
  CLI::App* export_command = app.add_subcommand("export", "Take the data of a record elsewhere");
  export_command->footer(kExportHelp);
  export_command->add_option("RUN", arguments.record, "Record (default: the newest in runs/)");
  export_command->add_option("--format", arguments.format, "csv, hdf5, gltf or html")
      ->required()
      ->check(CLI::IsMember({"csv", "hdf5", "gltf", "html"}));
  export_command->add_option("-o,--output", arguments.output, "Folder (csv) or file to write")->required();
  export_command->add_option("--branch", arguments.branch, "One branch (default: all)");
  export_command
      ->add_option("--rate", arguments.rate, "csv, hdf5: states at k / RATE [1/s] (default: at every step)")
      ->check([](const std::string& text) { return checkBetween(text, 0, 1e100); });
  export_command->add_option("--at", arguments.at, "csv, hdf5: states at the times [s] in this file");
  return export_command;
}

void addImpactOptions(CLI::App& impact, cli::ImpactArguments& arguments) {
  impact.add_option("PROBLEM", arguments.problem, "Problem file, the name of a bundled problem, or - for stdin")
      ->required();
  impact.add_option("--model", arguments.model, "Impact model, or all for a comparison (default: routh)");
  impact.add_option("--samples", arguments.samples, "Samples of a random model (default: 1000)")
      ->check([](const std::string& text) { return checkWhole<long>(text, 1); });
  impact.add_option("--seed", arguments.seed, "Seed of the random samples (default: 0)")
      ->check([](const std::string& text) { return checkWhole<std::uint64_t>(text, 0); });
  impact.add_option("--threads", arguments.threads, "Threads (default: all cores); the result does not depend on it")
      ->check([](const std::string& text) { return checkWhole<int>(text, 1); });
  impact.add_option("--order", arguments.order,
                    "sequential: order of the contacts, 1,0,..., or all (default: the file's)");
  impact.add_option("--coverage", arguments.coverage,
                    "Sample until a fresh outcome is as near as this to a known one with probability --confidence; "
                    "relative to the speed before, in the kinetic metric")
      ->check([](const std::string& text) { return checkBetween(text, 0, 10); });
  impact.add_option("--confidence", arguments.confidence, "Probability that --coverage asks for (default: 0.95)")
      ->check([](const std::string& text) { return checkBetween(text, 0, 1); });
  impact.add_option("--option", arguments.options, "NAME=VALUE of an option of a model, below; over that of the file");
  impact.add_flag("--smooth-cone", arguments.smooth_cone, "routh: Coulomb's round cone instead of a polygon");
  impact.add_option("-o,--output", arguments.output, "CSV to write: a row for each sample or outcome; - for stdout");
  impact.add_option("--plot", arguments.plot, "SVG to write: the set of routh and the outcomes of every other model");
  impact.add_option(
      "--plot-axes", arguments.plot_axes,
      "Velocities that --plot shows: two of vnI, vtI_K, vI, such as vn0,vn1 (default: those that vary most)");
  impact.add_flag("--bounds", arguments.bounds,
                  "Proved bounds of the whole set of outcomes (without restitution)");
  impact.add_option("--work", arguments.work, "Limit of --bounds, in counted steps of work (default: 400000000)")
      ->check(CLI::PositiveNumber);
  impact.add_option("--certificate", arguments.certificate,
                    "JSON to write: the proof of --bounds, in rational numbers");
  impact.add_option("--check", arguments.check, "Check a proof that --certificate wrote");
  impact.add_flag("--json", arguments.json, "Print one JSON object");
}

CLI::App* addAtlas(CLI::App& app, cli::AtlasArguments& arguments) {
  CLI::App* atlas = app.add_subcommand("atlas", "Maps of families of impacts: their sets, and where models land");
  atlas->footer([] { return kAtlasHelp + "\n\nFamilies:\n" + cli::describeFamilies(); });
  atlas->add_option("FAMILY", arguments.families, "Families, below (default: all)");
  atlas->add_option("-o,--output", arguments.output, "Folder for page and maps (default: none, the text alone)");
  atlas->add_option("--cells", arguments.cells, "Impacts along each side of a map (default: 8)")
      ->check(CLI::Range(1, 100));
  atlas->add_option("--threads", arguments.threads, "Threads (default: all cores); the result does not depend on it")
      ->check([](const std::string& text) { return checkWhole<int>(text, 1); });
  atlas->add_flag("--json", arguments.json, "Print one JSON object");
  atlas->add_flag("--quiet", arguments.quiet, "No progress; errors only");
  return atlas;
}

CLI::App* addCompare(CLI::App& app, cli::CompareArguments& arguments) {
  CLI::App* compare = app.add_subcommand("compare", "Every method, and other engines where installed, on one scene");
  compare->footer(kCompareHelp);
  compare->add_option("SCENE", arguments.scene, "Scene file, or the name of a bundled scene")->required();
  compare->add_option("-o,--output", arguments.output,
                      "Folder for records, plots and a page (default: none, the table alone)");
  compare->add_option("--only", arguments.only, "Methods and engines, comma-separated (default: all)")
      ->delimiter(',');
  compare->add_option("--until", arguments.until, "End of the runs [s] (default: the scene's)")
      ->check(checkEnd);
  compare->add_option("--max-steps", arguments.max_steps, "Budget of steps of each published method")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  compare->add_option("--step", arguments.step, "Step of methods and engines [s] (default: their own)")
      ->check([](const std::string& text) { return checkBetween(text, 0, 1e100); });
  compare->add_option("--seed", arguments.seed, "Seed of the event loop's random samples (default: 0)")
      ->check([](const std::string& text) { return checkWhole<std::uint64_t>(text, 0); });
  compare->add_flag("--json", arguments.json, "Print one JSON object");
  compare->add_flag("--quiet", arguments.quiet, "No progress; errors only");
  return compare;
}

CLI::App* addSweep(CLI::App& app, cli::SweepArguments& arguments) {
  CLI::App* sweep =
      app.add_subcommand("sweep", "Many runs of a scene from distributions, on all cores or many machines");
  sweep->footer(kSweepHelp);
  sweep
      ->add_option("SWEEP", arguments.files,
                   "Sweep file; merge and the folders of all shards; or extract, a folder and runs")
      ->required();
  sweep->add_option("-o,--output", arguments.output, "Folder for results, created")->required();
  sweep->add_option("--shard", arguments.shard, "K/N: only every N-th run, the K-th first (default: all)");
  sweep->add_option("--threads", arguments.threads, "Threads (default: all cores); the results do not depend on it")
      ->check([](const std::string& text) { return checkWhole<int>(text, 1); });
  sweep->add_flag("--resume", arguments.resume, "Keep the runs that the folder has, and make the others");
  sweep->add_flag("--json", arguments.json, "Print one JSON object");
  sweep->add_flag("--quiet", arguments.quiet, "No summary or progress; errors only");
  return sweep;
}

/// Which known option an unknown one of the command line may have meant: a sentence, or nothing.
std::string suggestOption(const CLI::App& command, int argc, char** argv) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  const std::vector<std::string_view> names(known.begin(), known.end());
  for (int i = 1; i < argc; ++i) {
    const std::string_view given = std::string_view(argv[i]).substr(0, std::string_view(argv[i]).find('='));
    if (!given.starts_with("--") || given == "--" || std::find(known.begin(), known.end(), given) != known.end())
      continue;
    const std::string nearest = scenes::nearestWord(std::string(given), names);
    return nearest.empty() ? std::string() : fmt::format("Did you mean {}? ", nearest);
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // A file that may not grow is an output that cannot be written, no death.
  CLI::App app{"Simulates rigid bodies and proves that they never interpenetrate.", "rigor"};
  app.set_version_flag("-V,--version", std::string("rigor ") + RIGOR_BUILD);
  app.require_subcommand(1);

  cli::RunArguments run_arguments;
  CLI::App* run = addRun(app, run_arguments);

  cli::ExploreArguments explore_arguments;
  CLI::App* explore = addExplore(app, explore_arguments);

  bool json = false;
  std::string file;
  cli::VerifyArguments verify_arguments;
  CLI::App* verify = addVerify(app, file, json, verify_arguments);

  cli::CheckArguments check_arguments;
  CLI::App* check = addCheck(app, check_arguments);

  cli::SweepArguments sweep_arguments;
  CLI::App* sweep = addSweep(app, sweep_arguments);

  CLI::App* distance_command = app.add_subcommand("distance", "Separation of convex polytope pairs");
  bool second_opinion = false;
  addDistanceOptions(*distance_command, file, json, second_opinion);

  cli::ExportArguments export_arguments;
  CLI::App* export_command = addExport(app, export_arguments);

  CLI::App* info =
      app.add_subcommand("info", "What a record holds: scene, seed, version, branches, events; or a robot file");
  info->footer(kInfoHelp);
  info->add_option("RUN", file, "Record (default: the newest in runs/), or a URDF, MJCF or SDF file");
  info->add_flag("--json", json, "Print one JSON object");
  cli::InfoArguments info_arguments;
  addReach(*info, info_arguments.reach);
  info->add_flag("--model", info_arguments.model,
                 "Print the canonical model of a run: what its proof is about, as one JSON object");

  cli::ImpactArguments impact_arguments;
  CLI::App* impact = app.add_subcommand("impact", "Resolve one impact problem, once or as a set");
  impact->footer([] { return kImpactHelp + "\n\n" + impact::describeModels(false) + bundledProblems(); });
  addImpactOptions(*impact, impact_arguments);

  cli::AtlasArguments atlas_arguments;
  CLI::App* atlas_command = addAtlas(app, atlas_arguments);

  CLI::App* scenes_command = app.add_subcommand("scenes", "List the bundled scenes, a line each");

  cli::ViewArguments view_arguments;
  CLI::App* view = app.add_subcommand("view", "The interactive viewer; or a picture of one instant");
  cli::addViewOptions(*view, view_arguments);

  cli::CompareArguments compare_arguments;
  CLI::App* compare = addCompare(app, compare_arguments);
  std::string trace_file;
  CLI::App* trace = app.add_subcommand("trace", "Sum up what `rigor run --trace FILE` wrote");
  trace->add_option("FILE", trace_file, "Trace as JSON lines")->required();
  trace->add_flag("--json", json, "Print one JSON object");

  std::string help_topic;
  CLI::App* help = app.add_subcommand("help", "Say more about a command");
  help->add_option("COMMAND", help_topic, "One of the above");

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
  const auto refuseCommand = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return false;
    const std::string nearest = scenes::nearestWord(name, names);
    std::cerr << fmt::format("rigor: there is no command {}; {}`rigor --help` lists them\n", name,
                             nearest.empty() ? "" : "did you mean " + nearest + "? ");
    return true;
  };
  if (argv[1][0] != '-' && refuseCommand(argv[1])) return cli::kUsage;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return finish(app.exit(error));  // --help, --version
    const CLI::App* command = app.get_subcommands().empty() ? &app : app.get_subcommands()[0];
    std::cerr << fmt::format("rigor: {}\n{}Run `rigor{} --help` for more.\n", error.what(),
                             suggestOption(*command, argc, argv), command == &app ? "" : " " + command->get_name());
    return cli::kUsage;
  }

  if (*help) {
    if (!help_topic.empty() && refuseCommand(help_topic)) return cli::kUsage;
    std::cout << (help_topic.empty() ? app.help() : app.get_subcommand(help_topic)->help("rigor"));
    return finish(cli::kDone);
  }

  try {
    if (*run) return finish(cli::runCommand(run_arguments, std::cout, std::cerr));
    if (*scenes_command) return finish(cli::scenesCommand(std::cout, std::cerr));
    if (*trace) return finish(cli::traceCommand(trace_file, json, std::cout, std::cerr));
    if (*compare) return finish(cli::compareCommand(compare_arguments, std::cout, std::cerr));
    if (*check) return finish(cli::checkCommand(check_arguments, std::cout, std::cerr));
    if (*sweep) return finish(cli::sweepCommand(sweep_arguments, std::cout, std::cerr));
    if (*distance_command) return finish(distance(file, json, second_opinion));
    if (*explore) return finish(cli::exploreCommand(explore_arguments, std::cout, std::cerr));
    if (*impact) return finish(cli::impactCommand(impact_arguments, std::cout, std::cerr));
    if (*atlas_command) return finish(cli::atlasCommand(atlas_arguments, std::cout, std::cerr));
    if (*view) return cli::runHelper("rigor-view", argc - 2, argv + 2, std::cerr);
    if (!findRecord(*export_command ? export_arguments.record : file)) return cli::kBadInput;
    if (*verify) {
      verify_arguments.record = file;
      verify_arguments.json = json;
      return finish(cli::verifyCommand(verify_arguments, std::cout, std::cerr));
    }
    if (*info) {
      info_arguments.path = file;
      info_arguments.json = json;
      return finish(cli::infoCommand(info_arguments, std::cout, std::cerr));
    }
    return finish(cli::exportCommand(export_arguments, std::cerr));
  } catch (const std::exception& error) {
    std::cerr << "rigor: " << error.what() << '\n';
    return cli::kFailure;
  }
}
