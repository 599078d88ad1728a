// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <functional>
#include <span>
#include <vector>

#include "verify/kernel/run.h"
#include "verify/record/rows.h"

namespace rigor::verify::recorded {

/// What a joint holds follows from the motion of the link that hangs on it, so that rows of `impulses` need not say it
/// (docs/record-format.md): the link changes its momentum by gravity, by what else acts on it, and by its joint. What
/// is left of its balance over a step is the joint's wrench, to rounding. The laws are proved of the numbers that come
/// out.
///
/// For each step: start(), touch() and act() with what the row lists, then, for each of joints() in their order,
/// balance(), and act() with what the joint did. O(links)
class JointWrenches {
 public:
  struct JointNumber {
    int robot, joint;
  };
  struct Wrench {
    Eigen::Vector3d P, moment;  ///< On the child; about the joint's point in the middle of the step.
    /// Sizes of what they are sums of [N s], [N m s]: rounding is relative to these.
    double force_scale, moment_scale;
  };
  /// The piece of a body over exactly the step at hand, or null.
  using PieceOf = std::function<const kernel::Piece*(int body)>;

  explicit JointWrenches(const kernel::Model& model);  ///< Kept by reference.
  /// Those on which a link hangs that moves; joints that hang on others before them.
  const std::vector<JointNumber>& joints() const { return joints_; }

  void start(double t0, double t1, const PieceOf& piece_of);
  double middle() const { return t0_ + 0.5 * (t1_ - t0_); }
  void touch(int body) { links_[static_cast<std::size_t>(body)].follows = false; }  ///< A contact acts on it.
  /// On the joint's child, the opposite on its parent, at an instant of the step.
  void act(JointNumber number, double time, const Eigen::Vector3d& P, const Eigen::Vector3d& moment);
  /// @returns false where it does not follow: a contact touches the child, or not all that acts there can be placed.
  bool balance(JointNumber number, Wrench& out) const;

 private:
  struct Link {
    const kernel::Piece* piece = nullptr;
    bool hangs = false;  // On one of joints_.
    bool follows = false;
    Eigen::Vector3d start, P, K;  // Centre at t0; what is left to explain, about it.
    Eigen::Vector3d held;         // The point of its joint in the middle of the step.
    double force_scale, moment_scale;
  };
  void begin(const kernel::Body& body, Link& link) const;
  const kernel::Joint& jointOf(JointNumber n) const {
    return model_.robots[static_cast<std::size_t>(n.robot)].joints[static_cast<std::size_t>(n.joint)];
  }
  Eigen::Vector3d pointOf(const kernel::Joint& joint, double time) const;

  const kernel::Model& model_;
  std::vector<JointNumber> joints_;
  std::vector<int> moving_links_;
  std::vector<Link> links_;  // Of each body.
  double t0_ = 0, t1_ = 0;
};

/// Adds what the rows of a branch leave out. @param pieces  Those of the branch, of each body in the order of time.
void addJointWrenches(const kernel::Model& model, std::span<const kernel::Piece> pieces,
                      std::vector<ActionRow>& actions);

}  // namespace rigor::verify::recorded
