// SPDX-License-Identifier: MIT
#pragma once
#include "impact/contact_lcp.h"
#include "impact/resolver.h"

namespace rigor::impact {

/// One random sample of Halm and Posa's set-valued extension of Routh's impact model (their Eq. 72-75, Algorithm 1).
///
/// Guarantee on kResolved: as AnitescuPotra. Steps with random limits h p_i, p uniform in (0, 1], of the normal impulse
/// are taken until no contact approaches; among several solutions of a step a random covering vector of Lemke's
/// method chooses. Then Poisson's expansion. kUnfinished after max_steps: `outcome` holds the last velocity, which
/// still
/// approaches. The same (problem, options, key) gives the same bits.
///
/// Length of a step: h = step [N s] where step_is_impulse, else h = step * 4 max_i(-v_n,i / A_ii) over the approaching
/// contacts, 4 times the largest impulse that stops a contact alone: the same number of steps in all units. A relative
/// h
/// doubles every 20 steps, so that contacts that are wedged (impulses far above that) end too.
/// Reads step, step_is_impulse, cone_edges, max_steps, tolerance, capture_speed.
class Routh final : public Resolver {
 public:
  [[nodiscard]] ImpactStatus resolve(const ImpactProblem& problem, const ImpactOptions& options, RandomKey key,
                                     ImpactOutcome& outcome) override;

 private:
  ContactLcp lcp_;
  LemkeSolver lemke_;
  std::vector<double> approach_, given_, limit_, covering_;
};

}  // namespace rigor::impact
