// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "api/scene_impl.h"
#include "rigor/simulation.h"
#include "sim/history.h"
#include "sim/simulation.h"

namespace rigor {

/// The folders' structs as users see them.
Summary toPublic(const sim::Summary& summary);
Event toPublic(const sim::History::Event& event, const sim::Scene& scene);
Impact toPublic(const sim::ImpactRecord& impact, const sim::Scene& scene);

}  // namespace rigor
