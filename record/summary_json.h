// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>

#include "sim/explorer.h"
#include "sim/simulation.h"

namespace rigor::record {

/// The object that `rigor run --json` prints and the record keeps. @param record  Path of the record.
std::string summaryJson(const std::string& scene, const sim::Summary& summary, double wall_seconds, std::uint64_t seed,
                        const std::string& record);

/// The same of `rigor explore --json`.
std::string treeJson(const std::string& scene, const sim::TreeSummary& summary, double wall_seconds, std::uint64_t seed,
                     const std::string& record);

}  // namespace rigor::record
