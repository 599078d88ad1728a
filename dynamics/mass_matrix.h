// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "dynamics/articulated_model.h"
#include "dynamics/articulated_workspace.h"

namespace rigor::dynamics {

/// The mass matrix M(q), nv x nv, symmetric to the bit, armature included, by the composite-rigid-body algorithm:
/// kinetic energy = v.M v / 2.  [Featherstone08, Table 6.2, in world axes about the nodes' origins]
/// A free rigid body has diag(m 1, R I Rᵀ). @pre calcPositions. O(nodes depth + nv^2), no allocation.
void calcMassMatrix(const ArticulatedModel& model, ArticulatedWorkspace& workspace, Eigen::Ref<Eigen::MatrixXd> M);

}  // namespace rigor::dynamics
