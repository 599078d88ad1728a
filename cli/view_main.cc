// SPDX-License-Identifier: MIT
// `rigor-view`: what `rigor view` runs. A program of its own, so that no other command loads OpenGL and windows.
#include <exception>
#include <iostream>

#include "cli/command_line/view_options.h"
#include "cli/exit_code.h"
#include "cli/view_command.h"

int main(int argc, char** argv) {
  using namespace rigor;
  cli::ViewArguments arguments;
  if (const std::optional<int> code = cli::parseView(argc, argv, arguments)) return *code;
  try {
    return cli::viewCommand(arguments, std::cerr);
  } catch (const std::exception& error) {
    std::cerr << "rigor: " << error.what() << '\n';
    return cli::kFailure;
  }
}
