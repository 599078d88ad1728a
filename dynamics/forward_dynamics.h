// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>

#include "dynamics/articulated_model.h"
#include "dynamics/articulated_workspace.h"

namespace rigor::dynamics {

/// Factors M(q) without forming it: articulated inertias from the leaves inwards.  [Featherstone08, Table 7.1]
/// @pre calcPositions. O(nodes), no allocation. The other functions here read what it leaves in the workspace.
/// Where joints follow others (ArticulatedModel::isCoupled), M is formed and factored (coupled_factor.h): O(nodes^2 +
/// nv depth^2), solving O(nv depth). Where loops are to be closed (ArticulatedModel::loops), what follows from them
/// too: O(rows (nodes + rows^2)).
///
/// `implicit_time` > 0 factors M + implicit_time D instead, D the damping of the joints and their friction over their
/// speed [N m s or N s/m]; with an implicit time, @pre calcVelocities: with that, the acceleration of
/// calcForwardDynamics is (v1 - v0) / h of a step of h = implicit_time whose damping acts at v1, stable whatever the
/// damping.  [linearly implicit Euler: (M + h D) (v1 - v0) = h (tau - h(q, v0)), D v0 in h]
void factorInertia(const ArticulatedModel& model, ArticulatedWorkspace& workspace, double implicit_time = 0);

/// The largest of damping over inertia of the joints, those beyond each free: the rate at which the fastest decays, 0
/// without damping [1/s]. Of the last factorInertia(), which may be of a configuration before: an estimate. O(nodes)
/// `locked`: by velocity, whether loops hold it fast, so that nothing moves that could be damped; empty: none.
double fastestDecay(const ArticulatedModel& model, const ArticulatedWorkspace& workspace,
                    std::span<const char> locked = {});

/// v' = M^-1 (tau - h), h as in calcBiasForces, by the articulated-body algorithm. @pre calcKinematics for q and this
/// v, factorInertia. O(nodes), no allocation; `dv` may not be `tau`. With loops: those that keep them closed
/// (loop_constraints.h).
void calcForwardDynamics(const ArticulatedModel& model, ArticulatedWorkspace& workspace, const Eigen::VectorXd& v,
                         const Eigen::VectorXd& tau, const Eigen::Vector3d& gravity, Eigen::VectorXd& dv);

/// x = M^-1 b: the change of velocity that generalized impulses b make. Many columns are solved one by one; rows of
/// contact Jacobians are such b. With loops: of the closed mechanism. @pre factorInertia. O(nodes) a call, no
/// allocation; `x` may be `b`.
void solveMassMatrix(const ArticulatedModel& model, ArticulatedWorkspace& workspace,
                     const Eigen::Ref<const Eigen::VectorXd>& b, Eigen::Ref<Eigen::VectorXd> x);

/// The same of the columns of x, in place: the same bits, four columns at a time.
void solveMassMatrixColumns(const ArticulatedModel& model, ArticulatedWorkspace& workspace,
                            Eigen::Ref<Eigen::MatrixXd> x);

/// The same of the tree alone, its loops open.
void solveOpenMassMatrix(const ArticulatedModel& model, ArticulatedWorkspace& workspace,
                         const Eigen::Ref<const Eigen::VectorXd>& b, Eigen::Ref<Eigen::VectorXd> x);
void solveOpenMassMatrixColumns(const ArticulatedModel& model, ArticulatedWorkspace& workspace,
                                Eigen::Ref<Eigen::MatrixXd> x);

}  // namespace rigor::dynamics
