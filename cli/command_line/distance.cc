// SPDX-License-Identifier: MIT
#include "cli/command_line/commands.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "cli/distance_command.h"
#include "cli/exit_code.h"
#include "scenes/open_pipe.h"

namespace rigor::cli {
namespace {

constexpr const char* kDistanceHelp = R"(
PAIRS has one JSON object a line:
  {"id": 1, "a": {"vertices": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], "pose": [1,0,0,0, 0,0,0]}, "b": {...}}
pose is [qw,qx,qy,qz,px,py,pz]. Negative distance: penetration depth.
Examples:
  rigor distance pairs.jsonl --json > answers.jsonl
  rigor distance - < pairs.jsonl

Exit codes: 0 all answered, 3 some lines could not be read (said on stderr; the others are answered).)";

int answer(const std::string& path, bool json, bool second_opinion) {
  if (path == "-") return distanceCommand(std::cin, "stdin", std::cout, std::cerr, json, second_opinion);
  std::error_code kind;
  if (std::filesystem::exists(path, kind) && !std::filesystem::is_regular_file(path, kind) &&
      !scenes::isOpenPipe(path)) {
    std::cerr << path << ":1:1: the file is no regular one; one JSON object a line, or - for stdin\n";
    return kBadInput;
  }
  std::ifstream file(path);
  if (!file || file.peek() == std::ifstream::traits_type::eof()) {
    std::error_code error;
    const bool empty = std::filesystem::is_regular_file(path, error) && file.is_open();
    std::cerr << path << (empty ? ":1:1: the file is empty" : ":1:1: the file cannot be read")
              << "; one JSON object a line, or - for stdin\n";
    return kBadInput;
  }
  return distanceCommand(file, path, std::cout, std::cerr, json, second_opinion);
}

}  // namespace

Command addDistance(CLI::App& app) {
  struct Arguments {
    std::string file;
    bool json = false, second_opinion = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* distance = app.add_subcommand("distance", "Separation of convex polytope pairs");
  distance->footer(kDistanceHelp);
  distance->add_option("PAIRS", arguments->file, "File of pairs, or - for stdin")->required();
  distance->add_flag("--json", arguments->json, "Print one JSON object a line");
  distance->add_flag("--second-opinion", arguments->second_opinion,
                     "Ask libccd too, which shares no code with ours; exit 4 where it disagrees");
  return {distance, [arguments] { return answer(arguments->file, arguments->json, arguments->second_opinion); }};
}

}  // namespace rigor::cli
