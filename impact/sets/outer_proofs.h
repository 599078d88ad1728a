// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "impact/sets/fan_potential.h"

namespace rigor::impact {

/// Proofs of bounds by potentials.
struct PotentialProofs {
  std::vector<PotentialProof> planes;
  std::vector<FanProof> fans;
};

/// What proves the outer bounds of a set that is not known whole, beside the energy: each for some of them.
struct OuterProofs {
  std::vector<SetCertificate> certificates;  ///< Of relaxed problems, from outside.
  PotentialProofs potentials;
};

/// Checks the outer bounds that a certificate without an outer part of its own says (`outer_low`, `outer_high`): each
/// follows from the energy or from one of the proofs, which are all about the certificate's problem and all hold. With
/// sums and products of rational numbers alone, as checkCertificate() does, which checks the inner bounds.
/// @returns whether that is so. `failure`: the first thing that was not so.
[[nodiscard]] bool checkOuterProofs(const SetCertificate& certificate, const OuterProofs& proofs, std::string& failure);

}  // namespace rigor::impact
