// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "sim/sink.h"
#include "sim/world.h"
#include "verify/record/joint_wrenches.h"

namespace rigor::record {

/// Leaves out of rows of `impulses` what joints held, where it follows from the pieces over the same step.
class FollowingWrenches {
 public:
  explicit FollowingWrenches(verify::kernel::Model links);
  FollowingWrenches(const FollowingWrenches&) = delete;
  FollowingWrenches& operator=(const FollowingWrenches&) = delete;
  const verify::kernel::Model& links() const { return links_; }
  /// @param piece_of  Of a body over exactly the row's step, or null.
  /// @param rest  What of `row` is left, and no impulses that nothing refers to.
  /// @returns whether the rest follows: what a reader finds for joints that `rest` does not list is what the row said,
  /// to rounding. Else `rest` is of no use.
  bool leaveOut(const sim::ImpulseRecord& row, const verify::recorded::JointWrenches::PieceOf& piece_of,
                sim::ImpulseRecord& rest);

 private:
  int& said(int robot, int joint);
  void act(const sim::ImpulseRecord& row, const sim::ImpulseRecord::Wrench& wrench);

  verify::kernel::Model links_;
  verify::recorded::JointWrenches wrenches_;
  std::vector<std::vector<int>> said_;  // Of each robot's joints: place in the row of what it held.
  std::vector<char> left_out_;          // Of each wrench of the row.
};

/// What the reader finds in the recorded model of how bodies hang on each other, without their shapes.
verify::kernel::Model linksOf(const sim::Scene& scene);

}  // namespace rigor::record
