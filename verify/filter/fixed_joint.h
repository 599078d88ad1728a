// SPDX-License-Identifier: MIT
#pragma once
#include <array>

#include "verify/kernel/run.h"

namespace rigor::verify::filter {

/// A fixed joint whose links' pieces are cubics over one interval, in plain doubles with one bound of all roundings:
/// robots have dozens of them.
class FixedJoint {
 public:
  FixedJoint(const kernel::Joint& joint, const kernel::Vector3& child_centre, const kernel::Vector3& parent_centre);
  /// Whether this object is what these make.
  bool isOf(const kernel::Joint& joint, const kernel::Vector3& child_centre,
            const kernel::Vector3& parent_centre) const;

  /// Whether it is open by no more than `most` [m] all over both pieces, and turned by far less (times `length`).
  /// "True" is a proof, and `apart` [m] is then no less than how far it is open; "false" says nothing.
  bool staysClosed(const kernel::Piece& child, const kernel::Piece& parent, double length, double most,
                   double& apart) const;

 private:
  double turnedAtMost(const kernel::Piece& child, const kernel::Piece& parent) const;
  double openAtMost(const kernel::Piece& child, const kernel::Piece& parent) const;

  using Places = std::array<kernel::Vector3, 4>;
  Places places_;  // The joint's points and the centres, child first.
  kernel::Quaternion child_frame_, parent_frame_;
  double frames_ = 0;                  // The longer of the two, or more.
  double offset_[3], offset_off_ = 0;  // Between the centres, parent's axes [m]: to within this.
  double offset_reach_ = 0, arm_ = 0;  // Its length, and that from the child's centre to the joint, or more.
};

}  // namespace rigor::verify::filter
