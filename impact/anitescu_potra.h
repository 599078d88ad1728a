// SPDX-License-Identifier: MIT
#pragma once
#include "impact/contact_lcp.h"
#include "impact/resolver.h"

namespace rigor::impact {

/// Anitescu and Potra's simultaneous impact: one LCP for all contacts, then Poisson's expansion where e > 0.
///
/// Guarantee on kResolved: no contact approaches faster than `tolerance` times the largest contact speed before, the
/// kinetic
/// energy did not grow by more than rounding, and `residual` holds the worst LCP residual. One of possibly several
/// solutions. Reads cone_edges, tolerance, capture_speed. @throws std::invalid_argument for a malformed problem.
class AnitescuPotra final : public Resolver {
 public:
  [[nodiscard]] ImpactStatus resolve(const ImpactProblem& problem, const ImpactOptions& options, RandomKey key,
                                     ImpactOutcome& outcome) override;

 private:
  ContactLcp lcp_;
  LemkeSolver lemke_;
  std::vector<double> approach_, given_;
};

}  // namespace rigor::impact
