// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <vector>

#include "sim/step/step_impulses.h"
#include "sim/system_state.h"

namespace rigor::sim {

/// Of the tolerance: what g may change in steps whose contacts make velocities jump.
constexpr double kJumpShare = 0.1;
/// Of the velocity tolerance: the error of a step that asks for half its length.
constexpr double kHalvingError = 16;

/// What an integration of the step came to.
struct Trial {
  double h = 0;
  SystemState ends;
  std::vector<Vector6d> a0, a1;  // Accelerations at the two ends; none: free flight, in closed form,
  bool as_shown = false;         // from the published state, not from the flight that it is beside.
  double error = 0;              // [m/s]
  bool velocity_level = false;   // One was tried.
  double scaled = 0;             // Of a velocity at its end, by the limit of its energy [m/s]: counts as error.
  double rebalanced = 0;         // By how much what is recorded as acting changes its end's velocities [m/s].
  double transient = 0;          // What dampers miss of a flight in the middle of its curve [m/s].
  bool gains_energy = false;     // Too much for the velocities to be scaled: not to be used.
  bool settled = true;           // Its end is on the constraints.
  bool placed = false;           // The contact equations are at its end, where that is not.
  double stop = 1;               // Share of it at which a slip comes to a stop; 1: none does,
  int stop_contact = -1;         // that of this contact.
  double release = 1;            // Share of it to try anew, as a contact lets go within it; 1: none does.
  // What acted on the contacts over the whole trial as it was integrated (n, t1, t2) [N s], by contact and instant, and
  // the share of that which the trial still is.
  Acting acting = Acting::kNothing;
  std::vector<std::array<Eigen::Vector3d, 3>> forces;
  std::vector<std::array<Vector6d, 3>> changes;  // The same of the velocities, by body: accelerations at the instants.
  double share = 1;
  StepImpulses acted;            // The same of its end on the constraints, as it is recorded; times as shares of it.

  bool isFree() const { return a0.empty(); }
};

}  // namespace rigor::sim
