// SPDX-License-Identifier: MIT
#include "cli/command_line/commands.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

#include "cli/command_line/option_checks.h"
#include "cli/command_line/reach_option.h"
#include "cli/exit_code.h"
#include "cli/export_command.h"
#include "cli/info_command.h"
#include "cli/places.h"
#include "cli/trace_command.h"
#include "cli/verify_command.h"

namespace rigor::cli {
namespace {

constexpr const char* kVerifyHelp = R"(
Proves from the record alone, in exact arithmetic, that no two bodies ever touched.
Examples:
  rigor verify die.rigor
  rigor verify --json       the newest record in runs/

Exit codes: 0 proved, 1 the guarantee does not hold or could not be proved, 3 not a record.)";

constexpr const char* kExportHelp = R"(
Examples:
  rigor export die.rigor --format csv -o die/       states.csv, events.csv, impacts.csv, contacts.csv, joints.csv, ...
  rigor export die.rigor --format csv -o die/ --rate 100   states every 0.01 s, evaluated on the proved motion
  rigor export die.rigor --format hdf5 -o die.h5
  rigor export die.rigor --format gltf -o die.gltf
  rigor export die.rigor --format html -o die.html  one page that shows the run in a browser, without network)";

constexpr const char* kInfoHelp = R"(
Examples:
  rigor info die.rigor
  rigor info robot.urdf     links, joints, shapes, loops, keyframes of a URDF, MJCF or SDF file
  rigor info die.rigor --model | jq .bodies[1].position     what the proof is about
  rigor info --json         the newest record in runs/)";

/// The record that a command without FILE means. Says so, or says that there is none.
bool findRecord(std::string& path) {
  if (!path.empty()) return true;
  path = findNewestRecord();
  if (path.empty()) {
    std::cerr << "rigor: no record was named, and runs/ has none\n";
    return false;
  }
  std::cerr << "rigor: " << path << '\n';
  return true;
}

}  // namespace

Command addVerify(CLI::App& app) {
  const auto arguments = std::make_shared<VerifyArguments>();
  CLI::App* verify =
      app.add_subcommand("verify", "Check a recorded run's guarantee independently, in exact arithmetic");
  verify->footer(kVerifyHelp);
  verify->add_option("RUN", arguments->record, "Record (default: the newest in runs/)");
  verify->add_flag("--kernel", arguments->kernel, "Exact arithmetic alone, without filters: slow");
  verify->add_flag("--geometry-only", arguments->geometry_only, "Without the laws of motion");
  verify->add_flag("--json", arguments->json, "Print one JSON object");
  return {verify, [arguments] {
            return findRecord(arguments->record) ? verifyCommand(*arguments, std::cout, std::cerr) : kBadInput;
          }};
}

Command addInfo(CLI::App& app) {
  const auto arguments = std::make_shared<InfoArguments>();
  CLI::App* info =
      app.add_subcommand("info", "What a record holds: scene, seed, version, branches, events; or a robot file");
  info->footer(kInfoHelp);
  info->add_option("RUN", arguments->path, "Record (default: the newest in runs/), or a URDF, MJCF or SDF file");
  info->add_flag("--json", arguments->json, "Print one JSON object");
  info->add_option("--reach", arguments->reach, kReachHelp);
  info->add_flag("--model", arguments->model,
                 "Print the canonical model of a run: what its proof is about, as one JSON object");
  return {info, [arguments] {
            return findRecord(arguments->path) ? infoCommand(*arguments, std::cout, std::cerr) : kBadInput;
          }};
}

Command addExport(CLI::App& app) {
  const auto arguments = std::make_shared<ExportArguments>();
  CLI::App* export_command = app.add_subcommand("export", "Take the data of a record elsewhere");
  export_command->footer(kExportHelp);
  export_command->add_option("RUN", arguments->record, "Record (default: the newest in runs/)");
  export_command->add_option("--format", arguments->format, "csv, hdf5, gltf or html")
      ->required()
      ->check(CLI::IsMember({"csv", "hdf5", "gltf", "html"}));
  export_command->add_option("-o,--output", arguments->output, "Folder (csv) or file to write")->required();
  export_command->add_option("--branch", arguments->branch, "One branch (default: all; gltf: the first leaf)");
  export_command
      ->add_option("--rate", arguments->rate,
                   "csv, hdf5: states, joints and sensors at k / RATE [1/s] (default: at every step)")
      ->check([](const std::string& text) { return checkBetween(text, 0, 1e100); });
  export_command->add_option("--at", arguments->at, "csv, hdf5: the same at the times [s] in this file");
  return {export_command,
          [arguments] { return findRecord(arguments->record) ? exportCommand(*arguments, std::cerr) : kBadInput; }};
}

Command addTrace(CLI::App& app) {
  struct Arguments {
    std::string file;
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* trace = app.add_subcommand("trace", "Sum up what `rigor run --trace FILE` wrote");
  trace->add_option("FILE", arguments->file, "Trace as JSON lines")->required();
  trace->add_flag("--json", arguments->json, "Print one JSON object");
  return {trace, [arguments] { return traceCommand(arguments->file, arguments->json, std::cout, std::cerr); }};
}

}  // namespace rigor::cli
