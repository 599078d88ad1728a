// SPDX-License-Identifier: MIT
#include "sim/step/flight_parts.h"

#include <algorithm>
#include <cmath>

#include "dynamics/joint_curve.h"
#include "sim/step/flight_invariants.h"

namespace rigor::sim {

namespace {

constexpr int kMaxPartTries = 40;        // Lengths tried for one part.
constexpr double kPartGrowth = 2;        // A part is at most this many times the one before.
constexpr double kCurveEnergyShare = 0.02;  // Of the kinetic energy: what the curve between two ends may be off.

}  // namespace

void FlightParts::start(Flight& flight) {
  flight.stop();
  if (!x_.isFlight()) return;
  Trial& trial = x_.trial;
  proposal_.publisher.hermitePieces(trial);
  if (proposal_.publisher.fitsJoints(trial)) return;
  const SystemRobot &from = x_.start.robots[0], &to = trial.ends.robots[0];
  flight.t0 = x_.t0;
  flight.t1 = trial.h == x_.t_end - x_.t0 ? x_.t_end : x_.t0 + trial.h;
  flight.part = x_.shrink * trial.h;
  flight.start = from.state, flight.start_acceleration = from.acceleration;
  flight.end = to.state, flight.end_acceleration = to.acceleration;
  flight.start_energy = x_.energy(x_.start), flight.end_energy = x_.energy(trial.ends);
}

/// Makes the trial that follows the flight for `length` from here on.
void FlightParts::take(const Flight& flight, double length) {
  Trial& trial = x_.trial;
  trial.h = length;
  trial.error = 0;
  trial.velocity_level = false;
  trial.acting = Acting::kNothing;
  trial.acted.clear();
  trial.a0.assign(x_.start.size(), Vector6d::Zero());
  trial.a1.assign(x_.start.size(), Vector6d::Zero());
  trial.ends = x_.start;
  SystemRobot& end = trial.ends.robots[0];
  if (length == flight.t1 - x_.t0) {
    end.state = flight.end, end.acceleration = flight.end_acceleration;
  } else {
    const double h = flight.t1 - flight.t0;
    dynamics::interpolateJoints(*end.model, {flight.start, flight.start_acceleration},
                                {flight.end, flight.end_acceleration}, h, (x_.t0 - flight.t0 + length) / h, end.state,
                                end.acceleration);
    // The curve between two closed states is not closed itself.
    if (!end.model->loops().empty()) x_.contacts.system().constrainRobot(end);
  }
  x_.contacts.system().writeLinks(trial.ends);
  (void)keepMomentum(x_, trial);  // The curve is not that of a motion.
  trial.gains_energy = false;
  if (end.effort.size() == 0) limitEnergy(flight, length);
}

/// The curve's own error must not let energy come and go; on the way it is between those of the flight's ends.
void FlightParts::limitEnergy(const Flight& flight, double length) {
  const double share = (x_.t0 - flight.t0 + length) / (flight.t1 - flight.t0);
  (void)keepEnergy(x_, x_.trial, flight.start_energy + share * (flight.end_energy - flight.start_energy),
                   kCurveEnergyShare);
  placement_.limitEnergy(x_.trial);
}

PartResult FlightParts::publish(Flight& flight, double reach, StepResult& result) {
  if (!x_.isFlight()) return PartResult::kNone;
  const double left = flight.t1 - x_.t0;
  double length = std::min(flight.part, left);
  if (length > 0.6 * left && length < left) length = 0.5 * left;  // No crumbs at the end.
  for (int tries = 0; tries < kMaxPartTries && length >= x_.scales.min_step; ++tries) {
    take(flight, length);
    if (x_.trial.gains_energy) return PartResult::kNone;
    const Proposed proposed = proposal_.propose(x_.trial, length, reach, false, result);
    if (proposed == Proposed::kShorter) {
      length = std::min(length, x_.trial.h) * x_.shrink;
      continue;
    }
    const bool event = proposed == Proposed::kProvedToEvent;
    if (event || length == left) flight.stop();
    else flight.part = std::min(kPartGrowth * length, proposal_.publisher.fittingLength(length));
    return event ? PartResult::kPublishedToEvent : PartResult::kPublished;
  }
  return PartResult::kNone;
}

}  // namespace rigor::sim
