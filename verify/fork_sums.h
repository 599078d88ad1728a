// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "verify/filter/law_filter.h"

namespace rigor::verify {

/// What is missed over a window in which the motion forks. The kernel sums up what one branch misses, and would begin
/// anew at each fork of a path of many short ones. Of momentum, spin, friction cones and places, over windows that are
/// counted from t = 0 on.
class ForkSums {
 public:
  /// @param exact  Each step's share is what the kernel says, not what the filter does.
  ForkSums(const kernel::Run& run, bool exact) : run_(run), exact_(exact), ends_(run.branches.size()) {}
  /// Of a branch whose parent came before: what is wrong with it.
  std::vector<kernel::Finding> check(const kernel::BranchProof& proof);

 private:
  struct Sum {
    double window = -1;  ///< The number of that which it is about.
    filter::LawFilter::Missing off;
  };
  bool goesOn(std::size_t branch) const;

  const kernel::Run& run_;
  const bool exact_;
  std::vector<std::vector<Sum>> ends_;  ///< Of each branch that goes on, of each body, where it ends.
};

}  // namespace rigor::verify
