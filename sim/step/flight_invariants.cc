// SPDX-License-Identifier: MIT
#include "sim/step/flight_invariants.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/step/locked_motion.h"

namespace rigor::sim {

namespace {

constexpr double kEnergyTells = 1e-8;  // Of the energy: of less the integration knows more than what the whole misses.

}  // namespace

double keepMomentum(StepContext& x, Trial& trial) {
  SystemRobot& end = trial.ends.robots[0];
  if (trial.ends.isPushed()) return 0;
  const std::optional<LockedMotion> from = lockedMotion(x.start.robots[0], x.start.bodies),
                                    to = lockedMotion(end, trial.ends.bodies);
  if (!from || !to) return 0;
  const Eigen::Vector3d dv = from->v + trial.h * x.scene.gravity - to->v,
                        dw = to->inertia.inverse() * (from->spin - to->spin);
  to->add(dv, dw, end, trial.ends.bodies);
  double most = 0;
  for (const SystemBody& b : trial.ends)
    most = std::max(most, (dv + dw.cross(b.state.pose.p - to->centre)).norm() + x.scales.length * dw.norm());
  return most;
}

double keepEnergy(StepContext& x, Trial& trial, double wanted, double share) {
  SystemRobot& end = trial.ends.robots[0];
  const bool damped = std::any_of(end.model->nodes().begin(), end.model->nodes().end(),
                                  [](const auto& node) { return node.damping > 0 || node.friction > 0; });
  if (damped || trial.ends.isPushed() || end.effort.size() > 0) return 0;
  const double found = x.energy(trial.ends);
  if (found == wanted) return 0;
  end.state.v *= 0.5;
  const double kinetic = 4.0 / 3 * (found - x.energy(trial.ends)), missing = wanted - found;  // Rotors' share included.
  end.state.v *= 2;  // Exact.
  // What floats keeps its momentum.
  const std::optional<LockedMotion> locked = lockedMotion(end, trial.ends.bodies);
  const double free = locked ? kinetic - locked->kinetic : kinetic;
  const double potential = found - kinetic;
  if (free < kEnergyTells * (kinetic + std::abs(potential)) || !(std::abs(missing) < share * free)) return 0;
  const double factor = std::sqrt(1 + missing / free);
  if (locked) locked->scaleOthers(factor, end, trial.ends.bodies);
  else end.state.v *= factor;
  x.contacts.system().writeLinks(trial.ends);
  double fastest = 0;  // Of what was scaled: against the locked motion it may be next to nothing.
  for (const SystemBody& b : trial.ends) {
    Vector6d scaled = b.state.velocity();
    if (locked) scaled -= locked->velocityAt(b.state.pose.p);
    fastest = std::max(fastest, x.speed(scaled));
  }
  return std::abs(1 - 1 / factor) * fastest;
}

}  // namespace rigor::sim
