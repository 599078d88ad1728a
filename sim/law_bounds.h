// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "sim/world.h"

namespace rigor::sim {

/// Bounds of the laws of motion that a run declares and its record is held to (docs/proof.md), as the JSON object of
/// `meta.bounds`; "{}" where not everything that acts is recorded, or where laws are missed by more than any bound that
/// says something: scenes with robots, or more than two moving bodies.
///
/// All follow from the velocity tolerance, the event window, the gap and the longest step.
std::string lawBounds(const Scene& scene);

}  // namespace rigor::sim
