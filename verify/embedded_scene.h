// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "verify/record/run_file.h"

namespace rigor::verify {

/// What is wrong with a model, and in which of its bodies (-1: in none).
struct ModelDifference {
  int body = -1;
  std::string reason;  ///< Empty: nothing.
};

/// Whether the loader, run again on the files that are embedded in a record and on these alone, makes the model that
/// the record states, every number bit for bit, with the solver's tolerances, from which the bounds of the laws follow.
/// What a run is asked for beside its scene (`until`, `impact`) is taken from the model. Of controllers the period is
/// compared, and whether there is one: actuators of a robot without do nothing.
///
/// This file is the only one of verify/ that includes others of the project (scenes, sim).
///
/// @param model  What meta.model says.
ModelDifference differenceFromScene(const recorded::Meta& meta, const recorded::ModelText& model,
                                    const std::vector<recorded::FileRow>& files);

/// Of a record without files: where it allows itself to miss a law by more than the tolerances and the masses that its
/// own model states permit any run; empty: nowhere.
std::string excessOfModel(const recorded::Meta& meta, const recorded::ModelText& model);

}  // namespace rigor::verify
