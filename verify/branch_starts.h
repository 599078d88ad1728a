// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "verify/branch_motion.h"

namespace rigor::verify {

/// Where branches start: as the scene says, or where their parents fork.
class BranchStarts {
 public:
  explicit BranchStarts(CheckedRecord& record) : record_(record) {}

  bool atScene(const Branch& branch) const { return branch.parent.empty() || at_scene_.contains(branch.id); }
  /// Impacts of its ancestors of no length, which count with those of the branch that moves on.
  std::vector<Impact> impactsBefore(const Branch& branch) const;
  /// Starts and ends of the moving bodies. @returns the time up to which everything is there.
  double checkEnds(const Branch& branch, const BranchMotion& motion) const;
  /// For the children of a branch that was checked.
  void storeForkStates(const Branch& branch, const BranchMotion& motion);
  /// The same of a branch of no length: its children start where it does, after its impacts.
  void passOn(const Branch& branch, const std::vector<Impact>& impacts, double start);

 private:
  CheckedRecord& record_;
  std::map<std::string, std::vector<Pose>> fork_states_;
  std::set<std::string> at_scene_;
  std::map<std::string, std::vector<Impact>> instant_impacts_;
};

}  // namespace rigor::verify
