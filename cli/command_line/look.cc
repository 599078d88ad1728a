// SPDX-License-Identifier: MIT
#include "cli/command_line/commands.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

#include "cli/command_line/view_options.h"
#include "cli/helper.h"
#include "cli/scenes_command.h"

namespace rigor::cli {
Command addScenes(CLI::App& app) {
  return {app.add_subcommand("scenes", "List the bundled scenes, a line each"),
          [] { return scenesCommand(std::cout, std::cerr); }};
}

Command addView(CLI::App& app, int count, char** values) {
  // For the help alone; it lives as long as the command, whose options write to it.
  const auto arguments = std::make_shared<ViewArguments>();
  CLI::App* view = app.add_subcommand("view", "The interactive viewer; or a picture of one instant");
  addViewOptions(*view, *arguments);
  return {view, [arguments, count, values] { return runHelper("rigor-view", count - 2, values + 2, std::cerr); }};
}

}  // namespace rigor::cli
