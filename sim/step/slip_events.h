// SPDX-License-Identifier: MIT
#pragma once
#include "sim/step/step_context.h"

namespace rigor::sim {

/// Events of contacts that were held in the step before and are held still: "slip-start" where one begins to slip,
/// "slip-stop" where slip comes to rest. A step that slides ends where its slip stops, so this is the time of the stop;
/// a contact that begins to slip does so at most one step earlier. Detail: the contact's point, and its slip velocity
/// after (start) or before (stop) it [m/s]. Call at the start of a step, once the group's velocities are decided.
void noteSlips(StepContext& context, StepResult& result);

}  // namespace rigor::sim
