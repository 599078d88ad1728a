// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "verify/kernel/laws.h"

namespace rigor::verify::kernel {

struct Result {
  struct Open : Finding {
    std::string branch;
  };
  std::vector<Open> open;  ///< Everything that is not proved; empty: the run's claim holds.
  double min_gap = 0;      ///< Of all branches: nothing is closer up to the horizon [m].
  double horizon = 0;      ///< Of the leaf that ends first, whose whole ancestry is proved [s].
  /// Of the laws of motion, in the order of Law; a law about which there was nothing to prove has no branch.
  struct LawWorst : Worst {
    std::string branch;
  };
  PerLaw<LawWorst> laws;
  bool complete = false;   ///< Every leaf reached the run's `until`, and no outcome is unexplored.
};

using ReadBranch = std::function<BranchRows(std::size_t branch)>;
/// Discharges all obligations of a branch, then the duties of its laws where `laws` asks for them, and tells what is
/// malformed there or stays open. Another one than the kernel's own may be faster; it is then trusted for what it
/// leaves out.
using DischargeAll = std::function<std::vector<Finding>(const BranchProof&, bool laws, Residuals&)>;
std::vector<Finding> dischargeAll(const BranchProof& proof, bool laws, Residuals& worst);

/// Proves that in every branch, at every instant up to its end, every two parts of different bodies, not both fixed and
/// not exempt, are at least min_gap > 0 apart, that motions are continuous and start as the model and the forks say.
/// Exact; integers alone.
/// With `laws`, also that it obeys the laws of motion within the bounds that it declares (where it says what acted).
Result prove(const Run& run, const ReadBranch& read, bool laws, const DischargeAll& discharge = dischargeAll);

}  // namespace rigor::verify::kernel
