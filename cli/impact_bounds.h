// SPDX-License-Identifier: MIT
#pragma once
#include <ostream>

#include "cli/impact_command.h"
#include "scenes/problem_loader.h"

namespace rigor::cli {

/// `rigor impact --bounds`: proved bounds of the whole set of outcomes (docs/impact-sets.md). With `certificate` the
/// proof goes to that file; with `check` nothing is computed and the proof of that file is checked.
/// @returns kDone; kBadInput for a problem without such a set, or a certificate of another problem; kFailure where the
/// proof does not hold or a file cannot be written; kInterrupted where the user ended it, with what was proved so far.
int boundsCommand(const scenes::LoadedProblem& file, const ImpactArguments& arguments, std::ostream& out,
                  std::ostream& err);

}  // namespace rigor::cli
