// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "sim/world.h"

namespace rigor::sim {

/// Bounds of the laws of motion that a run declares and its record is held to (docs/proof.md), as the JSON object of `meta.bounds`; "{}" where
/// not everything that acts is recorded: scenes with robots, and those with more than three moving bodies without restitution, which may become a crowd.
///
/// All follow from the velocity tolerance, the gap and the longest step: momentum is kept to rounding but for energy that is scaled away,
/// which counts as error of a step; what projections take at its end may pull by as much.
std::string lawBounds(const Scene& scene);

}  // namespace rigor::sim
