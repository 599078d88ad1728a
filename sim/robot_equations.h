// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "dynamics/articulated_workspace.h"
#include "dynamics/kinematics.h"
#include "dynamics/loop_constraints.h"
#include "sim/system_state.h"

namespace rigor::sim {

/// The equations of one robot (SystemRobot::id) at one configuration, for contact problems: rows of Jacobians,
/// responses to impulses, motion of the links. Holds the workspace; no allocation once sized. One per robot and thread.
class RobotEquations {
 public:
  /// Takes over coordinates and velocities. With `inertia` also what respond() and freeAcceleration() need. What is
  /// known of these coordinates already is not computed again.
  void update(const dynamics::ArticulatedModel& model, const dynamics::ArticulatedState& state, bool inertia = true,
              double implicit_time = 0);
  /// Friction of the robot's joints is left to its brakes, where it has any.
  void update(const SystemRobot& robot, bool inertia = true);
  /// Makes them again those of coordinates that an update() with inertia saw: nothing to do, unless another one came
  /// between.
  void returnTo(const dynamics::ArticulatedState& state);
  /// Puts coordinates on what constrains them: quaternions to unit length (normaliseQuaternions), loops closed
  /// (dynamics::closeLoops), the velocities with them.
  void constrain(const dynamics::ArticulatedModel& model, dynamics::ArticulatedState& state);
  /// The coordinates alone.
  void constrainPositions(const dynamics::ArticulatedModel& model, Eigen::VectorXd& q);
  /// Of a robot with loops: the velocities that keep them closed, at the last update() with inertia
  /// (dynamics::closedVelocities), no columns where nothing moves; of others no rows.
  Eigen::MatrixXd closedVelocities() const;
  /// dynamics::lockedVelocities() then.
  std::vector<char> lockedVelocities() const { return dynamics::lockedVelocities(*model_, *workspace_); }
  /// dynamics::fastestDecay() at the last update() with inertia [1/s].
  double fastestDecay(std::span<const char> locked) const;

  /// Poses of the centres of mass and velocities of the robot's links, at the last update(). `asked`: by body, those
  /// that are written, what carries them among them; empty: all.
  void writeLinks(const SystemRobot& robot, std::span<SystemBody> bodies,
                  std::span<const unsigned char> asked = {}) const;
  /// Poses alone, of all of them.
  void placeLinks(const SystemRobot& robot, std::span<SystemBody> bodies) const;
  /// Velocities of the links alone, for generalized velocities `v` other than those of the last update().
  void linkVelocities(const SystemRobot& robot, const Eigen::VectorXd& v, std::span<Vector6d> velocities);
  /// Accelerations of the links for v' = dv; `bias`, where given, what of them remains for dv = 0.
  void linkAccelerations(const SystemRobot& robot, const Eigen::VectorXd& dv, std::span<Vector6d> accelerations,
                         std::span<Vector6d> bias = {});

  /// Of all links, for linkAcceleration().
  void accelerate(const Eigen::VectorXd& dv);
  Vector6d linkAcceleration(int link) const;

  /// rows (k x nv) = J_twist (k x 6, on the link's centre velocity and angular velocity) J_link.
  template <int k>
  void expandRows(const SystemRobot& robot, int link, const Eigen::Matrix<double, k, 6>& J_twist,
                  Eigen::MatrixXd& rows) {
    rows.resize(k, robot.model->numVelocities());
    const Eigen::Vector3d centre = centreOf(link);
    for (int i = 0; i < k; ++i) {
      expandRow(link, centre, J_twist.row(i).transpose());
      rows.row(i) = row_.transpose();
    }
  }
  /// World axis of a velocity's revolute or prismatic joint, and the centre of its child link [m], at the last
  /// update().
  void jointAxis(int dof, int child, Eigen::Vector3d& axis, Eigen::Vector3d& point) const;
  void respond(Eigen::Ref<Eigen::VectorXd> row);             ///< M^-1 row, in place.
  void respondColumns(Eigen::Ref<Eigen::MatrixXd> columns);  ///< Of each column.

  /// v' without contacts: gravity, Coriolis, damping, actuators; `force` on the coordinates, unless empty.
  void freeAcceleration(const SystemRobot& robot, const Eigen::Vector3d& gravity, Eigen::VectorXd& dv,
                        const Eigen::VectorXd& force = {});
  /// The same at the robot's own coordinates and implicit_time; the last update() stays what it is.
  void accelerationThere(const SystemRobot& robot, const Eigen::Vector3d& gravity, Eigen::VectorXd& dv);
  void massMatrix(const SystemRobot& robot, Eigen::Ref<Eigen::MatrixXd> M);
  /// What respond() inverts: the mass matrix, and the damping over the implicit time.
  void respondingInertia(const SystemRobot& robot, Eigen::MatrixXd& M);
  /// Kinetic and potential energy [J], at the last update().
  double energy(const Eigen::Vector3d& gravity) const;

 private:
  void use(const dynamics::ArticulatedModel& model);
  void takeEffort(const SystemRobot& robot);
  Eigen::Vector3d centreOf(int link) const;
  void placeLink(SystemBody& body) const;
  void expandRow(int link, const Eigen::Vector3d& centre, const Vector6d& twist_row);

  const dynamics::ArticulatedModel* model_ = nullptr;
  std::unique_ptr<dynamics::ArticulatedWorkspace> workspace_, other_;  // other_: of constrain().
  double implicit_time_ = 0;                                           // Of the factor.
  std::vector<dynamics::NodeTwist> twists_;
  std::vector<Eigen::Vector3d> centres_;  // Of the links' mass, in the axes of their nodes.
  Eigen::VectorXd row_, q_, v_, effort_;
};

/// Scales the quaternions among the coordinates to unit length: the rotations stay the same up to rounding.
void normaliseQuaternions(const dynamics::ArticulatedModel& model, Eigen::VectorXd& q);

}  // namespace rigor::sim
