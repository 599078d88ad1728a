// SPDX-License-Identifier: MIT
#pragma once
#include "impact/resolver.h"
#include "scenes/document.h"

namespace rigor::scenes {

/// What scene files and impact problem files say in the same words. All throw LoadError at what they do not accept.

/// A number >= 0, or no-slip (impact::kNoSlip).
double readFriction(const Value& value);

/// The fields cone_edges, max_steps, tolerance and plus of `map`, each optional. `map` may have others.
void readImpactOptions(const Value& map, impact::ImpactOptions& options);

}  // namespace rigor::scenes
