// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "impact/sets/certificate.h"
#include "impact/sets/exact_cone.h"
#include "impact/sets/exact_problem.h"
#include "impact/sets/polytope_union.h"

namespace rigor::impact {

/// Effort of a directed search, counted.
struct SearchOptions {
  long walks = 20'000;        ///< Random walks at first.
  long improvements = 4'000;  ///< New ends tried of the best walk of each direction.
  std::uint64_t seed = 0;
  bool contacts_alone = false;  ///< Extremes of contact velocities, not of velocities.
  GoesOn goes_on = nullptr;  ///< Told of walks.
};

/// Chains of forces that lead to extreme outcomes of a planar impact of any number of contacts: inner bounds of its
/// set.
///
/// A walk moves in straight lines over faces: some contacts push at rates that keep some contacts from slipping or from
/// lifting, until another velocity reaches zero or for a part of that way. Walks are drawn in doubles; those with the
/// smallest and the largest value of each quantity are taken up again from a random place on, as long as that is
/// better; the last ones are followed again in rational numbers. Guarantee: every chain is one of the inclusion,
/// exactly (checkCertificate() accepts it); one for the smallest and one for the largest value found of each quantity,
/// if any walk ended. Deterministic. Cost: some us a walk.
[[nodiscard]] std::vector<SetCertificate::Chain> searchExtremes(const ExactProblem& problem,
                                                                const SearchOptions& options);

/// Proved bounds of a quantity over all outcomes, from the energy alone: what the contacts can change of it has no more
/// kinetic energy after than before; normal velocities end >= 0. Outward rounding. Cost O(rank^2) rational operations.
struct EnergyBound {
  mpq_class low, high;
};
[[nodiscard]] EnergyBound boundByEnergy(const ExactProblem& problem, const ExactQuantity& quantity);

}  // namespace rigor::impact
