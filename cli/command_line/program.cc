// SPDX-License-Identifier: MIT
#include "cli/command_line/program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <iostream>
#include <vector>

#include "cli/command_line/commands.h"
#include "cli/exit_code.h"
#include "cli/version.h"
#include "scenes/nearest_word.h"

namespace rigor::cli {
namespace {

constexpr const char* kFirstSteps = R"(
First steps:
  rigor scenes              what can be run
  rigor run die             simulate a thrown die, and record it in runs/
  rigor verify              prove the newest record again

`rigor COMMAND --help` says more. SI units, radians, z up, quaternions [w, x, y, z].)";

/// What a command returns, or that its output was lost on the way, to a full disk for one.
int finish(int code) {
  std::cout.flush();
  if (std::cout) return code;
  std::cerr << "rigor: standard output cannot be written\n";
  return code == kDone || code == kBudget ? kFailure : code;
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

/// Whether the program has a command of that name; else says so.
bool isCommand(const CLI::App& program, const std::string& name) {
  std::vector<std::string_view> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), name) != names.end()) return true;
  const std::string nearest = scenes::nearestWord(name, names);
  std::cerr << fmt::format("rigor: there is no command {}; {}`rigor --help` lists them\n", name,
                           nearest.empty() ? "" : "did you mean " + nearest + "? ");
  return false;
}

/// @returns kDone, or what to end with: an error was said, or --help or --version was answered.
int parse(CLI::App& program, int argc, char** argv, bool& answered) {
  try {
    program.parse(argc, argv);
    return kDone;
  } catch (const CLI::ParseError& error) {
    answered = true;
    if (error.get_exit_code() == 0) return finish(program.exit(error));  // --help, --version
    const CLI::App* command = program.get_subcommands().empty() ? &program : program.get_subcommands()[0];
    std::cerr << fmt::format("rigor: {}\n{}Run `rigor{} --help` for more.\n", error.what(),
                             suggestOption(*command, argc, argv), command == &program ? "" : " " + command->get_name());
    return kUsage;
  }
}

}  // namespace

int runProgram(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // A file that may not grow is an output that cannot be written, no death.
  CLI::App program{"Simulates rigid bodies and proves that they never interpenetrate.", "rigor"};
  program.set_version_flag("-V,--version", std::string("rigor ") + RIGOR_BUILD);
  program.require_subcommand(1);
  // In the order in which the help lists them.
  const std::vector<Command> commands = {
      addRun(program),     addExplore(program),  addVerify(program), addCheck(program),
      addSweep(program),   addDistance(program), addExport(program), addInfo(program),
      addImpact(program),  addAtlas(program),    addScenes(program), addView(program, argc, argv),
      addCompare(program), addTrace(program)};
  std::string topic;
  CLI::App* help = program.add_subcommand("help", "Say more about a command");
  help->add_option("COMMAND", topic, "One of the above");
  program.footer(kFirstSteps);  // Last: commands would take it over.

  if (argc < 2) {
    std::cerr << program.help();
    return kUsage;
  }
  if (argv[1][0] != '-' && !isCommand(program, argv[1])) return kUsage;
  bool answered = false;
  if (const int code = parse(program, argc, argv, answered); answered) return code;
  if (*help) {
    if (!topic.empty() && !isCommand(program, topic)) return kUsage;
    std::cout << (topic.empty() ? program.help() : program.get_subcommand(topic)->help("rigor"));
    return finish(kDone);
  }
  try {
    for (const Command& command : commands)
      if (*command.options) return finish(command.act());
    return kUsage;
  } catch (const std::exception& error) {
    std::cerr << "rigor: " << error.what() << '\n';
    return kFailure;
  }
}

}  // namespace rigor::cli
