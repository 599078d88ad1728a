// SPDX-License-Identifier: MIT
// Steps of a crowd: docs/event-loop.md.
#include "sim/step/crowd.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/step/impact_stage.h"

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

constexpr int kCrowd = 12;              // Moving bodies of a group from which on it is a crowd,
constexpr int kChatteringCrowd = 4;     // and where its impacts chatter.
constexpr double kTickShare = 20;       // A tick may take this many event windows,
constexpr double kTickTravel = 0.01;    // and as long as no point moves by more than this share of L,
constexpr double kLongestTick = 100;    // to this many event windows.
constexpr double kShortestTick = 1e-3;  // Event windows: where no longer one can be closed, an ordinary step follows.
constexpr double kTickGrowth = 2;       // From one tick to the next, where lifts leave room for it.
constexpr int kForesights = 2;          // Times that a tick is hit anew for what the motion after its hits brings up.
constexpr int kCrowdTries = 40;
constexpr double kStillShare = 0.05;    // Of g times the event window: slower bodies are asked whether they can stay.
constexpr double kHeldEnergyShare =
    0.1;  // Of the energy that lifts all bodies by delta: what placing contacts does not resolve.
constexpr double kAloneShare = 1e-3;    // Of m V^2 and m V l: what they may be off by,
constexpr double kTogetherShare = 0.01;  // and what bodies that act on each other may gain, as lifting contacts takes.

/// Angular momentum about the centre, world axes.
Vector3d spinOf(const dynamics::RigidBody& body, const dynamics::RigidBodyState& state) {
  const Eigen::Matrix3d R = state.pose.rotation();
  return R * (body.inertia * (R.transpose() * state.w));
}

}  // namespace

bool Crowd::isCrowd(const StepMemory& memory) const {
  const auto hasLoops = [](const SystemRobot& robot) { return !robot.model->loops().empty(); };
  if (std::any_of(x_.start.robots.begin(), x_.start.robots.end(), hasLoops)) return false;
  // A robot moves as one. Scenes of few bodies beside it are not asked for as little as ticks keep (law_bounds.cc).
  const auto isFree = [](const SystemBody& body) { return body.robot < 0; };
  const auto free = std::count_if(x_.start.begin(), x_.start.end(), isFree);
  const auto movers = free + std::ssize(x_.start.robots);
  // Where impacts are to be told apart, only the groups that leave no other way are crowds.
  const bool chatters = !x_.forks && memory.event_window > x_.scales.event_window;
  if (free < kChatteringCrowd || movers < (chatters ? kChatteringCrowd : kCrowd)) return false;
  return chatters || (!isSlow() && !reboundsByModel(memory));
}

/// Whether something in the group may rebound, and the scene's model says how: as long as it can
/// (ImpactStage::resolve).
bool Crowd::reboundsByModel(const StepMemory& memory) const {
  const auto rebounds = [&](int body) { return x_.bodies[body].material.restitution > 0; };
  if (std::none_of(x_.island.begin(), x_.island.end(), rebounds)) return false;
  const auto& contacts = memory.contacts;
  return static_cast<int>(contacts.size()) <= kMaxSampled ||
         std::all_of(contacts.begin(), contacts.end(), [](const Contact& c) { return c.friction == 0; });
}

bool Crowd::isSlow() const {
  return x_.areSlow(x_.start, kStillShare * x_.scales.acceleration * x_.scales.event_window);
}

/// Whether the published motion is that of the robots: links follow their joints, which stay within their ranges.
bool Crowd::followsRobots() {
  if (x_.start.robots.empty()) return true;
  const size_t n = x_.start.size();
  Trial& trial = x_.trial;
  trial.a0.resize(n), trial.a1.resize(n);
  for (size_t i = 0; i < n; ++i)
    trial.a0[i] = trial.a1[i] = (trial.ends[i].state.velocity() - x_.start[i].state.velocity()) / trial.h;
  for (size_t r = 0; r < x_.start.robots.size(); ++r) {
    SystemRobot &from = x_.start.robots[r], &to = trial.ends.robots[r];
    to.implicit_time = 0;
    from.acceleration = to.acceleration = (to.state.v - from.state.v) / trial.h;
    for (const RobotLimit& limit : from.limits)
      if (!(gapOver(limit, from.state, to.state, trial.h).minCoefficient() >= x_.scales.floor)) {
        x_.shrink = 0.5;
        return false;
      }
  }
  return proposal_.publisher.fitsJoints(trial);
}

/// The longest tick to try [s]: impacts come up to a tick early, which moves nothing by more than what no one tells
/// apart.
double Crowd::longestTick() const {
  double fastest = 0;
  for (size_t i = 0; i < x_.start.size(); ++i)
    fastest =
        std::max(fastest, x_.start[i].state.v.norm() + x_.bodies[x_.island[i]].radius * x_.start[i].state.w.norm());
  const double windows = kTickTravel * x_.scales.length / (fastest * x_.scales.event_window);
  const double share = std::clamp(windows, kTickShare, kLongestTick);
  return std::min({x_.scene.solver.max_step, x_.t_end - x_.t0, share * x_.scales.event_window});
}

/// What hits at the start of a tick. @returns false if that could not be solved.
bool Crowd::startTick(double h, StepResult& result) {
  x_.ledger.begin(result.impacts);
  x_.ledger.closing().assign(x_.contacts.size(), Vector3d::Zero());
  result.jump.clear();
  result.closed = false;
  if (tick_.hit(h) != Tick::Closed::kYes) return false;
  if (tick_.hits().empty()) return true;
  result.closed = x_.ledger.recordHit(h, tick_.hits(), result.impacts);
  x_.ledger.writeJump(result.jump);
  return true;
}

/// Whether the balance of no body errs by more than the velocity tolerance where all stand still in place of what the
/// tick starts with and comes to: what is little energy among heavy bodies may be the whole of a light one's.
bool Crowd::hardlyMoves() const {
  return x_.areSlow(x_.start, x_.scales.velocity_tolerance) && x_.areSlow(x_.trial.ends, x_.scales.velocity_tolerance);
}

/// Whether bodies on which nothing acts keep their energy and angular momentum, and bodies that act on each other alone
/// gain none. Not those that turn fast: their spin is taken to change evenly, and forces to act where contacts are at
/// the end. A shorter tick knows better.
bool Crowd::keepsThoseAlone() {
  if (x_.start.isPushed()) return true;
  together_.reset(x_.start.size());
  group_.assign(x_.start.size(), {});
  for (const Contact& c : x_.contacts)
    if (!c.force.isZero(0)) {
      for (const int slot : {c.slot_a, c.slot_b})
        if (slot >= 0) group_[slot].acted_on = true;
      if (c.slot_a >= 0 && c.slot_b >= 0) together_.unite(c.slot_a, c.slot_b);
    }
  for (size_t i = 0; i < x_.start.size(); ++i) {
    const SystemBody& body = x_.start[i];
    Together& group = group_[together_.root(static_cast<int>(i))];
    group.robot = group.robot || body.robot >= 0;
    if (body.robot >= 0) continue;
    const dynamics::RigidBodyState &from = body.state, &to = x_.trial.ends[i].state;
    const double size = 2 * x_.bodies[x_.island[i]].radius, speed_sq = x_.scales.acceleration * size,
                 gain = dynamics::kineticEnergy(*body.model, to) - dynamics::kineticEnergy(*body.model, from) -
                        body.model->mass * x_.scene.gravity.dot(to.pose.p - from.pose.p),
                 unit = body.model->mass * speed_sq;
    group.gain += gain, group.unit = std::max(group.unit, unit);
    if (group_[i].acted_on) continue;
    const double turn = (spinOf(*body.model, to) - spinOf(*body.model, from)).norm();
    const double most = kAloneShare * unit;
    if (!(std::abs(gain) <= most && turn * std::sqrt(speed_sq) <= most * size)) return false;
  }
  return std::all_of(group_.begin(), group_.end(), [](const Together& group) {
    return group.robot || group.gain <= kTogetherShare * group.unit;
  });
}

/// Velocities at the end of a tick. @returns false where it gains energy, more than scaling velocities may take: that
/// acts through nothing.
bool Crowd::endTick(StepResult& result) {
  double kinetic = 0, weight = 0;
  for (const SystemBody& b : x_.start) {
    kinetic += dynamics::kineticEnergy(*b.model, b.state);
    weight += b.model->mass * x_.scales.acceleration;
  }
  ledger_.balance(x_.trial);
  for (Contact& c : x_.contacts) c.held = c.loaded = c.force[0] > 0;
  placement_.limitEnergy(x_.trial);
  if (!keepsThoseAlone()) return false;
  if (!x_.trial.gains_energy) return x_.trial.scaled <= x_.scales.velocity_tolerance;
  if (!(kinetic <= kHeldEnergyShare * weight * x_.scales.gap) || !hardlyMoves()) return false;
  // Motion that would fall goes on; what only rises, by less than contacts are placed to, stands still for a tick.
  x_.start.stop();
  x_.trial.ends = x_.start;
  x_.trial.gains_energy = false;
  x_.ledger.stop(result.impacts);
  return true;
}

/// Rest, where the bodies hardly move and forces balance gravity. @returns whether that is so.
bool Crowd::standStill(double h, StepMemory& memory, double reach, StepResult& result) {
  if (!isSlow() || !tick_.balances(h)) return false;
  x_.start.stop();
  bool hit = false;
  if (proposal_.stay(reach, hit, result) != Certified::kProved) return false;
  ledger_.rest(x_.pieces[0].t1, result.acted);
  finishCrowd(memory, result);
  result.status = hit ? StepStatus::kStepped : StepStatus::kRest;
  x_.say("rest", 0);
  return true;
}

StepStatus Crowd::step(StepMemory& memory, double reach, StepResult& result) {
  const double longest = longestTick();
  double h = memory.next_step > 0 ? std::min(memory.next_step, longest) : longest;
  h = std::max(h, std::min(longest, kShortestTick * x_.scales.event_window));
  if (h > 0.6 * (x_.t_end - x_.t0) && h < x_.t_end - x_.t0) h = 0.5 * (x_.t_end - x_.t0);
  const double asked = h;
  const SystemState from = x_.start;
  tick_.findAhead(h, memory.contacts);
  if (x_.finder.touchesOthers(x_.contacts, result.touched)) return StepStatus::kMerge;
  x_.reason = "the contacts of a crowd could not be closed";
  if (standStill(h, memory, reach, result)) return result.status;
  double found_for = h;
  for (int tries = 0; tries < kCrowdTries; ++tries) {
    if (!(h > x_.scales.min_step) || (tries > 0 && h < kShortestTick * x_.scales.event_window)) break;
    x_.start = from;
    if (h != found_for) {
      // Features of the end of a longer tick need not be over each other yet.
      tick_.findAhead(h, memory.contacts);
      found_for = h;
    }
    bool closed = startTick(h, result);
    double length = closed ? tick_.lengthToArrival(h) : h;
    for (int k = 0; k < kForesights && closed && tick_.foresees(length); ++k) {
      x_.start = from;
      closed = startTick(h, result);
      length = closed ? tick_.lengthToArrival(h) : h;
    }
    const Tick::Closed solved = closed ? tick_.solve(length, memory.lift_pause) : Tick::Closed::kNo;
    closed = solved == Tick::Closed::kYes;
    if (x_.finder.touchesOthers(x_.contacts, result.touched)) return StepStatus::kMerge;
    x_.trial.h = length;
    x_.trial.error = 0;
    x_.trial.acting = Acting::kNothing;
    const auto refuse = [&](std::string_view why, double share) {
      x_.say("refused", length, why);
      h *= share;
    };
    if (solved == Tick::Closed::kHitFirst) { refuse("what comes up in the tick hits first", 1); continue; }
    if (!closed || !endTick(result)) {
      refuse(closed ? "the tick gains energy" : "the tick's contacts could not be closed", 0.5);
      continue;
    }
    if (!ledger_.opposesSlip(x_.trial)) { refuse("friction of the tick does not oppose its slip", 0.5); continue; }
    proposal_.publisher.hermitePieces(x_.trial);
    if (!followsRobots()) { refuse("the tick does not follow its robots", x_.shrink); continue; }
    if (!lift_.lift()) { refuse("the tick's contacts could not be lifted", lift_.shorter()); continue; }
    proposal_.publisher.publishMotion();
    if (proposal_.certifier.certify(reach, result) != Certified::kProved) {
      const int failed = proposal_.certifier.failedPair();
      bool added = false;
      if (failed >= 0 && tries < kCrowdTries / 2)
        for (const double t : {x_.t0 + 0.5 * length, x_.t0 + length})
          added = tick_.addNear(failed, std::min(t, x_.pieces[0].t1)) || added;
      refuse("a pair of the tick could not be proved apart", added ? 1 : 0.5);
      continue;
    }
    x_.say("accepted", length, {}, "crowd");
    memory.next_step = h == asked ? std::clamp(lift_.room(), 1.0, kTickGrowth) * h : h;
    result.acted = x_.trial.acted;
    result.acted.setTimes(x_.t0, x_.pieces[0].t1);
    finishCrowd(memory, result);
    return StepStatus::kStepped;
  }
  result.message = x_.reason;
  return StepStatus::kFailed;
}

void Crowd::finishCrowd(StepMemory& memory, StepResult& result) {
  memory.event_window = std::max(memory.event_window, 2 * x_.scales.event_window);  // Stays a crowd.
  result.start_velocities.resize(x_.start.size());
  result.ends.resize(x_.start.size());
  result.t1 = x_.pieces[0].t1;
  result.pieces = x_.pieces;
  result.robot_starts = x_.start.robots, result.robot_ends = x_.trial.ends.robots;
  for (size_t i = 0; i < x_.start.size(); ++i) {
    result.start_velocities[i] = x_.start[i].state.velocity();
    result.ends[i] = x_.trial.ends[i].state;
    result.ends[i].pose = x_.pieces[i].end();
  }
  x_.contacts.place(x_.trial.ends);
  memory.contacts.clear();
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    Contact& contact = x_.contacts[c];
    // Where its step begins a joint is told to be at the end of its range, or not.
    if (contact.isLimit()) contact.held = contact.held && contact.start_gap <= x_.scales.band;
    if (contact.force[0] > 0 || x_.contacts.kinematics(c).gap <= x_.scales.band) memory.contacts.push_back(contact);
  }
}

}  // namespace rigor::sim
