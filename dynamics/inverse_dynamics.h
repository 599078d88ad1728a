// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "dynamics/articulated_model.h"
#include "dynamics/articulated_workspace.h"

namespace rigor::dynamics {

/// Generalized forces that give the accelerations dv = v' at the workspace's q and v, by the recursive Newton-Euler
/// algorithm:  tau = M v' + h,  where h holds Coriolis and centrifugal forces, gravity [m/s^2] and joint damping
/// (not limits and contacts).  [Featherstone08, Table 5.1, in world axes about the nodes' origins]
/// @pre calcKinematics for q and this v. O(nodes), no allocation; `tau` has nv entries and may be `dv`.
void calcInverseDynamics(const ArticulatedModel& model, ArticulatedWorkspace& workspace, const Eigen::VectorXd& v,
                         const Eigen::VectorXd& dv, const Eigen::Vector3d& gravity, Eigen::VectorXd& tau);

/// h: the forces of calcInverseDynamics for v' = 0. For a free rigid body: (-m g, w x I w).
void calcBiasForces(const ArticulatedModel& model, ArticulatedWorkspace& workspace, const Eigen::VectorXd& v,
                    const Eigen::Vector3d& gravity, Eigen::VectorXd& h);

}  // namespace rigor::dynamics
