// SPDX-License-Identifier: MIT
#pragma once
#include "sim/step/flight_integrator.h"
#include "sim/step/velocity_level.h"

namespace rigor::sim {

/// Trial steps: free flight in closed form, Runge-Kutta in contact, the velocity-level step where slow slip is stiff or
/// forces are inconsistent, and flights of robots.
class Integrator {
 public:
  Integrator(StepContext& context, EndPlacement& ends)
      : x_(context),
        runge_kutta_(context, ends),
        velocity_level_(context, ends, runge_kutta_),
        flight_(context, ends) {}

  /// A step starts, from what is decided. `was_velocity_level`: the last one was, of a single body. `ends_at_releases`:
  /// where a contact lets go. `stops_in_turn`: those before ended at once where slips stop, one after the other.
  void begin(bool was_velocity_level, bool ends_at_releases, bool stops_in_turn);
  /// A trial of length h of the step.
  [[nodiscard]] Integrated integrate(double h, Trial& trial);
  /// Length beyond which the damping of joints in contact acts at the end of the step; infinite for none [s].
  double stiffLength() const;

 private:
  Integrated integrateFree(double h, Trial& trial);
  Integrated atVelocityLevel(double h, Trial& trial, bool jumps = false);
  void noteLostSpeed(Trial& trial) const;
  void noteGain(Trial& trial);
  bool nearlyJams(double h) const;
  Integrated integrateContact(double h, Trial& trial);

  StepContext& x_;
  RungeKutta runge_kutta_;
  VelocityLevel velocity_level_;
  FlightIntegrator flight_;
  bool was_velocity_level_ = false, stops_in_turn_ = false;
  double decay_ = 0;  // The fastest by the damping of joints, at the start of the step [1/s].
};

}  // namespace rigor::sim
