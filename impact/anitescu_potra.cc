// SPDX-License-Identifier: MIT
#include "impact/anitescu_potra.h"

namespace rigor::impact {
namespace {

// Gains of kinetic energy up to this fraction are rounding.
constexpr double kEnergyRounding = 1e-11;

}  // namespace

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
    if (expand(lcp_, lemke_, problem, options, approach_, given_) != LcpStatus::kSolved) return ImpactStatus::kFailed;
    if (lcp_.settle(lemke_, least) != LcpStatus::kSolved) return ImpactStatus::kFailed;
    if (!(lcp_.energy() <= lcp_.energyBefore() * (1 + kEnergyRounding))) return ImpactStatus::kFailed;
  }
  lcp_.publish(outcome);
  return ImpactStatus::kResolved;
}

}  // namespace rigor::impact
