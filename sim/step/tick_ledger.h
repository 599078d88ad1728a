// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "sim/step/step_context.h"

namespace rigor::sim {

/// What acts in a crowd's tick and rest, as it is recorded (docs/event-loop.md), and the velocities that follow from
/// it.
class TickLedger {
 public:
  explicit TickLedger(StepContext& context) : x_(context) {}

  /// Of a tick whose contacts have their forces and whose ends are in the trial: contacts that touch throughout act to
  /// halves at both ends of it, those that close on the way at the end. Velocities at the end become what the balances
  /// of momentum give, to rounding; those of robots stay what their equations gave.
  /// @post trial.acted, its times shares of the tick.
  void balance(Trial& trial);
  /// Whether friction opposes the slip with which the tick ends, to within what the lighter body's momentum at V makes
  /// of it. @pre balance()
  bool opposesSlip(Trial& trial);
  /// Of a rest until t1: forces of the held contacts, placed at the start.
  void rest(double t1, StepImpulses& acted) const;

 private:
  struct Acted {
    int contact;
    Eigen::Vector3d P, at_start, at_end;  // World; [N s] over the tick, [m].
    bool throughout;
  };
  void recordLimit(const Contact& contact, double P, ImpulseRecord& record) const;
  bool slipTurns(const Contact& contact, size_t c, const Eigen::Vector3d& P) const;

  StepContext& x_;
  std::vector<Acted> acting_;
  std::vector<BodyImpulse> sums_;  // By slot.
};

}  // namespace rigor::sim
