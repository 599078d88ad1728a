// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "verify/branch_motion.h"

namespace rigor::verify {

/// Proves that all pairs of a branch are apart at every instant: each witness, and that there are enough of them.
class WitnessCheck {
 public:
  /// @param ignored  Pairs of bodies that never collide.
  WitnessCheck(CheckedRecord& record, const std::vector<Solid>& solids,
               const std::set<std::pair<std::int64_t, std::int64_t>>& ignored, const Branch& branch,
               const BranchMotion& motion)
      : record_(record), solids_(solids), ignored_(ignored), branch_(branch), motion_(motion) {}

  void check(std::vector<Witness>& witnesses, double start, double horizon) const;

 private:
  /// Empty if the row is a claim that can be proved at all.
  std::string findFault(const Witness& w) const;
  void checkOne(const Witness& w, WitnessProver& prover) const;
  /// Every instant of [start, horizon] lies in a witness' interval or in one where boxes are apart.
  void checkCoverage(const Witness& key, std::span<const Witness> witnesses, double start, double horizon,
                     const BoxProver& boxes) const;

  CheckedRecord& record_;
  const std::vector<Solid>& solids_;
  const std::set<std::pair<std::int64_t, std::int64_t>>& ignored_;
  const Branch& branch_;
  const BranchMotion& motion_;
};

}  // namespace rigor::verify
