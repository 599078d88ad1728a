// SPDX-License-Identifier: MIT
#include "methods/event_based.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dynamics/kinematics.h"
#include "dynamics/mass_matrix.h"
#include "methods/fixed_step.h"

namespace rigor::methods {

namespace {

constexpr double kEventResidual = 1e-13;  // Of V: of contact problems. What impacts miss adds up over 1e4 s.
constexpr double kCrossed = 0.5;  // Of delta: a gap below it has crossed the guard.
constexpr int kBisections = 60;
constexpr double kShortest = 1e-12;  // Of the step: an event no later than that is at its start.

}  // namespace

Stepped EventBased::step(World& world, double until, StateSink& sink) {
  const FixedStep whole(world, step_, until);
  double h = whole.length();
  Stepped result;
  world.findContacts(world.state, 0, contacts_);
  resolveImpacts(world, sink, result);
  findLoads(world, h);
  ++steps_;
  const bool solved = advance(world, h) && (guard(world) != Guard::kCrossed || locate(world, h));
  if (!solved) {
    result.status = StepStatus::kFailed;
    result.reason = fmt::format("t = {:.9g} s: the implicit step of {:.3g} s was not solved; a shorter step",
                                world.time, whole.length());
    return result;
  }
  world.state = end_;
  world.time = whole.timeAfter(world.time, h);
  return result;
}

void EventBased::resolveImpacts(World& world, StateSink& sink, Stepped& result) {
  std::vector<double> wanted(contacts_.size(), 0.0);
  bool any = false;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const double approach = -contacts_.velocity(world.state, c)[0];
    if (!(approach > world.scales().approach)) continue;
    any = true;
    if (!(approach > world.scales().capture_speed)) continue;
    ++result.impacts;
    wanted[c] = contacts_[c].restitution * approach;
  }
  if (!any) return;
  world.freeVelocities(world.state, 0, u_, v_);
  if (!solver_.solve(
          world, world.state, contacts_, [&](std::size_t c) { return -wanted[c]; }, FrictionLaw::kCoulomb,
          kEventResidual * world.scales().speed, u_, v_))
    ++unsolved_;
  sink.state(world);
  world.setVelocities(world.state, u_, v_);
  sink.state(world);
  contacts_.place(world.state);
}

/// Forces that change the velocities at the end of the step to what Coulomb's law allows.
void EventBased::findLoads(World& world, double h) {
  world.freeVelocities(world.state, h, u_, v_);
  const std::vector<sim::Vector6d> free = u_;
  const std::vector<Eigen::VectorXd> free_robots = v_;
  if (!solver_.solve(
          world, world.state, contacts_, [](std::size_t) { return 0.0; }, FrictionLaw::kCoulomb,
          kEventResidual * world.scales().speed, u_, v_))
    ++unsolved_;
  held_.assign(contacts_.size(), 0);
  for (std::size_t c = 0; c < contacts_.size(); ++c) held_[c] = solver_.impulse(c)[0] > 0;
  loads_.bodies.assign(u_.size(), sim::Vector6d::Zero());
  for (std::size_t i = 0; i < u_.size(); ++i) {
    if (world.isLink(static_cast<int>(i))) continue;
    const sim::SystemBody& body = world.state[i];
    const Eigen::Matrix3d R = body.state.pose.rotation();
    const sim::Vector6d change = (u_[i] - free[i]) / h;
    loads_.bodies[i] << body.model->mass * change.head<3>(),
        R * (body.model->inertia * (R.transpose() * change.tail<3>()));
  }
  loads_.robots.resize(v_.size());
  for (std::size_t r = 0; r < v_.size(); ++r) {
    const auto& robot = world.state.robots[r];
    dynamics::ArticulatedWorkspace workspace(*robot.model);
    Eigen::MatrixXd M(v_[r].size(), v_[r].size());
    dynamics::calcPositions(*robot.model, robot.state.q, workspace);
    dynamics::calcMassMatrix(*robot.model, workspace, M);
    loads_.robots[r] = M * (v_[r] - free_robots[r]) / h;
  }
}

bool EventBased::advance(const World& world, double h) {
  end_ = world.state;
  return motion_->advance(world, end_, h, loads_);
}

/// Of the features at the end that carry no force over the step.
EventBased::Guard EventBased::guard(World& world) {
  world.findContacts(end_, 0, found_);
  Guard seen = Guard::kClear;
  for (std::size_t c = 0; c < found_.size(); ++c) {
    bool carries = false;
    for (std::size_t k = 0; k < contacts_.size() && !carries; ++k)
      carries = held_[k] && contacts_[k].isSameAs(found_[c]);
    if (carries) continue;
    const double gap = found_.kinematics(c).gap;
    if (!(gap >= kCrossed * world.scales().gap)) return Guard::kCrossed;
    if (found_.velocity(end_, c)[0] < 0) seen = Guard::kTouching;
  }
  return seen;
}

/// Bisects the step to where the first feature touches; what crosses from the start on is left to cross. @returns false
/// where a step has no solution.
bool EventBased::locate(World& world, double& h) {
  double low = 0, high = h;
  const double whole = h;
  for (int k = 0; k < kBisections && high - low > kShortest * whole; ++k) {
    const double middle = 0.5 * (low + high);
    ++bisections_;
    if (!advance(world, middle)) return false;
    const Guard seen = guard(world);
    if (seen == Guard::kTouching) {
      h = middle;
      return true;
    }
    (seen == Guard::kCrossed ? high : low) = middle;
  }
  h = low > kShortest * whole ? low : whole;
  return advance(world, h);
}

std::string EventBased::counters() const {
  return fmt::format(R"({{"steps":{},"bisections":{},"unsolved":{}}})", steps_, bisections_, unsolved_);
}

}  // namespace rigor::methods
