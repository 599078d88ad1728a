// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "impact/model_registry.h"
#include "sim/run/recorded_sink.h"
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

/// The motions end where they were handed over, cut there as they were when that was done, and the run goes on from
/// there: not from what it had beyond.
void Run::settleForGood() {
  if (uncut_.empty()) return;
  take(uncut_);
  Sink had_it_all;
  settle(handed_, Ending::kShown, record_ ? *record_ : had_it_all);
  uncut_.clear(), ends_.clear();
}

/// @throws std::invalid_argument for bodies that nobody can act on; `what` cannot be done then.
BodyRuntime& Run::freeBody(int index, const char* what) {
  if (index < 0 || index >= static_cast<int>(bodies.size()))
    throw std::invalid_argument(fmt::format("there is no body {}", index));
  BodyRuntime& body = bodies[index];
  const char* const why = body.fixed        ? "the body is fixed"
                          : body.robot >= 0 ? "it is a link of a robot, and follows its joints"
                                            : nullptr;
  if (why)
    throw std::invalid_argument(
        fmt::format("{} '{}': {}; allowed: moving bodies that are no links", what, scene.bodies[index].name, why));
  return body;
}

void Run::setVelocity(int index, const Eigen::Vector3d& velocity, const Eigen::Vector3d& angular_velocity,
                      Sink& shown) {
  BodyRuntime& body = freeBody(index, "a velocity cannot be set of");
  if (!velocity.allFinite() || !angular_velocity.allFinite())
    throw std::invalid_argument(
        fmt::format("the velocity of '{}' has a number that is not finite", scene.bodies[index].name));
  settleForGood();
  RecordedSink both(shown, record_ ? *record_ : shown);
  Sink& sink = record_ ? static_cast<Sink&>(both) : shown;
  ImpactRecord record;
  record.time = handed_, record.model = impact::kVelocitySet, record.bodies = {index};
  record.before = {body.v_end};
  body.state.w = angular_velocity;
  body.state.v = velocity + angular_velocity.cross(body.state.pose.rotation() * body.centre);
  body.v_end = body.v_back = body.state.velocity();  // What is recorded next starts from here.
  record.after = {body.v_end};
  const Vector6d &u = record.before[0], &v = record.after[0];
  sink.event({handed_, "velocity-set", index, -1,
              fmt::format(R"({{"before":[{},{},{},{},{},{}],"after":[{},{},{},{},{},{}]}})", u[0], u[1], u[2], u[3],
                          u[4], u[5], v[0], v[1], v[2], v[3], v[4], v[5])});
  sink.impact(record);
  // Who resumes the record goes on from after it.
  sink.checkpoint(handed_, summary_.steps, snapshot());
}

void Run::applyWrench(int index, const Vector6d& wrench, double until, Sink& shown) {
  BodyRuntime& body = freeBody(index, "nothing can be applied to");
  if (!wrench.allFinite() || std::isnan(until))
    throw std::invalid_argument(
        fmt::format("what is applied to '{}' has a number that is not finite", scene.bodies[index].name));
  settleForGood();
  RecordedSink both(shown, record_ ? *record_ : shown);
  Sink& sink = record_ ? static_cast<Sink&>(both) : shown;
  body.push = wrench, body.push_end = until;
  if (!(until > handed_)) body.push.setZero();
  sink.event({handed_, "wrench-set", index, -1,
              fmt::format(R"({{"force":[{},{},{}],"torque":[{},{},{}],"until":{}}})", wrench[0], wrench[1], wrench[2],
                          wrench[3], wrench[4], wrench[5], std::isfinite(until) ? fmt::format("{}", until) : "null")});
  sink.checkpoint(handed_, summary_.steps, snapshot());
}

}  // namespace rigor::sim
