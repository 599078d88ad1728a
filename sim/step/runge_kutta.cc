// SPDX-License-Identifier: MIT
#include "sim/step/runge_kutta.h"

#include <algorithm>
#include <cmath>

#include "elementary/elementary.h"
#include "sim/step/rubbing.h"

namespace rigor::sim {

using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::Vector4d;
using friction::ContactMode;
using friction::CoulombStatus;

namespace {

constexpr int kStages = 4;
constexpr double kWeights[kStages] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
constexpr double kNodes[kStages] = {0, 0.5, 0.5, 1};
constexpr int kInstants[kStages] = {0, 1, 1, 2};  // Start, middle and end of the step.
constexpr double kMaxTurn = 1.0;       // [rad] in a step: followed to 2e-4.
constexpr int kStopIterations = 12;    // Of the search for the stop of a slip,
constexpr double kStopBracket = 1e-9;  // until it is known to this share of the step,
constexpr double kStopSlip =
    0.1;  // Of the velocity tolerance: slip that is slower where it turns back has come to rest.
constexpr double kStopSlipShare = 1e-3;  // or slower than this share of what counts as slip.
constexpr double kReleaseSpeed = 0.01;   // Of the velocity tolerance: contacts that open slower let go at the end.
constexpr double kReleaseBracket = 1. / 65536;  // Of the trial: to which the time is known at which one lets go.
constexpr double kReleaseEnd = 1. / 4096;       // Of the trial: one that lets go so near its end does so at its end.
// Trials of a step: one that ends where a contact lets go has none that does within. Where each finds one again, just
// before its own end, what opens there does so for want of digits.
constexpr int kMaxReleases = 8;

void moveBody(const SystemBody& from, double h, const Vector3d& v, const Vector4d& dq, SystemBody& to) {
  to.state.pose.p = from.state.pose.p + h * v;
  to.state.pose.q = from.state.pose.q + h * dq;
}

bool slides(const Contact& c) { return c.held && c.slides && c.loaded; }

}  // namespace

void limitTurn(double turn, double tolerance, Trial& trial) {
  // (turn/limit)^4 times the tolerance: the step control then lands on the limit.
  if (turn > kMaxTurn) trial.error = std::max(trial.error, tolerance * elementary::power(turn / kMaxTurn, 4));
}

/// Contact kinematics and accelerations at a stage. Sliding contacts push against their own slip there; a direction
/// that has turned back or nearly stopped keeps that of the step's start. `placed`: the contact equations are at these
/// positions already. `links`: the accelerations of links are asked for; their motion is not, in stages, of those that
/// touch nothing.
bool RungeKutta::evaluate(SystemState& state, bool placed, bool links) {
  if (placed) x_.contacts.prepare(state);
  else x_.contacts.update(state, &state != &stage_);
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    Contact& contact = x_.contacts[c];
    if (!contact.held || !contact.slides) continue;
    const Vector2d slip = slipOf(state, c);
    const double speed = slip.norm();
    if (speed > x_.scales.slip_speed && slip.dot(contact.direction) > 0) contact.direction = slip / speed;
  }
  return x_.contacts.solveAccelerations(state, x_.scene.gravity, links) != CoulombStatus::kFailed;
}

/// The first stage, from the decided modes and directions: the same for every trial of a step.
bool RungeKutta::startRates() {
  if (start_rates_ == StartRates::kUnknown) {
    stage_ = x_.start;
    // The decision places contacts where there are any.
    start_rates_ = evaluate(stage_, !contacts_moved_ && !x_.contacts.empty()) ? StartRates::kKnown : StartRates::kNone;
    rate_.resize(kStages * x_.start.size());
    robot_rate_.resize(kStages * x_.start.robots.size());
    noteRates(0);
    start_slip_.resize(x_.contacts.size());
    for (size_t c = 0; c < x_.contacts.size(); ++c) start_slip_[c] = slipOf(x_.start, c);
    start_solution_.clear();
    for (const Contact& c : x_.contacts) start_solution_.push_back({c.mode, c.direction, c.force});
  }
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    const Solution& solution = start_solution_[c];
    x_.contacts[c].mode = solution.mode, x_.contacts[c].direction = solution.direction,
    x_.contacts[c].force = solution.force;
  }
  return start_rates_ == StartRates::kKnown;
}

void RungeKutta::noteRates(int stage) {
  for (size_t i = 0; i < x_.start.size(); ++i) {
    StageRate& rate = rate_[stage * x_.start.size() + i];
    rate.a = stage_[i].acceleration;
    if (stage_[i].robot >= 0) continue;  // Links follow from their robots' coordinates.
    rate.v = stage_[i].state.v, rate.q = dynamics::quaternionRate(stage_[i].state.pose.q, stage_[i].state.w);
  }
  for (size_t r = 0; r < x_.start.robots.size(); ++r) {
    RobotRate& rate = robot_rate_[stage * x_.start.robots.size() + r];
    const SystemRobot& robot = stage_.robots[r];
    rate.q.resize(robot.model->numPositions());
    dynamics::calcConfigurationRate(*robot.model, robot.state.q, robot.state.v, rate.q);
    rate.v = robot.acceleration;
  }
}

/// The state of a stage, from the rates of the one before.
void RungeKutta::moveStage(int s, double h) {
  const SystemState& start = x_.start;
  for (size_t i = 0; i < start.size(); ++i) {
    if (start[i].robot >= 0) continue;
    const StageRate& r = rate_[(s - 1) * start.size() + i];
    moveBody(start[i], kNodes[s] * h, r.v, r.q, stage_[i]);
    stage_[i].state.v = start[i].state.v + kNodes[s] * h * r.a.head<3>();
    stage_[i].state.w = start[i].state.w + kNodes[s] * h * r.a.tail<3>();
  }
  for (size_t r = 0; r < start.robots.size(); ++r) {
    const RobotRate& rate = robot_rate_[(s - 1) * start.robots.size() + r];
    stage_.robots[r].state.q = start.robots[r].state.q + kNodes[s] * h * rate.q;
    stage_.robots[r].state.v = start.robots[r].state.v + kNodes[s] * h * rate.v;
  }
}

/// The end of the step, from the rates of all stages.
void RungeKutta::sumStages(double h, Trial& trial) {
  trial.ends = x_.start;
  const size_t n = x_.start.size();
  trial.changes.resize(n);
  for (size_t i = 0; i < n; ++i) {
    if (x_.start[i].robot >= 0) continue;
    StageRate sum{Vector3d::Zero(), Vector4d::Zero(), Vector6d::Zero()};
    trial.changes[i] = {Vector6d::Zero(), Vector6d::Zero(), Vector6d::Zero()};
    for (int s = 0; s < kStages; ++s) {
      const StageRate& r = rate_[s * n + i];
      trial.changes[i][kInstants[s]] += kWeights[s] * h * r.a;
      sum.v += kWeights[s] * r.v, sum.q += kWeights[s] * r.q, sum.a += kWeights[s] * r.a;
    }
    moveBody(x_.start[i], h, sum.v, sum.q, trial.ends[i]);
    trial.ends[i].state.pose.q.normalize();
    trial.ends[i].state.v += h * sum.a.head<3>();
    trial.ends[i].state.w += h * sum.a.tail<3>();
    trial.a0[i] = rate_[i].a;
  }
  for (size_t r = 0; r < x_.start.robots.size(); ++r) {
    SystemRobot& end = trial.ends.robots[r];
    for (int s = 0; s < kStages; ++s) {
      const RobotRate& rate = robot_rate_[s * x_.start.robots.size() + r];
      end.state.q += h * kWeights[s] * rate.q, end.state.v += h * kWeights[s] * rate.v;
    }
    x_.contacts.system().constrainRobot(end);
    x_.start.robots[r].acceleration = robot_rate_[r].v;
  }
}

/// Difference to the embedded third-order formula that uses the slope at the end.
void RungeKutta::estimateError(double h, Trial& trial) {
  const size_t n = x_.start.size();
  trial.error = 0;
  for (size_t i = 0; i < n; ++i) {
    trial.a1[i] = trial.ends[i].acceleration;
    const Vector6d e = h / 6 * (rate_[(kStages - 1) * n + i].a - trial.a1[i]);
    trial.error = std::max(trial.error, x_.speed(e));
    const double turn = h * std::max(x_.start[i].state.w.norm(), trial.ends[i].state.w.norm());
    limitTurn(turn, x_.scales.velocity_tolerance, trial);
  }
}

Integrated RungeKutta::integrate(double h, Trial& trial, bool settles) {
  const size_t n = x_.start.size();
  trial.a0.resize(n), trial.a1.resize(n);
  if (!startRates()) return Integrated::kNoSolution;
  stage_ = x_.start;
  trial.acting = Acting::kSmooth, trial.share = 1;
  trial.forces.assign(x_.contacts.size(), {Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero()});
  for (size_t c = 0; c < x_.contacts.size(); ++c)
    if (x_.contacts[c].held) trial.forces[c][0] = kWeights[0] * h * start_solution_[c].force;
  for (int s = 1; s < kStages; ++s) {
    moveStage(s, h);
    if (!evaluate(stage_, false, s == kStages - 1)) return Integrated::kNoSolution;
    noteRates(s);
    for (size_t c = 0; c < x_.contacts.size(); ++c)
      trial.forces[c][kInstants[s]] += kWeights[s] * h * x_.contacts.impulse(c);
  }
  sumStages(h, trial);
  if (!evaluate(trial.ends)) return Integrated::kNoSolution;
  estimateError(h, trial);
  if (trial.error > x_.scales.velocity_tolerance) return Integrated::kDone;
  trial.release = release(trial);
  if (trial.release < 1) return Integrated::kDone;
  for (Contact& c : x_.contacts) c.loaded = c.held && c.mode != ContactMode::kFree;
  trial.settled = settles || !x_.mayWait(), trial.placed = true;
  const bool turns_back = trial.settled && slipTurnsBack(trial);
  if (turns_back) unsettled_ = trial.ends;
  if (trial.settled && placement_.settle(trial, true) != Placed::kDone) return Integrated::kNoSolution;
  // What the contacts of a robot take from its velocities whatever the length of the step is a jump that they ask for,
  // as at velocity level; energy that it would gain is refused by limitEnergy() all the same, and what that takes from
  // velocities acts through nothing.
  const double tolerance = x_.scales.velocity_tolerance;
  if (!x_.start.robots.empty() && h * x_.scales.acceleration < kJumpShare * tolerance)
    trial.error = std::max(std::min(trial.error, tolerance), trial.settled ? trial.scaled : 0);
  trial.stop = slipStop(trial, trial.stop_contact);
  if (turns_back && trial.stop == 1) {
    // Over the whole step the balances of momentum turned friction that was to stop the slip before.
    std::swap(trial.ends, unsettled_);
    trial.settled = trial.placed = false;
    trial.stop = slipStop(trial, trial.stop_contact);
  }
  if (trial.stop < 1) return Integrated::kDone;  // It ends there, and is settled anew.
  // Friction that turns within the step is recorded as it opposes the slip of the published motion.
  if (trial.settled) trial.error = std::max(trial.error, trial.rebalanced);
  if (x_.start.robots.empty() && frictionTurns(trial)) trial.error = std::max(trial.error, kHalvingError * tolerance);
  return Integrated::kDone;
}

/// Share of the trial at which the first contact that carried load has let go: accelerations have a kink there, which
/// no formula of higher order follows. Bisection on the interpolated states. 1 where none lets go before the very end,
/// or so late that the velocities do not show it.
double RungeKutta::release(const Trial& trial) {
  if (!ends_at_releases_ || trial.h < x_.scales.event_window || releases_ == kMaxReleases) return 1;
  const auto carried = [&](size_t c) {
    return x_.contacts[c].held && start_solution_[c].mode != ContactMode::kFree && start_solution_[c].force[0] > 0;
  };
  released_.clear();
  for (size_t c = 0; c < x_.contacts.size(); ++c)
    if (carried(c) && x_.contacts[c].mode == ContactMode::kFree &&
        x_.contacts.velocity(trial.ends, c)[0] > kReleaseSpeed * x_.scales.velocity_tolerance)
      released_.push_back(c);
  if (released_.empty()) return 1;
  double low = 0, high = 1;
  while (high - low > kReleaseBracket) {
    const double u = 0.5 * (low + high);
    interpolateTrial(x_, trial, u, stage_);
    const bool all = evaluate(stage_, false, false) && std::none_of(released_.begin(), released_.end(), [&](size_t c) {
                       return x_.contacts[c].mode == ContactMode::kFree;
                     });
    (all ? low : high) = u;
  }
  (void)evaluate(stage_ = trial.ends, false, false);  // The contact equations are at the end again.
  if (high > 1 - kReleaseEnd) return 1;
  ++releases_;
  for (const size_t c : released_) x_.contacts[c].lets_go = true;
  return high;
}

/// By more than the step may be off by.
bool RungeKutta::slipTurnsBack(const Trial& trial) const {
  for (size_t c = 0; c < x_.contacts.size(); ++c)
    if (slides(x_.contacts[c]) &&
        slipOf(trial.ends, c).dot(start_slip_[c].normalized()) < -x_.scales.velocity_tolerance)
      return true;
  return false;
}

/// Whether the friction of the middle opposes the slip neither there nor at an end, where the proof looks for it: slip
/// of a light body between heavy ones may turn faster than velocities show to the step's error.
bool RungeKutta::frictionTurns(Trial& trial) {
  bool interpolated = false;
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    const Contact& contact = x_.contacts[c];
    const Vector3d& P = trial.forces[c][1];
    if (!contact.held || !contact.slides || P.tail<2>().isZero(0)) continue;
    const auto isOff = [&](const Vector2d& slip) { return rubsElsewhere(x_, contact, P, slip); };
    if (!isOff(start_slip_[c])) continue;
    trial.placed = false;
    x_.contacts.placeOne(trial.ends, c);
    if (!isOff(slipOf(trial.ends, c))) continue;
    if (!interpolated) interpolateTrial(x_, trial, 0.5, stage_);
    interpolated = true;
    x_.contacts.placeOne(stage_, c);
    if (isOff(slipOf(stage_, c))) return true;
  }
  return false;
}

/// Share of the step at which the first sliding contact comes to a stop (its slip turns against the direction it had at
/// the start); 1 for none.
double RungeKutta::slipStop(Trial& trial, int& contact) {
  double first = 1;
  if (std::none_of(x_.contacts.begin(), x_.contacts.end(), slides)) return first;
  end_slip_.resize(x_.contacts.size());
  for (size_t c = 0; c < x_.contacts.size(); ++c)
    if (slides(x_.contacts[c])) end_slip_[c] = slipOf(trial.ends, c);  // Where the contact equations are.
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    if (!slides(x_.contacts[c])) continue;
    const double end = end_slip_[c].dot(start_slip_[c].normalized());
    if (!(end <= 0)) continue;
    trial.placed = false;
    const double stop = locateStop(trial, c, end);
    if (!(stop < first)) continue;
    first = stop;
    // Slip that has only turned away from its first direction goes on: the step ends there, to follow it.
    contact = slipOf(stage_, c).norm() <= kStopSlip * x_.scales.velocity_tolerance ? static_cast<int>(c) : -1;
  }
  return first;
}

/// Where the slip of a contact along its first direction, `end` at the end of the trial, comes to nothing: regula falsi
/// (Illinois) on the interpolated states.
double RungeKutta::locateStop(const Trial& trial, size_t c, double end) {
  const Vector2d s0 = start_slip_[c], d = s0.normalized();
  double lo = 0, hi = 1, f_lo = s0.norm(), f_hi = end;
  int side = 0;
  for (int i = 0; i < kStopIterations && hi - lo > kStopBracket; ++i) {
    const double u = f_hi < 0 ? lo + (hi - lo) * f_lo / (f_lo - f_hi) : hi;
    interpolateTrial(x_, trial, u, stage_);
    x_.contacts.placeOne(stage_, c);
    const double f = slipOf(stage_, c).dot(d);
    if (std::abs(f) <= kStopSlipShare * x_.scales.slip_speed) return u;
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
  return hi;
}

}  // namespace rigor::sim
