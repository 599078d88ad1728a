// SPDX-License-Identifier: MIT
#pragma once
#include "impact/lcp/contact_lcp.h"
#include "impact/resolver.h"

namespace rigor::impact {

/// Anitescu and Potra's simultaneous impact: one LCP for all contacts, then Poisson's expansion where e > 0.
///
/// Guarantee on kResolved: no contact approaches faster than `tolerance` times the largest contact speed before, the
/// kinetic energy did not grow by more than rounding, and `residual` holds the worst LCP residual. resolve() gives one
/// of possibly several solutions, resolveAll() every solution with another velocity (contact_modes.h), each verified
/// against the LCP as it is. Where it cannot promise that none is missing `note` says why: too many contacts to
/// enumerate, or modes that leave the velocity open; then solutions are sought from many random starts of Lemke's
/// method. Reads cone_edges, tolerance, capture_speed. @throws std::invalid_argument for a malformed problem.
class AnitescuPotra final : public Resolver {
 public:
  [[nodiscard]] ImpactStatus resolve(const ImpactProblem& problem, const ImpactOptions& options, RandomKey key,
                                     ImpactOutcome& outcome) override;
  [[nodiscard]] ImpactStatus resolveAll(const ImpactProblem& problem, const ImpactOptions& options,
                                        std::vector<ImpactOutcome>& outcomes) override;
  std::string_view assumption() const override { return "all contacts act at once, for the same time"; }

 private:
  /// Expansion and checks after compression. @returns false where that gives no valid outcome.
  bool finish(const ImpactProblem& problem, const ImpactOptions& options, double least, ImpactOutcome& outcome);

  ContactLcp lcp_;
  LemkeSolver lemke_;
  std::vector<double> approach_, given_;
};

}  // namespace rigor::impact
