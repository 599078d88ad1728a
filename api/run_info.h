// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "record/writer.h"
#include "sim/simulation.h"

namespace rigor {

/// What a record says of how its run came to be, as `rigor run` and `rigor explore` write it.
/// @param own  Options of this kind of run alone, an object.
record::RunInfo runInfo(const sim::Simulation& simulation, std::uint64_t seed, double until,
                        const nlohmann::ordered_json& own);

}  // namespace rigor
