// SPDX-License-Identifier: MIT
#pragma once
#include <CLI/App.hpp>

#include "cli/view_command.h"

namespace rigor::cli {

/// The options of `rigor view`, which the program knows for its help and `rigor-view` acts on.
void addViewOptions(CLI::App& view, ViewArguments& arguments);

}  // namespace rigor::cli
