// SPDX-License-Identifier: MIT
#pragma once
// What tests of robots ask for beside what the program does: Jacobians and momentum.
#include "dynamics/kinematics.h"

namespace rigor::dynamics::oracle {

/// J of linkVelocity() = J v, 6 x nv, row by row as what a unit wrench on the point does to the joints.
inline Eigen::MatrixXd linkJacobian(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, int link,
                                    const Eigen::Vector3d& point_W) {
  Eigen::MatrixXd J(6, model.numVelocities());
  for (int k = 0; k < 6; ++k) {
    Eigen::VectorXd row = Eigen::VectorXd::Zero(model.numVelocities());
    addLinkForce(model, workspace, link, point_W, Vector6d::Unit(k), row);
    J.row(k) = row.transpose();
  }
  return J;
}

/// (Linear momentum [N s], angular momentum about the origin [N m s]) of the links. @pre calcKinematics.
inline Vector6d momentum(const ArticulatedWorkspace& workspace) {
  Vector6d total = Vector6d::Zero();
  for (size_t n = 1; n < workspace.nodes.size(); ++n) {
    const ArticulatedWorkspace::NodeData& data = workspace.nodes[n];
    const Eigen::Vector3d linear = data.body.mass * data.v + data.w.cross(data.body.moment);
    total.head<3>() += linear;
    total.tail<3>() += data.body.inertia * data.w + data.body.moment.cross(data.v) + data.p.cross(linear);
  }
  return total;
}

}  // namespace rigor::dynamics::oracle
