// SPDX-License-Identifier: MIT
#include "methods/time_stepping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "methods/fixed_step.h"

namespace rigor::methods {

namespace {

constexpr double kSteppingResidual = 1e-9;  // Of the scene's speed V: to which contact problems are solved.
constexpr double kUsableShare = 1e-3;    // Of V: what is no better than that is no solution.
constexpr double kSteppingSunkShare = 0.99;      // Of delta: a contact that is nearer is moved out.

}  // namespace

Stepped TimeStepping::step(World& world, double until, StateSink&) {
  const FixedStep taken(world, step_, until);
  const double h = taken.length();
  const double tolerance = kSteppingResidual * world.scales().speed, gap = world.scales().gap;
  world.findContacts(world.state, ahead_ == Ahead::kYes ? h : 0, contacts_);
  world.freeVelocities(world.state, h, u_, v_);
  approach_.resize(contacts_.size());
  for (std::size_t c = 0; c < contacts_.size(); ++c) approach_[c] = -contacts_.velocity(world.state, c)[0];
  const auto offset = [&](std::size_t c) {
    if (ahead_ == Ahead::kYes) return (contacts_.kinematics(c).gap - gap) / h;
    return approach_[c] > world.scales().capture_speed ? -contacts_[c].restitution * approach_[c] : 0.0;
  };
  const bool solved = solver_.solve(world, world.state, contacts_, offset, law_, tolerance, u_, v_);
  ++steps_, unsolved_ += solved ? 0 : 1;
  worst_residual_ = std::max(worst_residual_, solver_.residual());
  if (!(solver_.residual() <= kUsableShare * world.scales().speed))
    return {StepStatus::kFailed,
            fmt::format("t = {:.9g} s: the contact problem of {} contacts was not solved: residual {:.3g} m/s",
                        world.time, contacts_.size(), solver_.residual())};
  Stepped result;
  for (std::size_t c = 0; c < contacts_.size(); ++c)
    result.impacts += solver_.impulse(c)[0] > 0 && approach_[c] > world.scales().capture_speed;
  world.setVelocities(world.state, u_, v_);
  if (ahead_ == Ahead::kNo) {
    unsolved_ += !pushOut(world, h, tolerance);
  } else {
    world.drift(world.state, h);
    unsolved_ += !rebound(world, tolerance);
  }
  world.time = taken.timeAfter(world.time, h);
  return result;
}

/// Moves everything, and what overlaps out to delta. @returns whether the problem was solved.
bool TimeStepping::pushOut(World& world, double h, double tolerance) {
  const double gap = world.scales().gap;
  bool sunk = false, solved = true;
  for (std::size_t c = 0; c < contacts_.size(); ++c)
    sunk = sunk || contacts_.kinematics(c).gap < kSteppingSunkShare * gap;
  const std::vector<sim::Vector6d> u = u_;
  const std::vector<Eigen::VectorXd> v = v_;
  if (sunk) {
    const auto offset = [&](std::size_t c) { return (contacts_.kinematics(c).gap - gap) / h; };
    solved = solver_.solve(world, world.state, contacts_, offset, law_, tolerance, u_, v_);
    world.setVelocities(world.state, u_, v_);
  }
  world.drift(world.state, h);
  world.setVelocities(world.state, u, v);
  return solved;
}

/// Newton's law on what was hit within the step, at its end. @returns whether the problem was solved.
bool TimeStepping::rebound(World& world, double tolerance) {
  touched_.clear();
  std::vector<double> wanted;
  bool any = false;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const bool hit = solver_.impulse(c)[0] > 0 && approach_[c] > world.scales().capture_speed;
    if (!(solver_.impulse(c)[0] > 0)) continue;
    touched_.add(contacts_[c], contacts_.fixedA(c), contacts_.fixedB(c));
    wanted.push_back(hit ? contacts_[c].restitution * approach_[c] : 0);
    any = any || wanted.back() > 0;
  }
  if (!any) return true;
  touched_.place(world.state);
  for (std::size_t i = 0; i < u_.size(); ++i) u_[i] = world.state[i].state.velocity();
  const bool solved = solver_.solve(
      world, world.state, touched_, [&](std::size_t c) { return -wanted[c]; }, law_, tolerance, u_, v_);
  world.setVelocities(world.state, u_, v_);
  return solved;
}

std::string TimeStepping::counters() const {
  return fmt::format(R"({{"steps":{},"unsolved":{},"worst_residual":{:.6g}}})", steps_, unsolved_, worst_residual_);
}

}  // namespace rigor::methods
