// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <stdexcept>

#include "sim/run/run.h"

namespace rigor::sim {

/// A run that is stopped after its next step goes on like any run that is stopped to be looked at.
Summary Run::stepOnce(Sink& sink, const std::atomic<bool>* interrupt) {
  stop_at_ = summary_.steps + 1;
  Summary summary;
  try {
    summary = advance(std::max(scene.until, handed_), sink, interrupt, {});
  } catch (...) {
    stop_at_ = 0;
    throw;
  }
  if (summary.status == RunStatus::kBudget && summary.steps == stop_at_) summary.status = RunStatus::kDone;
  stop_at_ = 0;
  return summary;
}

/// The motions end where they were handed over, and the run goes on from there: not from what it had beyond.
void Run::settleForGood() {
  if (uncut_.empty()) return;
  take(uncut_);
  Sink had_it_all;
  settle(handed_, true, had_it_all);
  uncut_.clear(), ends_.clear();
}

void Run::setVelocity(int index, const Eigen::Vector3d& velocity, const Eigen::Vector3d& angular_velocity, Sink& sink) {
  if (index < 0 || index >= static_cast<int>(bodies.size())) throw std::invalid_argument(fmt::format("there is no body {}", index));
  const auto refuse = [&](const char* why) {
    return std::invalid_argument(fmt::format("the velocity of '{}' cannot be set: {}", scene.bodies[index].name, why));
  };
  BodyRuntime& body = bodies[index];
  if (body.fixed) throw refuse("the body is fixed");
  if (body.robot >= 0) throw refuse("it is a link of a robot, and follows its joints");
  if (!velocity.allFinite() || !angular_velocity.allFinite()) throw refuse("a number is not finite");
  settleForGood();
  ImpactRecord record;
  record.time = handed_, record.model = "velocity-set", record.bodies = {index};
  record.before = {body.v_end};
  body.state.w = angular_velocity;
  body.state.v = velocity + angular_velocity.cross(body.state.pose.rotation() * body.centre);
  body.v_end = body.v_back = body.state.velocity();  // What is recorded next starts from here.
  record.after = {body.v_end};
  const Vector6d &u = record.before[0], &v = record.after[0];
  sink.event({handed_, "velocity-set", index, -1,
              fmt::format(R"({{"before":[{},{},{},{},{},{}],"after":[{},{},{},{},{},{}]}})", u[0], u[1], u[2], u[3], u[4], u[5], v[0], v[1],
                          v[2], v[3], v[4], v[5])});
  sink.impact(record);
  // Who resumes the record goes on from after it.
  sink.checkpoint(handed_, summary_.steps, snapshot());
}

}  // namespace rigor::sim
