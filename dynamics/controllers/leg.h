// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <array>

#include "dynamics/articulated_model.h"
#include "dynamics/articulated_workspace.h"

namespace rigor::dynamics {

enum class Reach {
  kReached,     ///< The foot is at the target.
  kOutOfReach,  ///< Angles are the leg's nearest: stretched or folded towards the target.
};

/// The point of a leg that stands on the ground.
struct Foot {
  int link = 0;
  Eigen::Vector3d point{0, 0, 0};  ///< Link frame [m].
  double radius = 0;               ///< Of the link's shape about it [m].
};

/// @pre positions of the model are calculated. World [m].
Eigen::Vector3d footPoint(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, const Foot& foot);

/// Inverse kinematics of a leg of three revolute joints, in closed form: a hip that rolls, then a thigh and a knee
/// whose parallel axes are normal to the roll axis. Positions are those of a foot point in the frame of the base link.
class Leg {
 public:
  /// @throws ModelError where its joints are not as above.
  Leg(const ArticulatedModel& model, int base_link, const Foot& foot);

  int dof(int k) const { return dof_[k]; }            ///< Velocity of hip, thigh, knee.
  int position(int k) const { return position_[k]; }  ///< Coordinate of them.
  const Foot& end() const { return end_; }

  /// Angles that bring the foot to `target`, of the up to four the ones nearest to `reference` (sum of squares), each
  /// within pi of it. The knee's limits are not looked at. O(1), no allocation.
  [[nodiscard]] Reach solve(const Eigen::Vector3d& target, const Eigen::Vector3d& reference,
                            Eigen::Vector3d& angles) const;

 private:
  Foot end_;
  std::array<int, 3> dof_, position_;
  Eigen::Vector3d hip_;                   ///< A point of the roll axis.
  Eigen::Matrix3d axes_;                  ///< Columns: roll axis a, thigh axis b, c = a x b.
  Eigen::Vector3d thigh_, shank_, heel_;  ///< In those axes, at zero angles: hip to thigh joint, to knee, to foot.
  double knee_sign_ = 1;
  double shank_length_ = 0, heel_length_ = 0, shank_angle_ = 0, heel_angle_ = 0;  ///< In the leg's plane.
};

}  // namespace rigor::dynamics
