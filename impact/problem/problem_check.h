// SPDX-License-Identifier: MIT
#pragma once
#include "impact/problem/impact_problem.h"

namespace rigor::impact {

/// What every model asks of a problem before it computes: sizes that match, finite numbers, a symmetric mass matrix (up
/// to a caller's rounding), friction >= 0, restitution in [0, 1], and 1 or 2 tangent rows for a contact with friction.
/// Whether the mass matrix is positive definite shows when it is factored. Throws std::invalid_argument that says which
/// does not hold. Allocates nothing; O(n^2 + mn).
void checkProblem(const ImpactProblem& problem);

}  // namespace rigor::impact
