// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "impact/resolver.h"

namespace rigor::impact {

inline constexpr std::string_view kCorner = "a corner of the exact set";
inline constexpr std::string_view kDirectedExtreme = "an extreme that a directed search found";

/// The corners of the exact set of a problem, rounded: those that are extreme in a contact velocity or a velocity
/// first, each once; impulses are those of the corner's chain of forces, lcps 0. At most `limit`. Where the set is not
/// found with little work (more than four contacts, or a hard case) the extremes of a short directed search, and the
/// corners of what was found: outcomes of the set too, proved. Of machines, whose mass matrix couples many velocities,
/// those of contact velocities, and of the problem rounded. Empty for no-slip, restitution (but for so little that
/// models take it for none), more than a dozen contacts, and for spatial contacts, but where up to two of them with
/// `cone_edges` have a set that is found. Cost: some ms to some tenths of a second.
/// @param cone_edges  Of spatial contacts; 0: these have none.
/// @throws std::invalid_argument for a malformed problem.
[[nodiscard]] std::vector<ImpactOutcome> cornerOutcomes(const ImpactProblem& problem, long limit,
                                                        int cone_edges = 0);

}  // namespace rigor::impact
