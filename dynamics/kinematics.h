// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>

#include "dynamics/articulated_state.h"
#include "dynamics/articulated_workspace.h"
#include "dynamics/rigid_body.h"

namespace rigor::dynamics {

// First of all: the recursions, from the world outwards, O(nodes) each and without allocation. They must be called in
// this order after every change of q, v or v'; the functions below read what they left in the workspace.

/// Poses of all nodes at q. An angle theta turns by the quaternion (cos theta/2, sin theta/2 axis), so link
/// orientations depend smoothly on q, also over full turns.
void calcPositions(const ArticulatedModel& model, const Eigen::VectorXd& q, ArticulatedWorkspace& workspace);

/// Velocities of all nodes, and the velocity-dependent terms of the dynamics. @pre calcPositions.
void calcVelocities(const ArticulatedModel& model, const Eigen::VectorXd& v, ArticulatedWorkspace& workspace);

/// Of a node's origin and its axes: velocity [m/s] and angular velocity [1/s].
struct NodeTwist {
  Eigen::Vector3d v{0, 0, 0}, w{0, 0, 0};
};
/// Velocities of all nodes for generalized velocities v other than the workspace's; `twists` has a place for each node,
/// the world first. @pre calcPositions.
void calcTwists(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, const Eigen::VectorXd& v,
                std::span<NodeTwist> twists);

/// Accelerations of all nodes for the generalized accelerations dv = v'. @pre calcVelocities.
void calcAccelerations(const ArticulatedModel& model, const Eigen::VectorXd& dv, ArticulatedWorkspace& workspace);

/// calcPositions and calcVelocities.
void calcKinematics(const ArticulatedModel& model, const ArticulatedState& state, ArticulatedWorkspace& workspace);

/// Pose of a link's frame; its quaternion has the length of the one that its tree's root has. O(1)
geom::Pose linkPose(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, int link);
/// A link's centre of mass in the axes of its node, from the node's origin [m]. O(1)
Eigen::Vector3d centreInNode(const ArticulatedModel& model, int link);
/// A link's centre of mass [m]. O(1)
Eigen::Vector3d linkCentre(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, int link);
/// (v of the link's point that is now at `point_W`, w), world axes; at linkCentre() it is the velocity of a RigidBody.
Vector6d linkVelocity(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, int link,
                      const Eigen::Vector3d& point_W);
/// (a of the link's point that is now at `point_W`, w'), world axes. @pre calcAccelerations.
Vector6d linkAcceleration(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, int link,
                          const Eigen::Vector3d& point_W);
/// The part of linkAcceleration() that is J' v: what remains at v' = 0. O(depth). @pre calcVelocities.
Vector6d linkBiasAcceleration(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, int link,
                              const Eigen::Vector3d& point_W);

/// Adds J' (force, torque) of a force on the link's point [N] and a torque [N m], world axes, to the generalized
/// forces; linkVelocity() = J v there. O(depth). @pre calcPositions.
void addLinkForce(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, int link,
                  const Eigen::Vector3d& point_W, const Vector6d& wrench_W, Eigen::VectorXd& tau);

/// Kinetic energy [J]: of the links and of the rotors (armature). @pre calcKinematics for the v given.
double kineticEnergy(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, const Eigen::VectorXd& v);
/// Of the rotors alone [J], at joint velocities v. O(nodes).
double rotorEnergy(const ArticulatedModel& model, const Eigen::VectorXd& v);
/// Potential energy in uniform gravity, zero at the world's origin, and of the joints' springs [J]. @pre calcPositions.
double potentialEnergy(const ArticulatedModel& model, const ArticulatedWorkspace& workspace,
                       const Eigen::Vector3d& gravity);

}  // namespace rigor::dynamics
