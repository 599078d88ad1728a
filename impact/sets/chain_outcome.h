// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "impact/resolver.h"
#include "impact/sets/certificate.h"
#include "impact/sets/exact_problem.h"

namespace rigor::impact {

/// An impact as a chain of forces takes it: what holds after each of its segments that has forces, rounded. The last is
/// its outcome; between two the velocity changes in a straight line. Impulses are those received up to there, as many
/// numbers for a contact as `problem` has rows for it; lcps 0.
/// @param exact  Of `problem`, not relaxed. @param chain  Of `exact`.
[[nodiscard]] std::vector<ImpactOutcome> outcomesAlong(const ImpactProblem& problem, const ExactProblem& exact,
                                                       const SetCertificate::Chain& chain);

}  // namespace rigor::impact
