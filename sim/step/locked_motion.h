// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Geometry>
#include <optional>
#include <span>

#include "sim/system_state.h"

namespace rigor::sim {

/// The rigid motion with the momentum and angular momentum of a robot that floats: what its links would do if its
/// joints locked at once. Velocities against it carry no momentum, and their energy is what the robot's exceeds
/// `kinetic` by.
struct LockedMotion {
  Eigen::Vector3d centre, v, w;  ///< Of mass [m]; [m/s]; [rad/s].
  double kinetic;                ///< [J]
  int root;                      ///< The node that floats.

  /// Scales the velocities of the robot and its links against it.
  void scaleOthers(double factor, SystemRobot& robot, std::span<SystemBody> bodies) const;

 private:
  Eigen::Vector3d velocityAt(const Eigen::Vector3d& point) const { return v + w.cross(point - centre); }
};

/// Of the robot and its links at their states. None where it hangs in the world, or where several trees float.
std::optional<LockedMotion> lockedMotion(const SystemRobot& robot, std::span<const SystemBody> bodies);

}  // namespace rigor::sim
