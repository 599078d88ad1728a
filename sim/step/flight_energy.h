// SPDX-License-Identifier: MIT
#pragma once
#include "sim/step/step_context.h"

namespace rigor::sim {

/// Scales the velocities at the end of a robot's flight so that its mechanical energy there is `wanted` [J], where
/// nothing takes or gives any and less than `share` of the kinetic is missing. Gain and loss alike: an error that
/// always falls to one side adds up over a long motion. @returns what that takes from or gives to the fastest link
/// [m/s]; 0 where it is not done.
double keepEnergy(StepContext& context, Trial& trial, double wanted, double share);

}  // namespace rigor::sim
