// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "dynamics/articulated_model.h"
#include "dynamics/articulated_workspace.h"

namespace rigor::dynamics {

/// The mass matrix of a model whose joints follow others (ArticulatedModel::isCoupled): the recursions over a tree end
/// there. M = L^T L, from the last velocity to the first. Velocities of two branches push each other through what
/// carries both alone, so most entries of L are zero, as where nothing follows: these are left out.
/// [Featherstone08, 6.5]

/// Which entries of L are not, from the tree alone.
void layOutCoupled(const ArticulatedModel& model, ArticulatedWorkspace& workspace);

/// Forms and factors M, or M + implicit_time D (forward_dynamics.h). O(nodes^2 + nv depth^2)
void factorCoupled(const ArticulatedModel& model, ArticulatedWorkspace& workspace, double implicit_time);

/// Columns of x become those of M^-1 x: the same bits, however many there are. O(nv depth) each
void solveCoupled(ArticulatedWorkspace& workspace, Eigen::Ref<Eigen::MatrixXd> x);

}  // namespace rigor::dynamics
