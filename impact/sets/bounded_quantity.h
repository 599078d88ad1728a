// SPDX-License-Identifier: MIT
#pragma once
#include "impact/sets/certificate_model.h"
#include "impact/sets/potential.h"

namespace rigor::impact::proof {

/// The quantity q.c + offset that a potential bounds, times the side of the bound: what checkers of potentials share.
struct BoundedQuantity {
  Row of;
  Q offset;

  /// Checks, too, that the sum of all weights is limited as the proof says. @throws Refuted
  BoundedQuantity(const BoundProof& proof, const Model& model);
  /// The bound follows from W at the start and what W may grow, where W >= (q.c)^2 at outcomes.
  void requireBound(const BoundProof& proof, const Q& start) const;
};

}  // namespace rigor::impact::proof
