// SPDX-License-Identifier: MIT
#include "sim/step/flight_integrator.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dynamics/joint_curve.h"
#include "sim/step/flight_invariants.h"

namespace rigor::sim {

namespace {

constexpr double kCaution = 100;  // Errors count so many times: it costs few steps at this order, and flights are long.
constexpr double kEnergyCaution = 10;   // What restores the energy is an error itself, not an estimate of it.
constexpr double kMostRestored = 0.5;   // Of the kinetic energy: near a standstill even a small error is much of it.
constexpr double kEarlierCaution = 1;   // The difference one row before, which is not small by chance at the same step.
constexpr int kColumns = 4;             // Of the extrapolation: order 8 from 2, 4, 6 and 8 midpoint steps,
constexpr int kStiffColumns = 6;        // order 6 from 1 to 6 implicit ones
constexpr int kStopSamples = 8;         // Of the joints' curve, where one that stops within a step is looked for.
constexpr double kStopOnCurve = 1e-12;  // Of the step, to which its time is told on the curve,
constexpr double kFlightStopShare = 1e-9;  // and to which the step then ends there,
constexpr int kStopTries = 6;              // integrated anew so many times at most.
// Of what the acceleration at the start, or the forces in the middle of the curve, make of a velocity: dampers miss
// that on a curve which does not know of it.
constexpr double kTransientShare = 0.25;
/// The most that a curve of order 5 is off in velocity, of what its acceleration misses in the middle times the step;
constexpr double kCurveShare = 0.143;
/// which counts so many times: over all parts of a flight it adds up, as impulses along the axes of the joints.
constexpr double kCurveCaution = 30;
constexpr double kBesideCoordinates = 1e-3;  // Of velocity_tolerance: what a cut leaves, and no rounding.
constexpr double kStiffFlightDecay = 1;    // where damping takes e^-1 of a velocity in a step.

}  // namespace

void FlightIntegrator::evaluate(Rate& rate) {
  const SystemRobot& robot = stage_.robots[0];
  x_.contacts.system().accelerateRobots(stage_, x_.scene.gravity);
  rate.q.resize(robot.model->numPositions());
  dynamics::calcConfigurationRate(*robot.model, robot.state.q, robot.state.v, rate.q);
  rate.v = robot.acceleration;
}

/// The end of the step into the stage's robot; the difference of its velocity to the order below.
void FlightIntegrator::extrapolate(double h, const Rate& first) {
  const dynamics::ArticulatedState& from = x_.start.robots[0].state;
  SystemRobot& robot = stage_.robots[0];
  difference_.setZero(robot.model->numVelocities());
  for (int row = 0; row < kColumns; ++row) {
    const int steps = 2 * (row + 1);
    const double small = h / steps;
    before_ = from;
    robot.state.q = from.q + small * first.q, robot.state.v = from.v + small * first.v;
    for (int k = 1; k < steps; ++k) {
      evaluate(rate_);
      before_.q += 2 * small * rate_.q, before_.v += 2 * small * rate_.v;
      std::swap(before_, robot.state);
    }
    addRow(row, true, kColumns - row);
  }
}

/// The stage's robot holds T(row, 0) and comes to hold T(row, row); table_[c] T(row - 1, c), and then T(row, c).
/// `even`: the rule's error has even powers of the step alone. `left`: rows from this one to the last, whose last two
/// columns difference_ tells apart; earlier_ is the same of the row before.
void FlightIntegrator::addRow(int row, bool even, int left) {
  SystemRobot& robot = stage_.robots[0];
  for (int column = 0; column <= row; ++column) {
    Rate& above = table_[column];
    if (column == row) {
      above.q = robot.state.q, above.v = robot.state.v;
      break;
    }
    const double ratio = static_cast<double>(row + 1) / (row - column),
                 weight = 1 / ((even ? ratio * ratio : ratio) - 1);
    rate_.q = weight * (robot.state.q - above.q), rate_.v = weight * (robot.state.v - above.v);
    above.q = robot.state.q, above.v = robot.state.v;
    robot.state.q += rate_.q, robot.state.v += rate_.v;
    if (left == 1) difference_ = rate_.v;
    if (left == 2) earlier_ = rate_.v;
  }
}

/// v1 = v0 + h (M + h D)^-1 (tau - h(q0, v0)), q1 = q0 + h q'(q0, v1), `steps` times from the start of the step.
void FlightIntegrator::moveImplicitly(int steps, double small) {
  SystemRobot& robot = stage_.robots[0];
  robot.state = x_.start.robots[0].state;
  robot.implicit_time = small;
  for (int k = 0; k < steps; ++k) {
    evaluate(rate_);
    robot.state.v += small * rate_.v;
    dynamics::calcConfigurationRate(*robot.model, robot.state.q, robot.state.v, rate_.q);
    robot.state.q += small * rate_.q;
  }
  robot.implicit_time = 0;
}

void FlightIntegrator::extrapolateStiff(double h) {
  difference_.setZero(stage_.robots[0].model->numVelocities());
  for (int row = 0; row < kStiffColumns; ++row) {
    moveImplicitly(row + 1, h / (row + 1));
    addRow(row, false, kStiffColumns - row);
  }
}

void FlightIntegrator::estimateError(double h, Trial& trial) {
  trial.error = kEarlierCaution * fastestLink(trial, earlier_);
  const std::span<const Vector6d> off =
      x_.contacts.system().linkVelocities(trial.ends, trial.ends.robots[0], difference_);
  for (size_t i = 0; i < x_.start.size(); ++i) {
    trial.error = std::max(trial.error, kCaution * x_.speed(off[i]));
    limitTurn(h * std::max(x_.start[i].state.w.norm(), trial.ends[i].state.w.norm()), x_.scales.velocity_tolerance,
              trial);
  }
}

/// Adds the forces of the brakes, of which each slides as it did at the start, to the actuators'.
void FlightIntegrator::brake(SystemRobot& robot) const {
  if (robot.brakes.empty()) return;
  const Eigen::VectorXd& v = x_.start.robots[0].state.v;
  if (robot.effort.size() == 0) robot.effort.setZero(v.size());
  for (const RobotBrake& brake : robot.brakes)
    robot.effort[brake.dof] -= std::copysign(brake.length * brake.hold, v[brake.dof]);
}

/// Share of the trial at which the first joint that a brake slides on stops, on the joints' curve; 1: none.
double FlightIntegrator::firstStop(const Trial& trial) {
  const SystemRobot &start = x_.start.robots[0], &end = trial.ends.robots[0];
  if (start.brakes.empty()) return 1;
  between_ = start.state;
  const auto turned = [&](const dynamics::ArticulatedState& state) {
    return std::any_of(start.brakes.begin(), start.brakes.end(), [&](const RobotBrake& brake) {
      return state.v[brake.dof] * std::copysign(1.0, start.state.v[brake.dof]) < 0;
    });
  };
  const auto turnedAt = [&](double u) {
    rate_.v.resize(end.acceleration.size());
    dynamics::interpolateJoints(*start.model, {start.state, start.acceleration}, {end.state, end.acceleration}, trial.h,
                                u, between_, rate_.v);
    return turned(between_);
  };
  double low = 0, high = 1;
  for (int k = 1; k < kStopSamples && high == 1; ++k) {
    const double u = static_cast<double>(k) / kStopSamples;
    (turnedAt(u) ? high : low) = u;
  }
  if (high == 1 && !turned(end.state)) return 1;
  while (high - low > kStopOnCurve) {
    const double u = 0.5 * (low + high);
    (turnedAt(u) ? high : low) = u;
  }
  return high;
}

Integrated FlightIntegrator::integrate(double h, Trial& trial) {
  trial.h = h;
  for (int tries = 0; tries < kStopTries; ++tries) {
    integrateOnce(trial);
    if (!(trial.error <= x_.scales.velocity_tolerance)) break;  // Says nothing of where a joint stops.
    const double stop = firstStop(trial);
    if (stop > 1 - kFlightStopShare) break;
    trial.h *= stop;
  }
  return Integrated::kDone;
}

/// Where a piece was cut its links have the velocities of its curve, and the coordinates those of the motion: what
/// the one has more of momentum than the other is no error of the flight. @pre The stage was evaluated at the start.
void FlightIntegrator::startFromCoordinates() {
  x_.contacts.system().writeLinks(stage_);
  const double most = kBesideCoordinates * x_.scales.velocity_tolerance;
  for (size_t i = 0; i < x_.start.size(); ++i) {
    const Vector6d velocity = stage_[i].state.velocity();
    if (x_.speed(velocity - x_.start[i].state.velocity()) > most) x_.start[i].state.setVelocity(velocity);
  }
}

/// Into beside_: what the forces in the middle of the joints' curve between the ends would add to the velocities over
/// the step, beyond what the curve has there.
void FlightIntegrator::missOnCurve(const Rate& first, const Trial& trial) {
  const SystemRobot &start = x_.start.robots[0], &end = trial.ends.robots[0];
  rate_.v.resize(first.v.size());
  dynamics::interpolateJoints(*start.model, {start.state, first.v}, {end.state, end.acceleration}, trial.h, 0.5,
                              stage_.robots[0].state, rate_.v);
  beside_ = rate_.v;
  evaluate(rate_);
  beside_ = trial.h * (rate_.v - beside_);
}

/// What the joints' curve between the ends misses of the dampers, into trial.transient.
void FlightIntegrator::joinEnds(const Rate& first, Trial& trial) {
  SystemRobot &start = x_.start.robots[0], &end = trial.ends.robots[0];
  missOnCurve(first, trial);
  trial.transient = kTransientShare * fastestLink(trial, beside_);
  if (trial.transient <= x_.scales.velocity_tolerance) return;
  // A transient that is over within the step says nothing of how the velocities change over it.
  start.acceleration = end.acceleration = (end.state.v - start.state.v) / trial.h;
  beside_ = trial.h * (first.v - start.acceleration);
  trial.transient = kTransientShare * fastestLink(trial, beside_);
}

/// The speed of the fastest link where the joints move at v, at the end of the trial [m/s].
double FlightIntegrator::fastestLink(const Trial& trial, const Eigen::VectorXd& v) {
  double fastest = 0;
  for (const Vector6d& velocity : x_.contacts.system().linkVelocities(trial.ends, trial.ends.robots[0], v))
    if (const double speed = x_.speed(velocity); !(speed <= fastest)) fastest = speed;  // NaN stays.
  return fastest;
}

void FlightIntegrator::integrateOnce(Trial& trial) {
  const double h = trial.h;
  stage_ = x_.start;
  brake(stage_.robots[0]);
  table_.resize(kStiffColumns + 1);
  Rate& first = table_[kStiffColumns];
  evaluate(first);
  startFromCoordinates();
  x_.start.robots[0].acceleration = first.v;
  const bool stiff = h * x_.contacts.system().fastestDecay(stage_) > kStiffFlightDecay;
  if (stiff) extrapolateStiff(h);
  else extrapolate(h, first);
  x_.contacts.system().constrainRobot(stage_.robots[0]);
  evaluate(rate_);
  trial.ends = stage_;
  trial.transient = 0;
  double on_curve = 0;
  if (stiff) {
    joinEnds(first, trial);
  } else {
    missOnCurve(first, trial);
    on_curve = kCurveCaution * kCurveShare * fastestLink(trial, beside_);
  }
  trial.ends.robots[0].effort = x_.start.robots[0].effort;
  trial.a0.assign(x_.start.size(), Vector6d::Zero());  // Of links nobody asks.
  trial.a1 = trial.a0;
  x_.contacts.system().writeLinks(trial.ends);
  estimateError(h, trial);
  trial.error = std::max({trial.error, on_curve, keepMomentum(x_, trial)});
  trial.error = std::max(trial.error, kEnergyCaution * keepEnergy(x_, trial, x_.energy(x_.start), kMostRestored));
  placement_.limitEnergy(trial);
}

}  // namespace rigor::sim
