// SPDX-License-Identifier: MIT
// A robot that touches nothing: steps of eighth order, published in parts where one cubic a link cannot follow its joints.
#include <algorithm>
#include <cmath>

#include "dynamics/joint_curve.h"
#include "elementary/elementary.h"
#include "sim/stepper.h"

namespace rigor::sim {

namespace {

constexpr int kMaxPartTries = 40;        // Lengths tried for one part.
constexpr double kFitMargin = 0.9;       // Of the length at which a part is expected to fit,
constexpr double kPartGrowth = 2;        // at most this many times the one before.
constexpr double kCurveEnergyShare = 1e-3;  // Of the kinetic energy: what the curve between two ends may be off.

constexpr double kCaution = 100;    // Errors count so many times: it costs few steps at this order, and flights are long.
constexpr int kColumns = 4;  // Of the extrapolation: order 8 from 2, 4, 6 and 8 midpoint steps.

}  // namespace

/// One robot alone that touches nothing.
bool Stepper::isFlight() const {
  return contacts_.empty() && start_.robots.size() == 1 && start_.robots[0].links.size() == start_.size();
}

/// Extrapolation of the explicit midpoint rule (Gragg 1965; Bulirsch and Stoer 1966): a flight is smooth, so a high order takes
/// steps as long as anything else allows. The error is the difference to the order below, six.
bool Stepper::integrateFlight(double h, Trial& trial) {
  const dynamics::ArticulatedState& from = start_.robots[0].state;
  stage_ = start_;
  SystemRobot& robot = stage_.robots[0];
  robot_rate_.resize(kColumns + 1);  // Rates at the start; then, by column, results of the last row.
  const auto evaluate = [&](RobotRate& rate) {
    system_.accelerateRobots(stage_, scene_.gravity);
    rate.q.resize(robot.model->numPositions());
    dynamics::calcConfigurationRate(*robot.model, robot.state.q, robot.state.v, rate.q);
    rate.v = robot.acceleration;
  };
  RobotRate& first = robot_rate_[kColumns];
  evaluate(first);
  start_.robots[0].acceleration = first.v;
  mean_velocity_.setZero(robot.model->numVelocities());
  for (int row = 0; row < kColumns; ++row) {
    const int steps = 2 * (row + 1);
    const double small = h / steps;
    flight_before_ = from;
    robot.state.q = from.q + small * first.q, robot.state.v = from.v + small * first.v;
    for (int k = 1; k < steps; ++k) {
      evaluate(flight_rate_);
      flight_before_.q += 2 * small * flight_rate_.q, flight_before_.v += 2 * small * flight_rate_.v;
      std::swap(flight_before_, robot.state);
    }
    // robot_rate_[c] holds T(row - 1, c) and becomes T(row, c); robot.state carries T(row, c) from column to column.
    for (int column = 0; column <= row; ++column) {
      RobotRate& above = robot_rate_[column];
      if (column == row) {
        above.q = robot.state.q, above.v = robot.state.v;
        break;
      }
      const double ratio = static_cast<double>(row + 1) / (row - column), weight = 1 / (ratio * ratio - 1);
      flight_rate_.q = weight * (robot.state.q - above.q), flight_rate_.v = weight * (robot.state.v - above.v);
      above.q = robot.state.q, above.v = robot.state.v;
      robot.state.q += flight_rate_.q, robot.state.v += flight_rate_.v;
      if (row + 1 == kColumns) mean_velocity_ = flight_rate_.v;
    }
  }
  normaliseQuaternions(*robot.model, robot.state.q);
  evaluate(flight_rate_);
  trial.ends = stage_;
  trial.a0.assign(start_.size(), Vector6d::Zero());  // Of links nobody asks.
  trial.a1 = trial.a0;
  system_.writeLinks(trial.ends);
  trial.error = 0;
  const std::span<const Vector6d> off = system_.linkVelocities(trial.ends, trial.ends.robots[0], mean_velocity_);
  for (size_t i = 0; i < start_.size(); ++i) {
    trial.error = std::max(trial.error, kCaution * (off[i].head<3>().norm() + scales_.length * off[i].tail<3>().norm()));
    limitTurn(h * std::max(start_[i].state.w.norm(), trial.ends[i].state.w.norm()), trial);
  }
  return limitEnergy(trial);
}

/// Makes the trial a flight if its links cannot follow their joints in one piece.
void Stepper::startFlight(Flight& flight) {
  flight.stop();
  if (!isFlight()) return;
  hermitePieces(trial_);
  if (fitsJoints(trial_)) return;
  const SystemRobot &from = start_.robots[0], &to = trial_.ends.robots[0];
  flight.t0 = t0_;
  flight.t1 = trial_.h == t_end_ - t0_ ? t_end_ : t0_ + trial_.h;
  flight.part = shrink_ * trial_.h;
  flight.start = from.state, flight.start_acceleration = from.acceleration;
  flight.end = to.state, flight.end_acceleration = to.acceleration;
  flight.start_energy = energy(start_), flight.end_energy = energy(trial_.ends);
}

/// The trial that follows the flight for `length` from here on.
void Stepper::takePart(const Flight& flight, double length) {
  trial_.h = length;
  trial_.error = 0;
  trial_.velocity_level = false;
  trial_.a0.assign(start_.size(), Vector6d::Zero());
  trial_.a1.assign(start_.size(), Vector6d::Zero());
  trial_.ends = start_;
  SystemRobot& end = trial_.ends.robots[0];
  if (length == flight.t1 - t0_) {
    end.state = flight.end, end.acceleration = flight.end_acceleration;
  } else {
    const double h = flight.t1 - flight.t0;
    dynamics::interpolateJoints(*end.model, {flight.start, flight.start_acceleration},
                                {flight.end, flight.end_acceleration}, h, (t0_ - flight.t0 + length) / h, end.state,
                                end.acceleration);
  }
  system_.writeLinks(trial_.ends);
  trial_.gains_energy = false;
  if (end.effort.size() > 0) return;
  // The curve's own error must not let energy come and go; on the way it is between those of the flight's ends.
  const double share = (t0_ - flight.t0 + length) / (flight.t1 - flight.t0);
  const double wanted = flight.start_energy + share * (flight.end_energy - flight.start_energy), found = energy(trial_.ends);
  const bool damped = std::any_of(end.model->nodes().begin(), end.model->nodes().end(), [](const auto& node) { return node.damping > 0; });
  double kinetic = 0;
  for (const SystemBody& b : trial_.ends) kinetic += dynamics::kineticEnergy(*b.model, b.state);
  if (!damped && std::abs(wanted - found) < kCurveEnergyShare * kinetic) {
    end.state.v *= std::sqrt(1 + (wanted - found) / kinetic);
    system_.writeLinks(trial_.ends);
  }
  limitEnergy(trial_);
}

/// Publishes and proves the next part of the flight, which ends with its last part or at an event. @returns false if there is none that
/// can be proved.
bool Stepper::publishPart(StepMemory& memory, double reach, bool& event_step, std::string& reason, StepResult& result) {
  Flight& flight = memory.flight;
  if (!isFlight()) return false;
  const double left = flight.t1 - t0_;
  double length = std::min(flight.part, left);
  if (length > 0.6 * left && length < left) length = 0.5 * left;  // No crumbs at the end.
  for (int tries = 0; tries < kMaxPartTries && length >= scales_.min_step; ++tries) {
    takePart(flight, length);
    event_step = false;
    if (trial_.gains_energy) return false;
    if (!publishToEvent(trial_, length, reach, event_step, reason, result)) {
      length = std::min(length, trial_.h) * shrink_;
      continue;
    }
    if (event_step || length == left) flight.stop();
    else flight.part = length * (fit_ > 0 ? std::min(kFitMargin * elementary::fourthRoot(scales_.joint_fit / fit_), kPartGrowth) : kPartGrowth);
    return true;
  }
  return false;
}

}  // namespace rigor::sim
