// SPDX-License-Identifier: MIT
// The trial steps of the event loop: free flight, Runge-Kutta with the contact problem at every stage, and the
// velocity-level step for slow slip and inconsistent forces.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "elementary/elementary.h"
#include "sim/stepper.h"

namespace rigor::sim {

using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::Vector4d;
using impact::ContactMode;
using impact::CoulombStatus;

namespace {

constexpr double kSlowSlip = 2;           // Slip slower than this times mu g h is stiff for Runge-Kutta.
constexpr double kStableSlip = 0.4;       // Slip slower than this times mu g h lets Runge-Kutta amplify what is across it, by more than 1 a step:
constexpr double kSteadySlip = 1e-4;      // an error above this share of the slip may be that.
// The velocity-level step is given up where its error, of the tolerance, is estimated beyond these:
constexpr double kHopelessCoarse = 20;    // from the coarse step's mean acceleration against that of the start,
constexpr double kHopelessHalf = 6;       // from the first half step against the middle of the coarse one.
constexpr double kStiffStop = 1e-3;       // Share of the step within which slip that turns back is stiff, however accurate the ends are.
constexpr double kJumpShare = 0.1;        // Of the tolerance: what g may change in steps whose contacts make velocities jump.
constexpr double kPushShare = 0.02;       // Least share of delta by which a gap returns towards it in a step.
constexpr double kPushEnergyShare = 0.01;  // Of the kinetic energy: the most that lifting back to delta may take.
constexpr int kGapIterations = 6;         // Newton steps of the projection onto the gaps.
constexpr double kGapConverged = 1e-3;    // Of the nominal gap,
constexpr double kPressedShare = 0.5;     // Of delta: points pressed in by more are events.
constexpr double kGapAcceptable = 0.1;    // and where redundant contacts keep it from getting there.
constexpr double kEnergyRounding = 1e-14;  // Of the energy: a few roundings of its sum.
constexpr int kConfigurations = 4;        // Fixed-point iterations of the velocity-level step,
constexpr double kConfigurationShare = 0.05;  // until the next would move less than this share of the tolerance times h.

void moveBody(const SystemBody& from, double h, const Vector3d& v, const Vector4d& dq, SystemBody& to) {
  to.state.pose.p = from.state.pose.p + h * v;
  to.state.pose.q = from.state.pose.q + h * dq;
}

}  // namespace

void interpolateRobot(const dynamics::ArticulatedModel& model, const dynamics::ArticulatedState& start,
                      const Eigen::VectorXd& start_acceleration, const dynamics::ArticulatedState& end,
                      const Eigen::VectorXd& end_acceleration, double h, double u, dynamics::ArticulatedState& state,
                      Eigen::VectorXd& rate) {
  const double u2 = u * u, u3 = u2 * u;
  const double h01 = 3 * u2 - 2 * u3, h00 = 1 - h01, h10 = u - 2 * u2 + u3, h11 = u3 - u2;
  rate.resize(model.numPositions());
  state.q = h00 * start.q + h01 * end.q;
  dynamics::calcConfigurationRate(model, start.q, start.v, rate);
  state.q += h * h10 * rate;
  dynamics::calcConfigurationRate(model, end.q, end.v, rate);
  state.q += h * h11 * rate;
  state.v = h00 * start.v + h01 * end.v + h * (h10 * start_acceleration + h11 * end_acceleration);
  normaliseQuaternions(model, state.q);
}

double Stepper::energy(const SystemState& state) { return system_.energy(state, scene_.gravity); }

void Stepper::saveModes() {
  decided_.clear();
  for (const Contact& c : contacts_) decided_.push_back({c.mode, c.direction, c.slides});
}

void Stepper::restoreModes() {
  for (size_t i = 0; i < contacts_.size(); ++i) {
    contacts_[i].mode = decided_[i].mode, contacts_[i].direction = decided_[i].direction;
    contacts_[i].slides = decided_[i].slides, contacts_[i].loaded = false;
  }
}

bool Stepper::integrate(double h, Trial& trial) {
  restoreModes();
  trial.h = h;
  trial.velocity_level = trial.gains_energy = false;
  trial.settled = true;
  trial.stop = 1, trial.stop_contact = -1;
  bool any = false;
  for (const Contact& c : contacts_) any = any || c.held;
  if (!any && start_.robots.empty()) return integrateFree(h, trial);
  if (isFlight()) return integrateFlight(h, trial);
  double slowest = 1e300, mu = 0;
  for (const Contact& c : contacts_)
    if (c.held && c.slides && std::isfinite(c.friction)) mu = std::max(mu, c.friction);
  for (size_t c = 0; c < contacts_.size(); ++c)
    if (contacts_[c].held && contacts_[c].slides)
      slowest = std::min(slowest, system_.contactVelocity(start_, contacts_[c], static_cast<int>(c)).tail<2>().norm());
  const bool slow = slowest < kSlowSlip * mu * scales_.acceleration * h;
  const double tolerance = scales_.velocity_tolerance;
  const bool tried = slow && was_velocity_level_;  // Slow slip mostly goes on so.
  if (tried) {
    if (integrateVelocityLevel(h, trial) && trial.error <= tolerance) return true;
    restoreModes();
  }
  if (!integrateRungeKutta(h, trial, slow)) {
    restoreModes();
    if (!integrateVelocityLevel(h, trial)) return false;
    // Where no accelerations satisfy the contacts (Painleve) and finite ones would change nothing in so short a time, velocities
    // jump. There may be several jumps; that the halves of a step take another one than the whole is no error.
    if (h * scales_.acceleration < kJumpShare * tolerance) trial.error = std::min(trial.error, tolerance);
    return true;
  }
  // Slip that turns or stops at once, for the step: its direction is stiff, and following it takes steps of that length.
  const bool accurate = trial.error <= tolerance, turns = trial.stop < kStiffStop;
  // Slip that friction nearly balances goes on slowly for long: its direction is stiff as well, and drifts without a sign of it in the
  // step's own error until the deviation is as large as the slip. Of bodies that slide by themselves: several share one step's error.
  const bool drifts = start_.size() == 1 && trial.stop == 1 && slowest < kStableSlip * mu * scales_.acceleration * h && trial.error > kSteadySlip * slowest;
  if (!slow || tried || (accurate && !turns && !drifts)) return true;
  const double error = trial.error;
  restoreModes();
  if (integrateVelocityLevel(h, trial) && trial.error <= tolerance) return true;
  if (accurate) {
    restoreModes();
    return integrateRungeKutta(h, trial, true);
  }
  trial.error = error;  // The shorter step will most likely be one of Runge-Kutta's.
  return true;
}

/// Counts the rotation of a body in one step [rad] as error where a cubic would follow it badly.
void Stepper::limitTurn(double turn, Trial& trial) const {
  constexpr double kMaxTurn = 1.0;  // Followed to 2e-4.
  // (turn/limit)^4 times the tolerance: the step control then lands on the limit.
  if (turn > kMaxTurn) trial.error = std::max(trial.error, scales_.velocity_tolerance * elementary::power(turn / kMaxTurn, 4));
}

bool Stepper::integrateFree(double h, Trial& trial) {
  trial.ends = start_;
  trial.a0.clear(), trial.a1.clear();  // Marks closed-form flight.
  trial.error = 0;
  for (size_t i = 0; i < start_.size(); ++i) {
    trial.ends[i].state = dynamics::stepFree(*start_[i].model, start_[i].state, scene_.gravity, h);
    const double turn = h * start_[i].state.w.norm();
    limitTurn(turn, trial);
    if (!start_[i].model->isotropic) {
      // Half-step comparison of the only equation that is not solved in closed form.
      const auto mid = dynamics::stepFree(*start_[i].model, start_[i].state, scene_.gravity, 0.5 * h);
      const auto end = dynamics::stepFree(*start_[i].model, mid, scene_.gravity, 0.5 * h);
      const double error = (end.w - trial.ends[i].state.w).norm() * scales_.length;
      trial.error = std::max(trial.error, error);
      trial.ends[i].state = end;
    }
  }
  return true;
}

/// Contact kinematics and accelerations at a stage. Sliding contacts push against their own slip there; a direction that has turned
/// back or nearly stopped keeps that of the step's start.
/// `placed`: the contact equations are at these positions already.
bool Stepper::evaluate(SystemState& state, bool placed) {
  if (placed) system_.prepare(state, contacts_);
  else system_.update(state, contacts_, fixed_a_, fixed_b_);
  for (size_t c = 0; c < contacts_.size(); ++c) {
    Contact& contact = contacts_[c];
    if (!contact.held || !contact.slides) continue;
    const Vector2d slip = system_.contactVelocity(state, contact, static_cast<int>(c)).tail<2>();
    const double speed = slip.norm();
    if (speed > scales_.slip_speed && slip.dot(contact.direction) > 0) contact.direction = slip / speed;
  }
  return system_.solveAccelerations(state, contacts_, scene_.gravity) != CoulombStatus::kFailed;
}

/// The first stage, from the decided modes and directions: the same for every trial of a step.
bool Stepper::startRates() {
  const size_t n = start_.size();
  if (start_rates_ == StartRates::kUnknown) {
    stage_ = start_;
    start_rates_ = evaluate(stage_, true) ? StartRates::kKnown : StartRates::kNone;  // Nothing has moved since decide().
    rate_.resize(4 * n);
    robot_rate_.resize(4 * start_.robots.size());
    for (size_t i = 0; i < n; ++i) noteRate(i, 0);
    for (size_t r = 0; r < start_.robots.size(); ++r) noteRobotRate(r, 0);
    start_slip_.resize(contacts_.size());
    for (size_t c = 0; c < contacts_.size(); ++c)
      start_slip_[c] = system_.contactVelocity(start_, contacts_[c], static_cast<int>(c)).tail<2>();
    start_solution_.clear();
    for (const Contact& c : contacts_) start_solution_.push_back({c.mode, c.direction, c.force});
  }
  for (size_t c = 0; c < contacts_.size(); ++c) {
    const ContactSolution& solution = start_solution_[c];
    contacts_[c].mode = solution.mode, contacts_[c].direction = solution.direction, contacts_[c].force = solution.force;
  }
  return start_rates_ == StartRates::kKnown;
}

void Stepper::noteRate(size_t i, int stage) {
  rate_[stage * start_.size() + i] = {stage_[i].state.v, dynamics::quaternionRate(stage_[i].state.pose.q, stage_[i].state.w),
                                      stage_[i].acceleration};
}

void Stepper::noteRobotRate(size_t r, int stage) {
  RobotRate& rate = robot_rate_[stage * start_.robots.size() + r];
  const SystemRobot& robot = stage_.robots[r];
  rate.q.resize(robot.model->numPositions());
  dynamics::calcConfigurationRate(*robot.model, robot.state.q, robot.state.v, rate.q);
  rate.v = robot.acceleration;
}

/// `settles`: its end is put on the constraints at once, for the error that shows in it.
bool Stepper::integrateRungeKutta(double h, Trial& trial, bool settles) {
  const size_t n = start_.size();
  trial.a0.resize(n), trial.a1.resize(n);
  if (!startRates()) return false;
  stage_ = start_;
  const double b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, a[4] = {0, 0.5, 0.5, 1};
  for (int s = 1; s < 4; ++s) {
    for (size_t i = 0; i < n; ++i) {
      const StageRate& r = rate_[(s - 1) * n + i];
      moveBody(start_[i], a[s] * h, r.v, r.q, stage_[i]);
      stage_[i].state.v = start_[i].state.v + a[s] * h * r.a.head<3>();
      stage_[i].state.w = start_[i].state.w + a[s] * h * r.a.tail<3>();
    }
    for (size_t r = 0; r < start_.robots.size(); ++r) {
      const RobotRate& rate = robot_rate_[(s - 1) * start_.robots.size() + r];
      stage_.robots[r].state.q = start_.robots[r].state.q + a[s] * h * rate.q;
      stage_.robots[r].state.v = start_.robots[r].state.v + a[s] * h * rate.v;
    }
    if (!evaluate(stage_)) return false;
    for (size_t i = 0; i < n; ++i) noteRate(i, s);
    for (size_t r = 0; r < start_.robots.size(); ++r) noteRobotRate(r, s);
  }
  trial.ends = start_;
  for (size_t i = 0; i < n; ++i) {
    StageRate sum{Vector3d::Zero(), Vector4d::Zero(), Vector6d::Zero()};
    for (int s = 0; s < 4; ++s) {
      const StageRate& r = rate_[s * n + i];
      sum.v += b[s] * r.v, sum.q += b[s] * r.q, sum.a += b[s] * r.a;
    }
    moveBody(start_[i], h, sum.v, sum.q, trial.ends[i]);
    trial.ends[i].state.pose.q.normalize();
    trial.ends[i].state.v += h * sum.a.head<3>();
    trial.ends[i].state.w += h * sum.a.tail<3>();
    trial.a0[i] = rate_[i].a;
  }
  for (size_t r = 0; r < start_.robots.size(); ++r) {
    SystemRobot& end = trial.ends.robots[r];
    for (int s = 0; s < 4; ++s) {
      const RobotRate& rate = robot_rate_[s * start_.robots.size() + r];
      end.state.q += h * b[s] * rate.q, end.state.v += h * b[s] * rate.v;
    }
    normaliseQuaternions(*end.model, end.state.q);
    start_.robots[r].acceleration = robot_rate_[r].v;
  }
  if (!evaluate(trial.ends)) return false;
  trial.error = 0;
  for (size_t i = 0; i < n; ++i) {
    trial.a1[i] = trial.ends[i].acceleration;
    // Difference to the embedded third-order formula that uses the slope at the end.
    const Vector6d e = h / 6 * (rate_[3 * n + i].a - trial.a1[i]);
    trial.error = std::max(trial.error, speed(e));
    const double turn = h * std::max(start_[i].state.w.norm(), trial.ends[i].state.w.norm());
    limitTurn(turn, trial);
  }
  if (trial.error > scales_.velocity_tolerance) return true;
  for (Contact& c : contacts_) c.loaded = c.held && c.mode != ContactMode::kFree;
  trial.settled = settles || !mayWait(), trial.placed = true;
  if (trial.settled && !settle(trial, true)) return false;
  trial.stop = slipStop(trial, trial.stop_contact);
  return true;
}

/// Puts the gaps of the loaded contacts at the end of a trial on their targets, which return to delta by at most `back`. No other
/// point of the band is pressed below delta, or below where it was, by that: the corners of a tilted patch hang together, and
/// what one of them gains may not be what another loses, step by step. @returns false if the targets contradict each other.
/// `placed`: the contact equations are at the end already, as they are afterwards.
bool Stepper::placeEnds(Trial& trial, double back, bool placed) {
  for (Contact& c : contacts_) {
    c.pressed = false;
    if (c.start_gap < 0) continue;  // The new contact of an event: it stays where the motion takes it, see below.
    const double off = c.start_gap - scales_.gap;
    c.target = c.start_gap > 0 ? scales_.gap + std::copysign(std::max(0.0, std::abs(off) - back), off) : scales_.gap;
    if (!c.loaded) c.target = std::min(c.target, scales_.gap);
  }
  double before = HUGE_VAL;
  for (int k = 0; k < kGapIterations; ++k) {
    if (!placed) system_.place(trial.ends, contacts_, fixed_a_, fixed_b_);
    placed = false;
    double pressed = 0;  // Deepest of the points that are not loaded.
    // What the motion itself takes more than this is an approach: an event.
    const double most = kPressedShare * (k == 0 ? std::min(scales_.gap, scales_.velocity_tolerance * trial.h) : scales_.gap);
    for (size_t i = 0; i < contacts_.size(); ++i) {
      Contact& c = contacts_[i];
      const double gap = system_[static_cast<int>(i)].gap;
      if (c.start_gap < 0) {
        if (k == 0) c.target = std::clamp(gap, 0.6 * scales_.gap, scales_.gap);
      } else if (!c.loaded && !c.pressed && c.target - gap > kGapConverged * scales_.gap && c.target - gap <= most) {
        c.pressed = true;
      }
      if (c.pressed) pressed = std::max(pressed, c.target - gap);
    }
    const double converged = kGapConverged * scales_.gap;
    const double off = system_.projectGaps(trial.ends, contacts_, converged);
    if (k == 0) trial.error = std::max(trial.error, (off - converged - back) / trial.h);
    if (!(off > converged)) break;
    for (SystemBody& b : trial.ends) b.state.pose.q.normalize();
    for (SystemRobot& r : trial.ends.robots) normaliseQuaternions(*r.model, r.state.q);
    // Corners of one flat patch are redundant: targets that do not lie in one plane are met on average.
    if (off > 0.5 * before && off <= kGapAcceptable * scales_.gap && (pressed <= converged || back == 0)) {
      system_.place(trial.ends, contacts_, fixed_a_, fixed_b_);
      break;
    }
    before = off;
    if (k + 1 == kGapIterations) return false;
  }
  return true;
}

/// Puts the end of a trial on its constraints: loaded contacts at the nominal gap, no velocity against them, and no
/// more energy than at the start. What had to be moved counts as error. `placed`: see placeEnds.
bool Stepper::settle(Trial& trial, bool placed) {
  // A contact that starts off the nominal gap returns to it slowly: no step, however short, is a kick.
  // Lifting costs energy, of which bodies that hardly move have none to give.
  double kinetic = 0, weight = 0;
  for (const SystemBody& b : trial.ends) {
    kinetic += dynamics::kineticEnergy(*b.model, b.state);
    weight += b.model->mass * scales_.acceleration;
  }
  const double back =
      std::min(scales_.push_out * trial.h + kPushShare * scales_.gap, kPushEnergyShare * kinetic / weight);
  before_projection_ = trial.ends;
  if (!placeEnds(trial, back, placed)) {
    // Corners that cannot all return to delta at once stay where they are.
    trial.ends = before_projection_;
    if (!placeEnds(trial, 0, false)) return false;
  }
  saved_held_.clear();
  for (Contact& c : contacts_) saved_held_.push_back(c.held), c.held = c.loaded;
  before_projection_ = trial.ends;
  system_.projectVelocities(trial.ends, contacts_);
  for (size_t i = 0; i < contacts_.size(); ++i) contacts_[i].held = saved_held_[i];
  double moved = 0;
  for (size_t i = 0; i < trial.ends.size(); ++i)
    moved = std::max(moved, speed(trial.ends[i].state.velocity() - before_projection_[i].state.velocity()));
  trial.error = std::max(trial.error, moved);
  return limitEnergy(trial);
}

/// Scales the end velocities so that the mechanical energy does not exceed that of the start; keeps J u = 0. Bodies that touch
/// nothing fixed keep their common momentum: only velocities relative to their centre of mass are scaled.
bool Stepper::limitEnergy(Trial& trial) {
  trial.gains_energy = false;
  for (const SystemRobot& robot : start_.robots)
    if (robot.effort.size() > 0) return true;  // Actuators do work.
  const double e0 = energy(start_);
  bool anchored = !start_.robots.empty();
  for (const Contact& c : contacts_) anchored = anchored || ((c.slot_a < 0 || c.slot_b < 0) && (c.held || c.loaded));
  Vector3d drift = Vector3d::Zero();
  double kinetic = 0, mass = 0;
  for (const SystemBody& b : trial.ends) {
    kinetic += dynamics::kineticEnergy(*b.model, b.state);
    drift += b.model->mass * b.state.v, mass += b.model->mass;
  }
  drift = anchored ? Vector3d(Vector3d::Zero()) : Vector3d(drift / mass);
  kinetic -= 0.5 * mass * drift.squaredNorm();
  for (int pass = 0; pass < 3; ++pass) {
    const double excess = energy(trial.ends) - e0;
    if (!(excess > 0)) return true;
    if (!(excess < 0.5 * kinetic)) {
      // Rounding alone, of bodies that do not move against each other, is none.
      if (!anchored && excess <= kEnergyRounding * std::abs(e0)) return true;
      // Friction carried on past the stop of a slip does this; cut there the trial may be sound.
      trial.gains_energy = true;
      return true;
    }
    const double factor = std::sqrt(1 - excess / kinetic);
    double fastest = 0;
    for (SystemBody& b : trial.ends) {
      fastest = std::max(fastest, (b.state.v - drift).norm() + scales_.length * b.state.w.norm());
      b.state.v = drift + factor * (b.state.v - drift);
      b.state.w *= factor;
    }
    for (SystemRobot& robot : trial.ends.robots) robot.state.v *= factor;
    trial.error = std::max(trial.error, (1 - factor) * fastest);
  }
  return true;
}

/// `guess(i)`: velocity of body i at the end, as far as it is known. The configuration is iterated from there.
template <typename Guess>
bool Stepper::velocityLevelStep(const SystemState& from, double h, const Guess& guess, SystemState& to) {
  to = from;
  const size_t n = from.size();
  for (size_t i = 0; i < n; ++i) {
    const Vector6d mean = 0.5 * (from[i].state.velocity() + guess(i));
    to[i].state.pose.p = from[i].state.pose.p + h * mean.head<3>();
    to[i].state.pose.q = dynamics::rotate(from[i].state.pose.q, h * mean.tail<3>());
  }
  for (size_t r = 0; r < from.robots.size(); ++r)
    dynamics::integrate(*from.robots[r].model, from.robots[r].state.q, from.robots[r].state.v, h, to.robots[r].state.q);
  for (int k = 0; k < kConfigurations; ++k) {
    for (size_t i = 0; i < n; ++i) to[i].state.pose.q.normalize();
    for (size_t r = 0; r < from.robots.size(); ++r) to.robots[r].state.v = from.robots[r].state.v;
    // Jacobians at the end configuration, velocities of the start: J1 u1 >= 0 needs no bias.
    for (size_t i = 0; i < n; ++i) to[i].state.v = from[i].state.v, to[i].state.w = from[i].state.w;
    system_.update(to, contacts_, fixed_a_, fixed_b_);
    for (Contact& c : contacts_) c.slides = false;
    if (system_.solveVelocities(to, contacts_, scene_.gravity, h, false) == CoulombStatus::kFailed) return false;
    double change = 0, fastest = 0;
    for (size_t r = 0; r < from.robots.size(); ++r) {
      to.robots[r].state.v = system_.robotVelocities(static_cast<int>(r));
      mean_velocity_ = 0.5 * (from.robots[r].state.v + to.robots[r].state.v);
      dynamics::integrate(*from.robots[r].model, from.robots[r].state.q, mean_velocity_, h, to.robots[r].state.q);
    }
    for (size_t i = 0; i < n; ++i) {
      const Vector6d u1 = system_.velocities()[i];
      const Vector3d v = 0.5 * (from[i].state.v + u1.head<3>()), w = 0.5 * (from[i].state.w + u1.tail<3>());
      const Vector3d p = from[i].state.pose.p + h * v;
      change = std::max(change, (p - to[i].state.pose.p).norm()), fastest = std::max(fastest, speed(u1));
      to[i].state.pose.p = p;
      to[i].state.pose.q = dynamics::rotate(from[i].state.pose.q, h * w);
      to[i].state.v = u1.head<3>(), to[i].state.w = u1.tail<3>();
    }
    // What a body turns by in the step is the share of this change that the next one would be: a fourth of it on average.
    const double next = std::min(1.0, h * (fastest + scales_.acceleration * h) / scales_.length) * change;
    if (next < kConfigurationShare * scales_.velocity_tolerance * h) break;
  }
  for (Contact& c : contacts_) c.loaded = c.held && c.mode != ContactMode::kFree;
  return true;
}

bool Stepper::integrateVelocityLevel(double h, Trial& trial) {
  // Only for single bodies: among several, and in robots, velocities may have to jump whatever the step.
  const bool may_give_up = start_.size() == 1 && start_.robots.empty();
  ++stats_.velocity_steps;
  trial.velocity_level = true;
  trial.stop = 1;
  const size_t n = start_.size();
  const auto farthest = [&](auto&& difference) {
    double most = 0;
    for (size_t i = 0; i < n; ++i) most = std::max(most, speed(difference(i)));
    return most;
  };
  const bool knows_rates = start_rates_ == StartRates::kKnown;
  if (!velocityLevelStep(start_, h, [&](size_t i) {
        return Vector6d(start_[i].state.velocity() + (knows_rates ? Vector6d(h * rate_[i].a) : Vector6d(Vector6d::Zero())));
      }, coarse_)) return false;
  // Of first order: with the acceleration a at its start and a1 at its end the coarse step is off by about h (a1 - a) / 4 from two halves.
  if (may_give_up && knows_rates && farthest([&](size_t i) {
        return Vector6d(0.25 * (coarse_[i].state.velocity() - start_[i].state.velocity() - h * rate_[i].a));
      }) > kHopelessCoarse * scales_.velocity_tolerance) return false;
  restoreModes();
  if (!velocityLevelStep(start_, 0.5 * h, [&](size_t i) {
        return Vector6d(0.5 * (start_[i].state.velocity() + coarse_[i].state.velocity()));
      }, stage_)) return false;
  // A jump that contacts ask for at once, whatever the step, is in both of them and no error.
  const double hopeless = kHopelessHalf * scales_.velocity_tolerance;
  if (may_give_up && farthest([&](size_t i) {
        return Vector6d(stage_[i].state.velocity() - 0.5 * (start_[i].state.velocity() + coarse_[i].state.velocity()));
      }) > hopeless &&
      farthest([&](size_t i) { return Vector6d(stage_[i].state.velocity() - coarse_[i].state.velocity()); }) > hopeless)
    return false;
  if (!velocityLevelStep(stage_, 0.5 * h, [&](size_t i) { return coarse_[i].state.velocity(); }, trial.ends)) return false;
  trial.error = farthest([&](size_t i) { return Vector6d(trial.ends[i].state.velocity() - coarse_[i].state.velocity()); });
  trial.a0.resize(n), trial.a1.resize(n);
  for (size_t i = 0; i < n; ++i) {
    const double turn = h * std::max(start_[i].state.w.norm(), trial.ends[i].state.w.norm());
    limitTurn(turn, trial);
    trial.a0[i] = trial.a1[i] = (trial.ends[i].state.velocity() - start_[i].state.velocity()) / h;
  }
  for (size_t r = 0; r < start_.robots.size(); ++r)
    start_.robots[r].acceleration = trial.ends.robots[r].acceleration =
        (trial.ends.robots[r].state.v - start_.robots[r].state.v) / h;
  trial.settled = trial.placed = false;
  return mayWait() || settleEnd(trial);
}

/// settle() for a trial that was left without.
bool Stepper::settleEnd(Trial& trial) {
  const double error = trial.error;
  trial.settled = true;
  if (!settle(trial, trial.placed)) return false;
  // First order: what the projection of the end moves is of the step's own order, not an error of the formula.
  if (trial.velocity_level) trial.error = error;
  return true;
}

/// State at the share u of the step: positions on the published cubic, velocities on the cubic through the velocities and
/// accelerations of both ends, fourth order. Free flight is evaluated exactly.
void Stepper::interpolate(const Trial& trial, double u, SystemState& state) {
  state = start_;
  const double h = trial.h;
  const bool free = trial.a0.empty();
  for (size_t i = 0; i < start_.size(); ++i) {
    if (free) {
      state[i].state = dynamics::stepFree(*start_[i].model, start_[i].state, scene_.gravity, u * h);
      continue;
    }
    const double u2 = u * u, u3 = u2 * u;
    const double h01 = 3 * u2 - 2 * u3, h00 = 1 - h01, h10 = u - 2 * u2 + u3, h11 = u3 - u2;
    const SystemBody& s0 = start_[i];
    const SystemBody& s1 = trial.ends[i];
    const Vector4d q0 = dynamics::quaternionRate(s0.state.pose.q, s0.state.w);
    const Vector4d q1 = dynamics::quaternionRate(s1.state.pose.q, s1.state.w);
    state[i].state.pose.p = h00 * s0.state.pose.p + h01 * s1.state.pose.p + h * (h10 * s0.state.v + h11 * s1.state.v);
    state[i].state.pose.q = (h00 * s0.state.pose.q + h01 * s1.state.pose.q + h * (h10 * q0 + h11 * q1)).normalized();
    state[i].state.setVelocity(h00 * s0.state.velocity() + h01 * s1.state.velocity() +
                               h * (h10 * trial.a0[i] + h11 * trial.a1[i]));
  }
  for (size_t r = 0; r < start_.robots.size(); ++r) {
    const SystemRobot &from = start_.robots[r], &to = trial.ends.robots[r];
    interpolateRobot(*from.model, from.state, from.acceleration, to.state, to.acceleration, h, u, state.robots[r].state,
                     curve_rate_);
    state.robots[r].acceleration = (1 - u) * from.acceleration + u * to.acceleration;
  }
  if (!start_.robots.empty()) system_.writeLinks(state);
}

/// Share of the step at which the first sliding contact comes to a stop (its slip turns against the direction it had at the
/// start); 1 for none.
double Stepper::slipStop(Trial& trial, int& contact) {
  double first = 1;
  const auto slides = [](const Contact& k) { return k.held && k.slides && k.loaded; };
  if (std::none_of(contacts_.begin(), contacts_.end(), slides)) return first;
  const auto slipOf = [&](const SystemState& state, size_t c) {
    return Vector2d(system_.contactVelocity(state, contacts_[c], static_cast<int>(c)).tail<2>());
  };
  end_slip_.resize(contacts_.size());
  for (size_t c = 0; c < contacts_.size(); ++c)
    if (slides(contacts_[c])) end_slip_[c] = slipOf(trial.ends, c);  // Where the contact equations are.
  for (size_t c = 0; c < contacts_.size(); ++c) {
    if (!slides(contacts_[c])) continue;
    const Vector2d s0 = start_slip_[c], d = s0.normalized();
    const double end = end_slip_[c].dot(d);
    if (!(end <= 0)) continue;
    trial.placed = false;
    // Regula falsi (Illinois) on the interpolated states.
    double lo = 0, hi = 1, f_lo = s0.norm(), f_hi = end;
    int side = 0;
    for (int i = 0; i < 12 && hi - lo > 1e-9; ++i) {
      const double u = f_hi < 0 ? lo + (hi - lo) * f_lo / (f_lo - f_hi) : hi;
      interpolate(trial, u, stage_);
      system_.place(stage_, contacts_, fixed_a_, fixed_b_);
      const double f = slipOf(stage_, c).dot(d);
      if (std::abs(f) <= 1e-3 * scales_.slip_speed) { lo = hi = u; break; }
      if (f > 0) {
        lo = u, f_lo = f;
        if (side == 1) f_hi *= 0.5;
        side = 1;
      } else {
        hi = u, f_hi = f;
        if (side == -1) f_lo *= 0.5;
        side = -1;
      }
    }
    if (hi < first) first = hi, contact = static_cast<int>(c);
  }
  return first;
}

/// Ends the trial at the share u of it instead. `stop` (or -1): contact whose slip has come to rest there.
bool Stepper::truncate(Trial& trial, double u, int stop) {
  if (!(u > 0 && u <= 1)) return false;
  trial.settled = true;
  if (u < 1) {
    interpolate(trial, u, stage_);
    const size_t n = start_.size();
    if (!trial.a0.empty())
      for (size_t i = 0; i < n; ++i) trial.a1[i] = (1 - u) * trial.a0[i] + u * trial.a1[i];
    trial.h *= u;
    std::swap(trial.ends, stage_);
  }
  if (trial.a0.empty()) return true;
  ContactMode mode = ContactMode::kFree;
  if (stop >= 0) mode = contacts_[stop].mode, contacts_[stop].mode = ContactMode::kStick;
  const bool ok = settle(trial, false);
  if (stop >= 0) contacts_[stop].mode = mode;
  return ok;
}

}  // namespace rigor::sim
