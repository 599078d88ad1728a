// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "sim/simulation.h"

namespace rigor::cli {

struct RunArguments {
  std::string scene;                 ///< A file, or the name of a bundled scene.
  std::string output;                ///< Empty: the next free runs/NAME-0001.rigor, or the newest record to resume.
  std::optional<double> until;       ///< [s], else the scene's.
  std::optional<std::uint64_t> seed;  ///< Default 0; a resumed run keeps its own.
  std::string impact;                ///< Model, else the scene's.
  std::optional<long> max_steps;     ///< Budget, else the scene's.
  std::string trace;                 ///< File for what the event loop decides; empty: none.
  int threads = 0;                   ///< 0: all cores.
  bool json = false, quiet = false, force = false, resume = false;
  bool debug = false;                ///< Without `trace`: the same as lines on stderr.
};

/// `rigor run`: simulates, records, and says what happened: one JSON object on `out`, or a few lines.
/// @returns the program's exit code. SIGINT and SIGTERM end the run with a valid record.
int runCommand(const RunArguments& arguments, std::ostream& out, std::ostream& err);

/// Says on `err` that impacts were resolved by no model, if there were any.
/// @param explored  Of a tree, where they might have forked.
void warnOfPlasticImpacts(long count, const std::string& model, bool explored, bool quiet, std::ostream& err);

/// The program's exit code for the end of a run.
int exitCodeOf(sim::RunStatus status);

}  // namespace rigor::cli
