// SPDX-License-Identifier: MIT
#include "sim/step/flight_integrator.h"

#include <algorithm>
#include <utility>

namespace rigor::sim {

namespace {

constexpr double kCaution = 100;  // Errors count so many times: it costs few steps at this order, and flights are long.
constexpr int kColumns = 4;       // Of the extrapolation: order 8 from 2, 4, 6 and 8 midpoint steps.

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
    // table_[c] holds T(row - 1, c) and becomes T(row, c); robot.state carries T(row, c) from column to column.
    for (int column = 0; column <= row; ++column) {
      Rate& above = table_[column];
      if (column == row) {
        above.q = robot.state.q, above.v = robot.state.v;
        break;
      }
      const double ratio = static_cast<double>(row + 1) / (row - column), weight = 1 / (ratio * ratio - 1);
      rate_.q = weight * (robot.state.q - above.q), rate_.v = weight * (robot.state.v - above.v);
      above.q = robot.state.q, above.v = robot.state.v;
      robot.state.q += rate_.q, robot.state.v += rate_.v;
      if (row + 1 == kColumns) difference_ = rate_.v;
    }
  }
}

void FlightIntegrator::estimateError(double h, Trial& trial) {
  trial.error = 0;
  const std::span<const Vector6d> off = x_.contacts.system().linkVelocities(trial.ends, trial.ends.robots[0], difference_);
  for (size_t i = 0; i < x_.start.size(); ++i) {
    trial.error = std::max(trial.error, kCaution * x_.speed(off[i]));
    limitTurn(h * std::max(x_.start[i].state.w.norm(), trial.ends[i].state.w.norm()), x_.scales.velocity_tolerance, trial);
  }
}

Integrated FlightIntegrator::integrate(double h, Trial& trial) {
  stage_ = x_.start;
  table_.resize(kColumns + 1);
  Rate& first = table_[kColumns];
  evaluate(first);
  x_.start.robots[0].acceleration = first.v;
  extrapolate(h, first);
  normaliseQuaternions(*stage_.robots[0].model, stage_.robots[0].state.q);
  evaluate(rate_);
  trial.ends = stage_;
  trial.a0.assign(x_.start.size(), Vector6d::Zero());  // Of links nobody asks.
  trial.a1 = trial.a0;
  x_.contacts.system().writeLinks(trial.ends);
  estimateError(h, trial);
  placement_.limitEnergy(trial);
  return Integrated::kDone;
}

}  // namespace rigor::sim
