// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <algorithm>
#include <span>
#include <vector>

#include "dynamics/articulated_state.h"
#include "dynamics/rigid_body.h"
#include "sim/carried_link.h"
#include "sim/robot_brake.h"
#include "sim/robot_limit.h"

namespace rigor::sim {

using dynamics::Vector6d;

/// A body as the contact equations see it. A robot's link has no state of its own: pose, velocity and acceleration are
/// what RobotEquations::writeLinks() makes of the robot's coordinates.
struct SystemBody {
  const dynamics::RigidBody* model = nullptr;
  dynamics::RigidBodyState state;
  Vector6d acceleration = Vector6d::Zero();  ///< Result of ContactSystem::solveAccelerations().
  int robot = -1, link = -1;                 ///< Of the island's robots; -1: a free body.
  Vector6d push =
      Vector6d::Zero();  ///< What somebody outside applies: force, and torque about the centre, world [N, N m].

  bool isPushed() const { return !push.isZero(0); }
};

/// Where a body is, with its rotation as a matrix.
struct Placement {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p{0, 0, 0};  ///< [m]

  Placement() = default;
  explicit Placement(const geom::Pose& pose) : R(pose.rotation()), p(pose.p) {}
};

/// A robot of an island. Its moving links are bodies of the island, one after the other from slot `first_slot` on.
struct SystemRobot {
  const dynamics::ArticulatedModel* model = nullptr;
  dynamics::ArticulatedState state;
  Eigen::VectorXd acceleration;  ///< v', result of ContactSystem::solveAccelerations().
  Eigen::VectorXd effort;        ///< Forces of the actuators, constant over a step [N m] or [N]; empty: none.
  std::span<const int> links;    ///< Of the model, those that move; ascending.
  std::span<const CarriedLink> carried;  ///< Of all of `links`, carriers first; empty: as if none were.
  std::span<const RobotLimit> limits;
  std::span<const RobotBrake> brakes;  ///< Empty: the friction of joints is dynamics' own, regularised.
  std::span<const char> locked;        ///< By velocity: its loops hold it fast, nothing is damped there. Empty: none.
  double implicit_time =
      0;  ///< > 0: the joints' damping acts at the end of a step this long [s] (dynamics::factorInertia).
  int first_slot = 0;
  int id = 0;                    ///< Of the scene's robots.
};

/// Positions and velocities of everything in an island. Reads like the list of its bodies.
struct SystemState {
  std::vector<SystemBody> bodies;
  std::vector<SystemRobot> robots;

  size_t size() const { return bodies.size(); }
  bool empty() const { return bodies.empty(); }
  SystemBody& operator[](size_t i) { return bodies[i]; }
  const SystemBody& operator[](size_t i) const { return bodies[i]; }
  auto begin() { return bodies.begin(); }
  auto end() { return bodies.end(); }
  auto begin() const { return bodies.begin(); }
  auto end() const { return bodies.end(); }
  /// No velocity is left.
  void stop() {
    for (SystemBody& body : bodies) body.state.v.setZero(), body.state.w.setZero();
    for (SystemRobot& robot : robots) robot.state.v.setZero();
  }
  /// Whether somebody pushes one of the bodies.
  bool isPushed() const {
    return std::any_of(begin(), end(), [](const SystemBody& body) { return body.isPushed(); });
  }
};

}  // namespace rigor::sim
