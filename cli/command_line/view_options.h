// SPDX-License-Identifier: MIT
#pragma once
#include <optional>

#include "cli/view_command.h"

namespace CLI {
class App;
}

namespace rigor::cli {

/// The options of `rigor view`, which the program knows for its help and `rigor-view` acts on.
void addViewOptions(CLI::App& view, ViewArguments& arguments);

/// The command line of `rigor-view`. @returns what to end with where --help was answered or an error said.
std::optional<int> parseView(int argc, char** argv, ViewArguments& arguments);

}  // namespace rigor::cli
