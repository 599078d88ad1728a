// SPDX-License-Identifier: MIT
#include "cli/command_line/commands.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

#include "cli/check_command.h"
#include "cli/command_line/option_checks.h"
#include "cli/compare_command.h"

namespace rigor::cli {
namespace {

constexpr const char* kCheckHelp = R"(
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

constexpr const char* kCompareHelp = R"(
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

}  // namespace

Command addCheck(CLI::App& app) {
  const auto arguments = std::make_shared<CheckArguments>();
  CLI::App* check = app.add_subcommand(
      "check", "Are motions that were computed elsewhere free of overlap, between their samples too");
  check->footer(kCheckHelp);
  check->add_option("SCENE", arguments->scene, "Scene file, or the name of a bundled scene")->required();
  check->add_option("TRAJECTORY", arguments->trajectory, "Poses over time: .csv, .npz, .h5")->required();
  check->add_option("--allow", arguments->allow, "Depth of overlap that counts as apart [m] (default: 0)")
      ->check(checkDepth);
  check
      ->add_option("--interpolate", arguments->interpolation,
                   "Motion between samples: linear or hermite (default: hermite where velocities are given)")
      ->check(CLI::IsMember({"linear", "hermite"}));
  check->add_option("--junit", arguments->junit, "Write a JUnit report, a test case a pair that is not apart");
  check->add_option("--plot", arguments->plot, "Draw the depth over time into this SVG file");
  check->add_option("-o,--output", arguments->output, "Write the motions as a record, for rigor view");
  check->add_flag("--force", arguments->force, "Replace an existing record");
  check->add_flag("--second-opinion", arguments->second_opinion, "Ask libccd too; exit 4 where it disagrees");
  check->add_flag("--json", arguments->json, "Print one JSON object");
  return {check, [arguments] { return checkCommand(*arguments, std::cout, std::cerr); }};
}

Command addCompare(CLI::App& app) {
  const auto arguments = std::make_shared<CompareArguments>();
  CLI::App* compare = app.add_subcommand("compare", "Every method, and other engines where installed, on one scene");
  compare->footer(kCompareHelp);
  compare->add_option("SCENE", arguments->scene, "Scene file, or the name of a bundled scene")->required();
  compare->add_option("-o,--output", arguments->output,
                      "Folder for records, plots and a page (default: none, the table alone)");
  compare->add_option("--only", arguments->only, "Methods and engines, comma-separated (default: all)")->delimiter(',');
  compare->add_option("--until", arguments->until, "End of the runs [s] (default: the scene's)")->check(checkEnd);
  compare->add_option("--max-steps", arguments->max_steps, "Budget of steps of each published method")
      ->check([](const std::string& text) { return checkWhole<long>(text, 1); })
      ->capture_default_str();
  compare->add_option("--step", arguments->step, "Step of methods and engines [s] (default: their own)")
      ->check([](const std::string& text) { return checkBetween(text, 0, 1e100); });
  compare->add_option("--seed", arguments->seed, "Seed of the event loop's random samples (default: 0)")
      ->check([](const std::string& text) { return checkWhole<std::uint64_t>(text, 0); });
  compare->add_flag("--json", arguments->json, "Print one JSON object");
  compare->add_flag("--quiet", arguments->quiet, "No progress; errors only");
  return {compare, [arguments] { return compareCommand(*arguments, std::cout, std::cerr); }};
}

}  // namespace rigor::cli
