// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "dynamics/articulated_state.h"
#include "dynamics/articulated_workspace.h"

namespace rigor::dynamics {

// Loops (ArticulatedModel::loops) as constraints g(q) = 0 on the tree's coordinates, G = dg/dq: forward_dynamics.h
// answers for the closed mechanism, M^-1 replaced by P = M^-1 - M^-1 G' (G M^-1 G')^-1 G M^-1 and accelerations by the
// nearest ones (in the metric of M, Gauss's principle) with G v' + G' v = 0. Redundant rows, such as the third of a
// point in a planar linkage, are found by pivoting and carry nothing.

/// What is left open: of each loop three lengths [m] and, by its type, two or three angles [rad], world axes.
/// @pre calcPositions. O(loops)
void calcLoopGaps(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, Eigen::VectorXd& gaps);

/// The largest of calcLoopGaps(), lengths and angles alike; 0 without loops.
double largestLoopGap(const ArticulatedModel& model, const ArticulatedWorkspace& workspace);

/// Moves q by Newton's method to where all loops are closed: the nearest in the metric of M. Ends at rounding, or where
/// another round does not help. A factor serves for rounds that it makes ten times smaller (chord method). @returns
/// largestLoopGap() at the end [m, rad]. Leaves in the workspace what calcPositions does. @pre there are loops.
double closePositions(const ArticulatedModel& model, ArticulatedWorkspace& workspace, Eigen::VectorXd& q);

/// closePositions(), and moves v by projection to where loops stay closed, which takes kinetic energy at most. Leaves
/// in the workspace what calcPositions and factorInertia do. Nothing without loops.
double closeLoops(const ArticulatedModel& model, ArticulatedWorkspace& workspace, ArticulatedState& state);

/// An orthonormal basis of the velocities that keep all loops closed, nv columns at most. @pre factorInertia.
Eigen::MatrixXd closedVelocities(const ArticulatedModel& model, const ArticulatedWorkspace& workspace);

/// Of each velocity whether loops let it be nothing but zero, as those of a triangle on hinges. @pre factorInertia.
std::vector<char> lockedVelocities(const ArticulatedModel& model, const ArticulatedWorkspace& workspace);

/// Adds G' v, the rate of G along the motion, to `rows`. @pre factorInertia, calcVelocities for v. O(loops depth)
void addLoopBias(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, Eigen::VectorXd& rows);

// For forward_dynamics.cc.

/// Factors G M^-1 G'. @pre the tree is factored, calcPositions.
void factorLoops(const ArticulatedModel& model, ArticulatedWorkspace& workspace);
/// x = P M x for x = M^-1 b. @pre factorLoops.
void closeVelocity(ArticulatedWorkspace& workspace, Eigen::Ref<Eigen::VectorXd> x);
/// Of the accelerations of the open tree those of the closed one. @pre factorLoops, calcVelocities for v.
void closeAcceleration(const ArticulatedModel& model, ArticulatedWorkspace& workspace, Eigen::VectorXd& dv);

}  // namespace rigor::dynamics
