// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "dynamics/articulated_model.h"
#include "dynamics/articulated_workspace.h"

namespace rigor::dynamics {

/// Factors M(q) without forming it: articulated inertias from the leaves inwards.  [Featherstone08, Table 7.1]
/// @pre calcPositions. O(nodes), no allocation. The other functions here read what it leaves in the workspace.
void factorInertia(const ArticulatedModel& model, ArticulatedWorkspace& workspace);

/// v' = M^-1 (tau - h), h as in calcBiasForces, by the articulated-body algorithm. @pre calcKinematics for q and this
/// v, factorInertia. O(nodes), no allocation; `dv` may not be `tau`.
void calcForwardDynamics(const ArticulatedModel& model, ArticulatedWorkspace& workspace, const Eigen::VectorXd& v,
                         const Eigen::VectorXd& tau, const Eigen::Vector3d& gravity, Eigen::VectorXd& dv);

/// x = M^-1 b: the change of velocity that generalized impulses b make. Many columns are solved one by one; rows of
/// contact Jacobians are such b. @pre factorInertia. O(nodes) a call, no allocation; `x` may be `b`.
void solveMassMatrix(const ArticulatedModel& model, ArticulatedWorkspace& workspace,
                     const Eigen::Ref<const Eigen::VectorXd>& b, Eigen::Ref<Eigen::VectorXd> x);

}  // namespace rigor::dynamics
