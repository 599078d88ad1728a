// SPDX-License-Identifier: MIT
#include "cli/command_line/commands.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>
#include <memory>

#include "cli/atlas_command.h"
#include "cli/command_line/option_checks.h"
#include "cli/impact_command.h"
#include "cli/places.h"
#include "impact/model_registry.h"

namespace rigor::cli {
namespace {

constexpr const char* kImpactHelp = R"(
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

constexpr const char* kAtlasHelp = R"(
Maps of families of impacts without restitution over two numbers each: how large the exact, proved set of outcomes is,
and which outcomes of models, of springs of many stiffnesses and dampings, and, where they are installed, of Bullet,
ODE and MuJoCo lie outside it, by how much. -o FOLDER gets index.md, the maps as SVG, and atlas.json.
Examples:
  rigor atlas                                   all families: some minutes
  rigor atlas box-on-face --cells 4
  rigor atlas walker cradle -o atlas

Exit codes: 0 done, 2 wrong usage, 4 a failure, 130 interrupted.)";

std::string bundledProblems() {
  std::string text = "\nBundled problems:";
  for (const std::string& path : listBundledProblems()) text += ' ' + std::filesystem::path(path).stem().string();
  return text;
}

}  // namespace

Command addImpact(CLI::App& app) {
  const auto arguments = std::make_shared<ImpactArguments>();
  CLI::App* impact = app.add_subcommand("impact", "Resolve one impact problem, once or as a set");
  impact->footer([] { return kImpactHelp + ("\n\n" + impact::describeModels(false)) + bundledProblems(); });
  impact->add_option("PROBLEM", arguments->problem, "Problem file, the name of a bundled problem, or - for stdin")
      ->required();
  impact->add_option("--model", arguments->model, "Impact model, or all for a comparison (default: routh)");
  impact->add_option("--samples", arguments->samples, "Samples of a random model (default: 1000)")
      ->check([](const std::string& text) { return checkWhole<long>(text, 1); });
  impact->add_option("--seed", arguments->seed, "Seed of the random samples (default: 0)")
      ->check([](const std::string& text) { return checkWhole<std::uint64_t>(text, 0); });
  impact->add_option("--threads", arguments->threads, "Threads (default: all cores); the result does not depend on it")
      ->check([](const std::string& text) { return checkWhole<int>(text, 1); });
  impact->add_option("--order", arguments->order,
                     "sequential: order of the contacts, 1,0,..., or all (default: the file's)");
  impact
      ->add_option("--coverage", arguments->coverage,
                   "Sample until a fresh outcome is as near as this to a known one with probability --confidence; "
                   "relative to the speed before, in the kinetic metric")
      ->check([](const std::string& text) { return checkBetween(text, 0, 10); });
  impact->add_option("--confidence", arguments->confidence, "Probability that --coverage asks for (default: 0.95)")
      ->check([](const std::string& text) { return checkBetween(text, 0, 1); });
  impact->add_option("--option", arguments->options,
                     "NAME=VALUE of an option of a model, below; over that of the file");
  impact->add_flag("--smooth-cone", arguments->smooth_cone, "routh: Coulomb's round cone instead of a polygon");
  impact->add_option("-o,--output", arguments->output, "CSV to write: a row for each sample or outcome; - for stdout");
  impact->add_option("--plot", arguments->plot, "SVG to write: the set of routh and the outcomes of every other model");
  impact->add_option(
      "--plot-axes", arguments->plot_axes,
      "Velocities that --plot shows: two of vnI, vtI_K, vI, such as vn0,vn1 (default: those that vary most)");
  impact->add_flag("--bounds", arguments->bounds, "Proved bounds of the whole set of outcomes (without restitution)");
  impact->add_option("--work", arguments->work, "Limit of --bounds, in counted steps of work (default: 400000000)")
      ->check([](const std::string& text) { return checkWhole<long>(text, 1); });
  impact->add_option("--certificate", arguments->certificate,
                     "JSON to write: the proof of --bounds, in rational numbers");
  impact->add_option("--check", arguments->check, "Check a proof that --certificate wrote");
  impact->add_flag("--json", arguments->json, "Print one JSON object");
  return {impact, [arguments] { return impactCommand(*arguments, std::cout, std::cerr); }};
}

Command addAtlas(CLI::App& app) {
  const auto arguments = std::make_shared<AtlasArguments>();
  CLI::App* atlas = app.add_subcommand("atlas", "Maps of families of impacts: their sets, and where models land");
  atlas->footer([] { return kAtlasHelp + ("\n\nFamilies:\n" + describeFamilies()); });
  atlas->add_option("FAMILY", arguments->families, "Families, below (default: all)");
  atlas->add_option("-o,--output", arguments->output, "Folder for page and maps (default: none, the text alone)");
  atlas->add_option("--cells", arguments->cells, "Impacts along each side of a map (default: 8)")
      ->check(CLI::Range(1, 100));
  atlas->add_option("--threads", arguments->threads, "Threads (default: all cores); the result does not depend on it")
      ->check([](const std::string& text) { return checkWhole<int>(text, 1); });
  atlas->add_flag("--json", arguments->json, "Print one JSON object");
  atlas->add_flag("--quiet", arguments->quiet, "No progress; errors only");
  return {atlas, [arguments] { return atlasCommand(*arguments, std::cout, std::cerr); }};
}

}  // namespace rigor::cli
