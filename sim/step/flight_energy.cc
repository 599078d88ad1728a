// SPDX-License-Identifier: MIT
#include "sim/step/flight_energy.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/step/locked_motion.h"

namespace rigor::sim {

double keepEnergy(StepContext& x, Trial& trial, double wanted, double share) {
  SystemRobot& end = trial.ends.robots[0];
  const bool damped = std::any_of(end.model->nodes().begin(), end.model->nodes().end(),
                                  [](const auto& node) { return node.damping > 0 || node.friction > 0; });
  const bool pushed =
      std::any_of(trial.ends.begin(), trial.ends.end(), [](const SystemBody& b) { return b.isPushed(); });
  if (damped || pushed || end.effort.size() > 0) return 0;
  const double found = x.energy(trial.ends);
  if (found == wanted) return 0;
  end.state.v *= 0.5;
  const double kinetic = 4.0 / 3 * (found - x.energy(trial.ends)), missing = wanted - found;  // Rotors' share included.
  end.state.v *= 2;  // Exact.
  // What floats keeps its momentum.
  const std::optional<LockedMotion> locked = lockedMotion(end, trial.ends.bodies);
  const double free = locked ? kinetic - locked->kinetic : kinetic;
  if (!(std::abs(missing) < share * free)) return 0;
  const double factor = std::sqrt(1 + missing / free);
  if (locked) locked->scaleOthers(factor, end, trial.ends.bodies);
  else end.state.v *= factor;
  x.contacts.system().writeLinks(trial.ends);
  double fastest = 0;
  for (const SystemBody& b : trial.ends) fastest = std::max(fastest, x.speed(b.state.velocity()));
  return std::abs(factor - 1) * fastest;
}

}  // namespace rigor::sim
