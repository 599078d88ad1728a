// SPDX-License-Identifier: MIT
#include "impact/anitescu_potra.h"

namespace rigor::impact {
ImpactStatus AnitescuPotra::resolve(const ImpactProblem& problem, const ImpactOptions& options, RandomKey,
                                    ImpactOutcome& outcome) {
  lcp_.prepare(problem, options.cone_edges);
  const int m = lcp_.numContacts();
  approach_.resize(m);
  for (int i = 0; i < m; ++i) approach_[i] = lcp_.normalVelocity(i);
  const double least = -options.tolerance * lcp_.velocityScale();
  if (m > 0 && !(lcp_.smallestNormalVelocity() >= least)) {
    if (lcp_.solveImpact(lemke_, nullptr) != LcpStatus::kSolved) return ImpactStatus::kFailed;
    if (lcp_.settle(lemke_, least) != LcpStatus::kSolved) return ImpactStatus::kFailed;
    if (!finishImpact(lcp_, lemke_, problem, options, approach_, given_, least)) return ImpactStatus::kFailed;
  }
  lcp_.publish(outcome);
  return ImpactStatus::kResolved;
}

}  // namespace rigor::impact
