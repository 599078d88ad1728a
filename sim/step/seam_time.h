// SPDX-License-Identifier: MIT
#pragma once
#include "sim/step/step_context.h"

namespace rigor::sim {

/// When the first held contact slides off the face of a solid's part that it is on, at the velocities of the start, and
/// a contact band beyond [s]; infinity for none. A face's plane does not end at its rim: the step has to, for the next
/// part faces elsewhere. Rims that a contact is on already do not count.
double seamTime(const StepContext& context);

}  // namespace rigor::sim
