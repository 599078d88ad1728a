// SPDX-License-Identifier: MIT
#pragma once
#include "sim/step/step_context.h"

namespace rigor::sim {

/// Adds the motion of a rigid body to the velocities of a robot that floats, at the end of its flight: so its momentum
/// and angular momentum are those of its start and of gravity, where nobody pushes it. @returns what that takes from or
/// gives to the fastest link [m/s].
double keepMomentum(StepContext& context, Trial& trial);

/// Scales the velocities at the end of a robot's flight so that its mechanical energy there is `wanted` [J], where
/// nothing takes or gives any and less than `share` of the kinetic is missing. Gain and loss alike: an error that
/// always falls to one side adds up over a long motion. @returns what that takes from or gives to the fastest link
/// [m/s]; 0 where it is not done: nor is it where joints move so slowly that errors of the rest would drive them.
/// @post No other momentum than before.
double keepEnergy(StepContext& context, Trial& trial, double wanted, double share);

}  // namespace rigor::sim
