// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "verify/filter/boxes.h"
#include "verify/filter/claim_filter.h"
#include "verify/kernel/branch_proof.h"

namespace rigor::verify::filter {

/// Discharges most obligations of a branch at a fraction of the kernel's cost, in doubles that carry a bound of all
/// their roundings. It refutes nothing; what it leaves is the kernel's.
class BranchFilter {
 public:
  /// @param solids  Of the run's bodies, in their order. Everything outlives this object.
  BranchFilter(const kernel::BranchProof& proof, const std::vector<Solid>& solids);

  /// "True" is a proof. From any thread, a workspace each.
  bool proves(const kernel::Obligation& obligation, ClaimFilter& workspace) const;

 private:
  bool provesClaim(const kernel::Claim& claim, ClaimFilter& workspace) const;
  /// Over a part of one piece of each body, halved where that is not enough.
  bool provesOver(const kernel::Claim& claim, const Piece& a, const Piece& b, double from, double to, int halvings,
                  ClaimFilter& workspace) const;
  bool provesCoverage(const kernel::BranchProof::Pair& pair) const;

  const kernel::BranchProof& proof_;
  const std::vector<Solid>& solids_;
  std::vector<Trajectory> trajectories_;
  BoxProver boxes_;
};

}  // namespace rigor::verify::filter
