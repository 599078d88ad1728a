// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "check/trajectory.h"
#include "dynamics/articulated_workspace.h"
#include "methods/world.h"

namespace rigor::compare {

/// What moves between two states of a method, robots along their joints: a cubic through the poses of a link at both
/// would open its joints.
///
/// Joints follow the cubics of a method that has such, else they move at one rate, as its free bodies do.
class JointPath {
 public:
  /// @param from  The state at t0 < world.time. @param cubic  MethodInfo::cubic. Both must outlive this.
  JointPath(const methods::World& world, const sim::SystemState& from, double t0, bool cubic);

  /// Everything at the share u in [0, 1] of the time. O(nodes)
  void place(double u);
  /// Of what is in a slot where it was placed: about the centre of mass.
  const geom::Pose& pose(int slot) const { return pose_[slot]; }
  const check::Velocity& velocity(int slot) const { return velocity_[slot]; }

  /// In how many parts the time is to be cut, such that cubics through poses and velocities follow every link to `fit`
  /// [m], also a length of the world away from its centre; a power of two. 1 where no such number is found.
  int parts(double fit);

 private:
  struct Ends {  // Of a robot.
    dynamics::ArticulatedState start, end;
    Eigen::VectorXd start_rate, end_rate;
  };
  double error(double from, double to);

  const methods::World& world_;
  const sim::SystemState& from_;
  double h_;
  std::vector<Ends> robots_;
  std::vector<dynamics::ArticulatedWorkspace> workspaces_;
  std::vector<check::Velocity> straight_;  // Of free bodies.
  std::vector<geom::Pose> pose_;
  std::vector<check::Velocity> velocity_;
};

}  // namespace rigor::compare
