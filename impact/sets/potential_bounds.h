// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "impact/sets/directed_search.h"
#include "impact/sets/outer_proofs.h"

namespace rigor::impact {

/// Looks for a potential that bounds a quantity from above (side 1) or below (-1) over all outcomes of a problem with
/// finite friction. Guarantee on a result: checkPotential() accepts it.
/// @param features  linear forms of the coordinates on whose zeros the potential may bend, beside the normals'; each
/// doubles its parts at most. @param work  what may be spent, less what was. Deterministic.
/// @returns nothing where the contacts may push against each other without limit, where no proof was found, or work or
/// the user ended it.
[[nodiscard]] std::optional<PotentialProof> searchPotential(const ImpactProblem& problem, const ExactProblem& exact,
                                                            const ExactQuantity& quantity, int side,
                                                            const std::vector<std::vector<mpq_class>>& features,
                                                            std::int64_t& work, const std::function<bool()>& goes_on);

/// The same by a potential on a fan (FanProof), whose cones are divided where that promises most while there is work.
/// Guarantee on a result: checkFan() accepts it. @returns nothing where the fan would have too many cones, too.
[[nodiscard]] std::optional<FanProof> searchFan(const ImpactProblem& problem, const ExactProblem& exact,
                                                const ExactQuantity& quantity, int side, std::int64_t& work,
                                                const std::function<bool()>& goes_on);

/// Narrows bounds of all quantities by potentials: between planes without features first (up to eight contacts);
/// then, up to rank 8, on fans, two thirds of the work for the normal velocities. For larger ranks, and where a fan
/// would have too many cones, with those velocities of bodies as features, one by one, that narrow the normal
/// velocities most, as long as there is work. @param threads  that look for fans, each for another quantity; 0: all
/// cores. The result does not depend on them; goes_on is asked by one at a time.
/// @returns the proofs of the bounds that were narrowed; each was checked.
PotentialProofs narrowByPotentials(const ImpactProblem& problem, const ExactProblem& exact,
                                   const std::vector<ExactQuantity>& quantities, std::int64_t work,
                                   int threads, const GoesOn& goes_on, std::vector<EnergyBound>& bounds);

}  // namespace rigor::impact
