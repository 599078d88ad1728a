// SPDX-License-Identifier: MIT
#pragma once
#include "sim/step/step_context.h"

namespace rigor::sim {

/// Whether friction of an impulse (n, t1, t2) [N s] is not Coulomb's where its contact, of free bodies, slips so [m/s],
/// as the proof sees it: what is across friction counts, or all of a slip that friction does not oppose as much as it
/// can, but for impulses that change no velocity by more than a step may be off by.
bool rubsElsewhere(const StepContext& context, const Contact& contact, const Eigen::Vector3d& impulse,
                   const Eigen::Vector2d& slip);

}  // namespace rigor::sim
