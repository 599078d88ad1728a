// SPDX-License-Identifier: MIT
#pragma once
#include <functional>

namespace CLI {
class App;
}

namespace rigor::cli {

/// A subcommand: its options, and what it does with them.
struct Command {
  CLI::App* options;
  std::function<int()> act;  ///< Once the options are parsed; returns an exit code (cli/exit_code.h).
};

// Each adds one to the program: its name, help and options stand here, what it does in its own cli/*_command.h.
Command addRun(CLI::App& program);
Command addExplore(CLI::App& program);
Command addVerify(CLI::App& program);
Command addCheck(CLI::App& program);
Command addSweep(CLI::App& program);
Command addDistance(CLI::App& program);
Command addExport(CLI::App& program);
Command addInfo(CLI::App& program);
Command addImpact(CLI::App& program);
Command addAtlas(CLI::App& program);
Command addScenes(CLI::App& program);
/// @param count, values  What the program was called with: `rigor-view` gets what follows the name of the command.
Command addView(CLI::App& program, int count, char** values);
Command addCompare(CLI::App& program);
Command addTrace(CLI::App& program);

}  // namespace rigor::cli
