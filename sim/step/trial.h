// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "sim/system_state.h"

namespace rigor::sim {

/// Of the tolerance: what g may change in steps whose contacts make velocities jump.
constexpr double kJumpShare = 0.1;

/// What an integration of the step came to.
struct Trial {
  double h = 0;
  SystemState ends;
  std::vector<Vector6d> a0, a1;  // Accelerations at the two ends; none: free flight, in closed form.
  double error = 0;              // [m/s]
  bool velocity_level = false;   // One was tried.
  bool gains_energy = false;     // Too much for the velocities to be scaled: not to be used.
  bool settled = true;           // Its end is on the constraints.
  bool placed = false;           // The contact equations are at its end, where that is not.
  double stop = 1;               // Share of it at which a slip comes to a stop; 1: none does,
  int stop_contact = -1;         // that of this contact.
};

}  // namespace rigor::sim
