// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "sim/world.h"

namespace rigor::sim {

/// The canonical model of a scene (docs/record-format.md): strict JSON, members in a fixed order, every default
/// resolved, doubles in shortest round-trip form. Two scenes have the same text if and only if a run starts from the
/// same numbers.
/// @param scene  As Simulation::scene() gives it: links placed, touching starts moved apart.
std::string canonicalModel(const Scene& scene);

}  // namespace rigor::sim
