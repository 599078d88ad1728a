// SPDX-License-Identifier: MIT
// `rigor-view`: what `rigor view` runs. A program of its own, so that no other command loads OpenGL and windows.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <iostream>

#include "cli/exit_code.h"
#include "cli/view_options.h"

int main(int argc, char** argv) {
  using namespace rigor;
  CLI::App app{"The interactive viewer; or a picture of one instant", "rigor view"};
  cli::ViewArguments arguments;
  cli::addViewOptions(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::cerr << fmt::format("rigor: {}\nRun `rigor view --help` for more.\n", error.what());
    return cli::kUsage;
  }
  try {
    return cli::viewCommand(arguments, std::cerr);
  } catch (const std::exception& error) {
    std::cerr << "rigor: " << error.what() << '\n';
    return cli::kFailure;
  }
}
