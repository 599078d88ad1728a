// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "impact/sets/certificate.h"
#include "impact/sets/exact_problem.h"
#include "impact/sets/potential_bounds.h"

namespace rigor::impact {

/// Outer bounds of every quantity of a problem, and their proofs beside the energy's; each was checked.
struct OuterBounds : OuterProofs {
  std::vector<EnergyBound> of;                ///< Of each quantity, the best known.
  int tried = 0, closed = 0;                  ///< Relaxations begun, and those whose set was found whole.
};

/// Bounds of all outcomes, for any problem: from the energy (boundByEnergy()); with finite friction also from relaxed
/// problems, with a quarter of the work, then from potentials (narrowByPotentials()). In a relaxed problem some
/// contacts' friction may have any direction, whatever they slip: its motions hold those of the problem, and change
/// the other rows without need of the slips left out, so that there are far fewer faces. The normal velocities alone
/// come first, then one contact's slip with them, and so on while `work` lasts: more work narrows the bounds.
/// Guarantee: every bound holds, each with a certificate that was checked or by the energy. Deterministic.
/// @param quantities  of `exact`. @param finite  whether forces are known (no contact without slip limit).
/// @param threads  of narrowByPotentials().
[[nodiscard]] OuterBounds boundOutside(const ImpactProblem& problem, const ExactProblem& exact,
                                       const std::vector<ExactQuantity>& quantities, bool finite, std::int64_t work,
                                       const GoesOn& goes_on = nullptr, int threads = 1);

}  // namespace rigor::impact
