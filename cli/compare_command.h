// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "methods/choice.h"
#include "sim/simulation.h"

namespace rigor::cli {

struct CompareArguments {
  std::string scene;                  ///< A file, or the name of a bundled scene.
  std::string output;                 ///< Folder, created; empty: nothing is written.
  std::vector<std::string> only;      ///< Methods and engines; empty: all.
  std::optional<double> until, step;  ///< [s]
  long max_steps = 25'000;            ///< Of a published method: conservative advancement takes millions in contact.
  std::uint64_t seed = 0;
  bool json = false, quiet = false;
};

/// `rigor compare`: the event loop, every published method, and other engines where they are installed, on one scene.
/// @returns the program's exit code.
int compareCommand(const CompareArguments& arguments, std::ostream& out, std::ostream& err);

/// `rigor run` of a scene that asks for a published method.
struct MethodRunArguments {
  std::string path;  ///< Of the record.
  bool json = false, quiet = false, force = false;
  std::uint64_t seed = 0;
};
int runMethodCommand(const MethodRunArguments& arguments, const sim::Simulation& simulation,
                     const methods::Choice& choice, std::ostream& out, std::ostream& err);

}  // namespace rigor::cli
