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
  Eigen::Vector3d spin;          ///< Angular momentum about the centre [kg m^2/s].
  Eigen::Matrix3d inertia;       ///< About the centre, of the links where they are [kg m^2].
  double kinetic;                ///< [J]
  int root;                      ///< The node that floats.

  /// Scales the velocities of the robot and its links against it.
  void scaleOthers(double factor, SystemRobot& robot, std::span<SystemBody> bodies) const;
  /// Adds to it, momentum along with it: dv to the velocity of the centre, dw to the angular velocity.
  void add(const Eigen::Vector3d& dv, const Eigen::Vector3d& dw, SystemRobot& robot,
           std::span<SystemBody> bodies) const;
  /// Linear and angular velocity at a point [m/s, rad/s].
  Vector6d velocityAt(const Eigen::Vector3d& point) const;
};

/// Of the robot and its links at their states. None where it hangs in the world, or where several trees float.
std::optional<LockedMotion> lockedMotion(const SystemRobot& robot, std::span<const SystemBody> bodies);

}  // namespace rigor::sim
