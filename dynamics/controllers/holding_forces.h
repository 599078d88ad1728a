// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/articulated_workspace.h"

namespace rigor::dynamics {

/// The joint forces that keep a configuration at rest against gravity [m/s^2] and the joints' springs, were a floating
/// base held: tau = h(q, 0), h as in calcBiasForces. Writes all nv entries. No allocation. O(nodes)
void calcHoldingForces(const ArticulatedModel& model, const Eigen::VectorXd& q, const Eigen::Vector3d& gravity,
                       ArticulatedWorkspace& workspace, Eigen::VectorXd& tau);

}  // namespace rigor::dynamics
