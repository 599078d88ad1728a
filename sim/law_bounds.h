// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "sim/world.h"

namespace rigor::sim {

/// Bounds of the laws of motion that a run of the scene declares and its record is held to, as the JSON object of
/// `meta.bounds` (docs/proof.md has a line for each). They follow from the scene's tolerances and sizes alone, so that
/// `rigor verify` finds the same numbers and refuses a record that allows itself more.
std::string lawBounds(const Scene& scene);

}  // namespace rigor::sim
