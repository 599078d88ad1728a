// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "dynamics/articulated_state.h"

namespace rigor::dynamics {

/// Joints that loops hold though G v = 0 lets them turn: a straight chain between two points, whose second order has
/// no room. Forces lambda on the loops with G' lambda = 0 (a self-stress) take part in the acceleration of no joint, so
/// every motion has lambda . (dG/dt) v = 0. Where that form has one sign on the velocities G v = 0, those on which it
/// is not zero are none of any motion: the mechanism is rigid to second order there, and stays so.
/// [Connelly and Whiteley, Second-order rigidity and prestress stability, 1996]
/// @returns the joints that no other velocity turns. @pre all loops are closed at q. O(nv^2 nodes)
std::vector<int> jointsHeldBySecondOrder(const ArticulatedModel& model, const Eigen::VectorXd& q);

/// A loop that holds a joint where it is at q, by its row of first order.
LoopDescription weldOf(const ArticulatedModel& model, const Eigen::VectorXd& q, int joint);

/// The model with further loops. @throws ModelError
ArticulatedModel withLoops(const ArticulatedModel& model, std::span<const LoopDescription> more);

}  // namespace rigor::dynamics
