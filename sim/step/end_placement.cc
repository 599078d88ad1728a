// SPDX-License-Identifier: MIT
#include "sim/step/end_placement.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "dynamics/kinematics.h"
#include "sim/step/locked_motion.h"

namespace rigor::sim {

using Eigen::Vector3d;
using Eigen::Vector4d;
using friction::ContactMode;

namespace {

constexpr double kPushShare = 0.02;       // Least share of delta by which a gap returns towards it in a step.
constexpr double kPushEnergyShare = 0.01;  // Of the kinetic energy: the most that lifting back to delta may take.
constexpr double kPushToleranceShare = 0.5;  // Of the velocity tolerance: the most speed that this may take.
constexpr int kGapIterations = 6;         // Newton steps of the projection onto the gaps.
constexpr double kGapConverged = 1e-3;    // Of the nominal gap,
constexpr double kPressedShare = 0.5;     // Of delta: points pressed in by more are events.
constexpr double kGapAcceptable = 0.1;    // and where redundant contacts keep it from getting there.
constexpr double kLowShare = 0.75;        // Of delta: contacts below it are not put lower for the sake of others.
constexpr double kGapLever = 30;          // Points may move by this many times what the gaps are off.
constexpr double kFollowedSlip = 0.1;     // Of V: what slips faster needs the friction of all that pushes it.
constexpr double kOutsideShare = 0.25;    // Of what acts outside of a cone: so much is an error.
// Of what contacts turn a robot's links by as joints act at another instant: four tolerances are under two thirds of
// what the proof grants joints.
constexpr double kApartShare = 0.25;
// Of what free bodies would miss if another group cut the step: the same, under what is granted where several touch.
constexpr double kCutShare = 0.25;
// Of what acted misses of a robot's angular momentum in a step at velocity level, of its heaviest link and over L: ten
// tolerances, which is less of the robot as a whole.
constexpr double kTurnedShare = 0.1;
constexpr int kBalancePasses = 8;         // Until the points of the impulses are those of the motion with its ends:
constexpr double kBalanced = 0.01;        // what is left changes velocities by this share of the tolerance.
constexpr double kEnergyRounding = 1e-14;  // Of the energy: a few roundings of its sum.
// Of the energy: roundings of velocities that follow from momentum, by inertias of very different links.
constexpr double kMomentumRounding = 1e-12;
constexpr double kRoundingOfJoints = 1e-3;  // Of the energy of joints that move: more of it is not taken as rounding.

}  // namespace

void interpolateRobot(const dynamics::ArticulatedModel& model, const dynamics::ArticulatedState& start,
                      const Eigen::VectorXd& start_acceleration, const dynamics::ArticulatedState& end, double h,
                      double u, Acting acting, dynamics::ArticulatedState& state, Eigen::VectorXd& acceleration,
                      Eigen::VectorXd& rate) {
  const double u2 = u * u, u3 = u2 * u;
  const double h01 = 3 * u2 - 2 * u3, h00 = 1 - h01, h10 = u - 2 * u2 + u3, h11 = u3 - u2;
  rate.resize(model.numPositions());
  state.q = h00 * start.q + h01 * end.q;
  dynamics::calcConfigurationRate(model, start.q, start.v, rate);
  state.q += h * h10 * rate;
  dynamics::calcConfigurationRate(model, end.q, end.v, rate);
  state.q += h * h11 * rate;
  normaliseQuaternions(model, state.q);
  if (acting != Acting::kHalves) {
    state.v = h00 * start.v + h01 * end.v + h * (h10 * start_acceleration + h11 * acceleration);
    acceleration = (1 - u) * start_acceleration + u * acceleration;
    return;
  }
  // As what acts has changed them: friction may stop a slip in the first half.
  state.v = start.v + h * (std::min(u, 0.5) * start_acceleration + std::max(u - 0.5, 0.0) * acceleration);
  if (u > 0.5) acceleration = ((1 - u) * start_acceleration + (2 * u - 1) * acceleration) / u;
  else acceleration = start_acceleration;
}

namespace {

/// Coordinates of the robots at the share u of a trial. `moving`: velocities are asked for that loops allow.
void interpolateRobots(StepContext& x, const Trial& trial, double u, bool moving, SystemState& state) {
  for (size_t r = 0; r < x.start.robots.size(); ++r) {
    const SystemRobot &from = x.start.robots[r], &to = trial.ends.robots[r];
    state.robots[r].acceleration = to.acceleration;
    interpolateRobot(*from.model, from.state, from.acceleration, to.state, trial.h, u, trial.acting,
                     state.robots[r].state, state.robots[r].acceleration, x.curve_rate);
    if (from.model->loops().empty()) continue;
    if (moving) x.contacts.system().constrainRobot(state.robots[r]);
    else x.contacts.system().constrainPositions(state.robots[r]);
  }
}

}  // namespace

void interpolateLinks(StepContext& x, const Trial& trial, double u, SystemState& state) {
  interpolateRobots(x, trial, u, false, state);
  x.contacts.system().placeLinks(state);
}

void interpolateTrial(StepContext& x, const Trial& trial, double u, SystemState& state) {
  state = x.start;
  const double h = trial.h;
  const bool free = trial.isFree();
  for (size_t i = 0; i < x.start.size(); ++i) {
    if (x.start[i].robot >= 0) continue;  // Links follow from their robots' coordinates, below.
    if (free) {
      const dynamics::RigidBodyState from = trial.as_shown ? x.start[i].state : x.flightOf(i);
      state[i].state = dynamics::stepFree(*x.start[i].model, from, x.scene.gravity, u * h);
      continue;
    }
    const double u2 = u * u, u3 = u2 * u;
    const double h01 = 3 * u2 - 2 * u3, h00 = 1 - h01, h10 = u - 2 * u2 + u3, h11 = u3 - u2;
    const SystemBody& s0 = x.start[i];
    const SystemBody& s1 = trial.ends[i];
    const Vector4d q0 = dynamics::quaternionRate(s0.state.pose.q, s0.state.w);
    const Vector4d q1 = dynamics::quaternionRate(s1.state.pose.q, s1.state.w);
    state[i].state.pose.p = h00 * s0.state.pose.p + h01 * s1.state.pose.p + h * (h10 * s0.state.v + h11 * s1.state.v);
    state[i].state.pose.q = (h00 * s0.state.pose.q + h01 * s1.state.pose.q + h * (h10 * q0 + h11 * q1)).normalized();
    if (trial.acting == Acting::kNothing) {
      state[i].state.setVelocity(h00 * s0.state.velocity() + h01 * s1.state.velocity() +
                                 h * (h10 * trial.a0[i] + h11 * trial.a1[i]));
      continue;
    }
    // What the forces at its instants have made of it there: an end that slips stop or reverse says little of what was
    // before.
    std::array<Vector6d, 3> changes = trial.changes[i];
    const size_t n = instantsOf(trial.acting).size();
    restrictImpulses(trial.acting, trial.share * u, {changes.data(), n});
    Vector6d velocity = s0.state.velocity();
    for (size_t k = 0; k < n; ++k) velocity += changes[k];
    state[i].state.setVelocity(velocity);
  }
  interpolateRobots(x, trial, u, true, state);
  if (!x.start.robots.empty()) x.contacts.system().writeLinks(state);
}

Placed EndPlacement::settle(Trial& trial, bool placed) {
  // A contact that starts off the nominal gap returns to it slowly: no step, however short, is a kick.
  // Lifting costs energy, of which bodies that hardly move have none to give.
  double kinetic = 0, weight = 0, fastest = 0;
  for (const SystemBody& b : trial.ends) {
    kinetic += dynamics::kineticEnergy(*b.model, b.state);
    weight += b.model->mass * x_.scales.acceleration;
    fastest = std::max(fastest, x_.speed(b.state.velocity()));
  }
  // limitEnergy() takes half this share from the speed: an error, which a shorter step has as well.
  const double most = 2 * kPushToleranceShare * x_.scales.velocity_tolerance / std::max(fastest, 1e-300),
               // So short are steps that could not be proved longer: what returns may press another feature of its pair
               // in, which is nobody's contact. As short as they get nothing moves.
               least = trial.h < x_.scales.short_step ? 0 : kPushShare * x_.scales.gap,
               back = std::min(x_.scales.push_out * trial.h + least,
                               std::min(kPushEnergyShare, most) * kinetic / weight);
  before_projection_ = trial.ends;
  if (!placeEnds(trial, back, placed)) {
    // Corners that cannot all return to delta at once, or only by motions far larger, stay where they are.
    trial.ends = before_projection_;
    if (!placeEnds(trial, 0, false)) return Placed::kContradiction;
  }
  // What the gaps ask for beyond the band is another motion than that of the velocities.
  trial.error = std::max(trial.error, (largestMove(trial.ends, before_projection_) - x_.scales.band) / trial.h);
  saved_held_.clear();
  for (Contact& c : x_.contacts) saved_held_.push_back(c.held), c.held = c.loaded;
  double moved = 0;
  robots_off_ = 0;
  unbalanced_ = HUGE_VAL;
  if (!trial.ends.robots.empty()) unclosed_ = trial.ends;
  for (int pass = 0; pass < kBalancePasses && unbalanced_ > kBalanced * x_.scales.velocity_tolerance; ++pass) {
    moved = balanceEnds(trial);
    unbalanced_ = balance_.offBy(trial);
  }
  balance_.record(closing_, trial);
  for (size_t i = 0; i < x_.contacts.size(); ++i) x_.contacts[i].held = saved_held_[i];
  trial.error = std::max({trial.error, moved, unbalanced_, robots_off_, kOutsideShare * balance_.outside(trial)});
  // Velocities may jump in a step so short: what a part of it misses does not come of its length.
  const bool instant = trial.acting == Acting::kHalves &&
                       trial.h * x_.scales.acceleration < kJumpShare * x_.scales.velocity_tolerance;
  // A light body between heavy ones is hardly moved by what closes its contacts, and yet pushed by far more than it
  // weighs.
  cut_off_ = x_.start.robots.empty() && !instant ? kCutShare * balance_.cutOffBy(trial) : 0;
  if (x_.start.robots.empty()) trial.error = std::max({trial.error, withoutFriction(trial), cut_off_});
  limitEnergy(trial);
  return Placed::kDone;
}

/// The velocities that the balances of momentum give, without what is against the contacts. @returns by how much that
/// was, at most [m/s].
double EndPlacement::balanceEnds(Trial& trial) {
  // What closes their contacts is found anew, and recorded: robots start over, as free bodies do.
  for (size_t r = 0; r < trial.ends.robots.size(); ++r) trial.ends.robots[r].state.v = unclosed_.robots[r].state.v;
  for (size_t i = 0; i < trial.ends.size(); ++i)
    if (trial.ends[i].robot >= 0) trial.ends[i].state.setVelocity(unclosed_[i].state.velocity());
  const double changed = balance_.apply(trial);
  if (unbalanced_ == HUGE_VAL) trial.rebalanced = changed;  // The first time: the velocities were the method's.
  robots_off_ = std::max(robots_off_, balance_.robotsOffBy(trial));
  before_projection_ = trial.ends;
  closing_.assign(x_.contacts.size(), Vector3d::Zero());
  x_.contacts.projectVelocities(trial.ends, x_.usual(), closing_);
  double moved = 0;
  for (size_t i = 0; i < trial.ends.size(); ++i)
    moved = std::max(moved, x_.speed(trial.ends[i].state.velocity() - before_projection_[i].state.velocity()));
  return moved;
}

Placed EndPlacement::settleEnd(Trial& trial) {
  const double error = trial.error;
  trial.settled = true;
  if (settle(trial, trial.placed) != Placed::kDone) return Placed::kContradiction;
  // First order: what the projection of the end moves is of the step's own order, not an error of the formula. Energy
  // that is taken away acts through nothing: that is one, and so is what the balances of momentum are off by. Where the
  // point of a round link runs to its other side within the step, what jumps there turns the robot otherwise.
  if (trial.velocity_level)
    trial.error = std::max({error, trial.scaled, unbalanced_, kTurnedShare * robots_off_, withoutFriction(trial),
                            apartFromJoints(trial), cut_off_});
  if (trial.acting == Acting::kSmooth) trial.error = std::max(trial.error, trial.rebalanced);
  // Forces are found for where contacts are at the ends of the halves, and act in their middles: where edges cross
  // nearly in parallel, and a heavy body squeezes a light one, that turns the light one by many times its own spin.
  if (x_.start.robots.empty() && trial.h > x_.scales.short_step && balance_.rubsElsewhere(trial))
    trial.error = std::max(trial.error, kHalvingError * x_.scales.velocity_tolerance);
  return Placed::kDone;
}

/// Contacts that wedge a robot push its links by a thousand times what they weigh, and its joints push back.
double EndPlacement::apartFromJoints(const Trial& trial) const {
  return kApartShare * balance_.apartFromJoints(closing_, trial);
}

/// What the projection of the end pushed on contacts that slip, and their friction does not follow: a push along the
/// normal alone is not Coulomb's. Half of the friction that is missing, of the lighter body [m/s].
double EndPlacement::withoutFriction(const Trial& trial) const {
  double most = 0;
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    const Contact& contact = x_.contacts[c];
    if (contact.isLimit() || contact.mode != ContactMode::kSlip || closing_[c].isZero(0)) continue;
    const double slip = x_.contacts.velocity(trial.ends, c).tail<2>().norm();
    if (!(slip > kFollowedSlip * x_.scales.speed)) continue;
    const double missing = std::min(contact.friction, kLargeFriction) * std::abs(closing_[c][0]);
    most = std::max(most, 0.5 * missing / x_.lighterMass(contact));
  }
  return most;
}

/// Gaps that the ends of the contacts go to: delta, or towards it by at most `back`.
void EndPlacement::setTargets(double back) {
  for (Contact& c : x_.contacts) {
    c.pressed = false;
    if (c.of_event) continue;  // It stays where the motion takes it, see press().
    const double off = c.start_gap - x_.scales.gap;
    c.target = x_.scales.gap + std::copysign(std::max(0.0, std::abs(off) - back), off);
    if (!c.loaded) c.target = std::min(c.target, x_.scales.gap);
  }
}

/// Finds the points that are not loaded and yet have to be kept off. @returns how deep the deepest of them is [m].
double EndPlacement::press(const Trial& trial, int iteration) {
  double pressed = 0;
  const double most = kPressedShare * std::min(x_.scales.gap, x_.scales.velocity_tolerance * trial.h);
  if (iteration == 0) approaches_.assign(x_.contacts.size(), 0);
  for (size_t i = 0; i < x_.contacts.size(); ++i) {
    Contact& c = x_.contacts[i];
    const double gap = x_.contacts.kinematics(i).gap, depth = c.target - gap;
    if (c.of_event) {
      if (iteration == 0) c.target = std::clamp(gap, 0.6 * x_.scales.gap, x_.scales.gap);
    } else if (!c.loaded && !c.pressed) {
      // What the motion itself takes more than this is an approach: an event. What putting others on their gaps presses
      // in is kept off, however deep: contacts nearly in one plane turn their bodies by far more than the gaps change.
      if (iteration == 0 && std::min(c.start_gap, c.target) - gap > most) approaches_[i] = 1;
      c.pressed = depth > kGapConverged * x_.scales.gap && !approaches_[i];
    }
    if (c.pressed) pressed = std::max(pressed, c.target - gap);
  }
  return pressed;
}

/// Puts the gaps of the loaded contacts at the end of a trial on their targets, which return to delta by at most
/// `back`. No other point of the band is pressed below delta, or below where it was, by that: the corners of a tilted
/// patch hang together, and what one of them gains may not be what another loses, step by step. @returns false if the
/// targets contradict each other, or nearly so: bodies would move by far more than the gaps are off. `placed`: the
/// contact equations are at the end already, as they are afterwards.
bool EndPlacement::placeEnds(Trial& trial, double back, bool placed) {
  setTargets(back);
  double before = HUGE_VAL, off_by = 0;
  // Links follow their joints when contacts are placed: only then is it known how far they have moved.
  const auto place = [&] {
    x_.contacts.place(trial.ends);
    return mayMove(trial, before_projection_, off_by);
  };
  for (int k = 0; k < kGapIterations; ++k) {
    if (!placed && !place() && k > 0) return false;
    placed = false;
    const double pressed = press(trial, k);
    const double converged = kGapConverged * x_.scales.gap;
    const double off = x_.contacts.projectGaps(trial.ends, converged);
    if (k == 0) trial.error = std::max(trial.error, (off - converged - back) / trial.h);
    if (!(off > converged)) {
      if (k == 0 && losesLowPoints()) raiseLowPoints(trial);
      break;
    }
    off_by += off;
    for (SystemBody& b : trial.ends) b.state.pose.q.normalize();
    for (SystemRobot& r : trial.ends.robots) x_.contacts.system().constrainRobot(r);
    // Corners of one flat patch are redundant: targets that do not lie in one plane are met on average.
    if (off > 0.5 * before && off <= kGapAcceptable * x_.scales.gap && (pressed <= converged || back == 0))
      return place() && (back == 0 || keepsLowPoints());
    before = off;
    if (k + 1 == kGapIterations) return false;
  }
  return true;
}

/// Whether the ends may have been moved so far from `before` for gaps that were off by `off`: by not many times as
/// much, or by what neither the band nor the step's accuracy takes notice of.
bool EndPlacement::mayMove(const Trial& trial, const SystemState& before, double off) const {
  const double unnoticed = std::min(x_.scales.band, x_.scales.velocity_tolerance * trial.h);
  return largestMove(trial.ends, before) <= std::max(kGapLever * off, unnoticed);
}

/// Whether a contact that is low already has lost anything, be it less than what counts as converged. @pre as above.
bool EndPlacement::losesLowPoints() const {
  for (size_t i = 0; i < x_.contacts.size(); ++i) {
    const Contact& c = x_.contacts[i];
    const bool low = c.loaded && !c.of_event && c.start_gap < kLowShare * x_.scales.gap;
    if (low && x_.contacts.kinematics(i).gap < c.start_gap) return true;
  }
  return false;
}

/// Puts the contacts on their targets, which are so near that only step by step it matters.
void EndPlacement::raiseLowPoints(Trial& trial) {
  low_ = trial.ends;
  const double off = x_.contacts.projectGaps(trial.ends);
  for (SystemBody& b : trial.ends) b.state.pose.q.normalize();
  for (SystemRobot& r : trial.ends.robots) x_.contacts.system().constrainRobot(r);
  x_.contacts.place(trial.ends);
  if (mayMove(trial, low_, off)) return;
  trial.ends = low_;
  x_.contacts.place(trial.ends);
}

/// Whether what one contact gains is no loss of another one that is low already. @pre the equations are at the end.
bool EndPlacement::keepsLowPoints() const {
  for (size_t i = 0; i < x_.contacts.size(); ++i) {
    const Contact& c = x_.contacts[i];
    if (!c.loaded || c.of_event) continue;
    const double least = std::min(c.start_gap, kLowShare * x_.scales.gap) - kGapConverged * x_.scales.gap;
    if (!(x_.contacts.kinematics(i).gap >= least)) return false;
  }
  return true;
}

/// By how much the projection onto the gaps has moved a point of a body, at most [m].
double EndPlacement::largestMove(const SystemState& ends, const SystemState& before) const {
  double largest = 0;
  for (size_t i = 0; i < ends.size(); ++i) {
    const geom::Pose &from = before[i].state.pose, &to = ends[i].state.pose;
    const double radius = x_.bodies[x_.island[i]].radius;
    const double moved = (to.p - from.p).norm() + 2 * radius * (to.q - from.q).norm();
    if (!(moved <= largest)) largest = moved;  // NaN stays.
  }
  return largest;
}

/// settle() of a trial whose end nothing changes any more.
Placed EndPlacement::settleCut(Trial& trial) {
  const Placed placed = settle(trial, false);
  if (trial.acting == Acting::kSmooth) trial.error = std::max(trial.error, trial.rebalanced);
  return placed;
}

/// By how much velocities at the share u of a trial, which forces make, are off its curve, at most [m/s]: where slips
/// stop or turn about they say little of what is between.
double EndPlacement::apartFromCurve(const Trial& trial, double u) const {
  if (trial.acting != Acting::kSmooth) return 0;
  const double h01 = 6 * u * (1 - u) / trial.h, h10 = (1 - u) * (1 - 3 * u), h11 = u * (3 * u - 2);
  double most = 0;
  for (size_t i = 0; i < x_.start.size(); ++i) {
    if (x_.start[i].robot >= 0) continue;
    const dynamics::RigidBodyState &from = x_.start[i].state, &to = trial.ends[i].state, &cut = cut_[i].state;
    const Vector3d off = h01 * (to.pose.p - from.pose.p) + h10 * from.v + h11 * to.v - cut.v;
    Vector4d turns = h01 * (to.pose.q - from.pose.q) + h10 * dynamics::quaternionRate(from.pose.q, from.w) +
                     h11 * dynamics::quaternionRate(to.pose.q, to.w) - dynamics::quaternionRate(cut.pose.q, cut.w);
    turns -= turns.dot(cut.pose.q) * cut.pose.q;  // Its length says nothing of a motion.
    most = std::max(most, off.norm() + x_.scales.length * 2 * turns.norm());
  }
  return most;
}

Placed EndPlacement::truncate(Trial& trial, double u, int stop) {
  if (!(u > 0 && u <= 1)) return Placed::kContradiction;
  trial.settled = true;
  if (u < 1) {
    interpolateTrial(x_, trial, u, cut_);
    trial.error = std::max(trial.error, apartFromCurve(trial, u));
    const size_t n = x_.start.size();
    if (!trial.isFree())
      for (size_t i = 0; i < n; ++i) trial.a1[i] = (1 - u) * trial.a0[i] + u * trial.a1[i];
    trial.h *= u, trial.share *= u;
    std::swap(trial.ends, cut_);
  }
  if (trial.isFree()) return Placed::kDone;
  if (stop < 0) return settleCut(trial);
  cut_ = trial.ends;
  const double error = trial.error;
  const ContactMode mode = std::exchange(x_.contacts[stop].mode, ContactMode::kStick);
  Placed placed = settleCut(trial);
  x_.contacts[stop].mode = mode;
  // What is left of the slip, across its direction, may be held by no friction: where other contacts hardly let it
  // stop, that moves bodies by far more than the slip. It goes on then.
  if (placed != Placed::kDone || trial.error > x_.scales.velocity_tolerance) {
    trial.ends = cut_, trial.error = error;
    placed = settleCut(trial);
  }
  return placed;
}

void EndPlacement::limitEnergy(Trial& trial) {
  trial.gains_energy = false;
  trial.scaled = 0;
  for (const SystemRobot& robot : x_.start.robots)
    if (robot.effort.size() > 0) return;  // Actuators do work,
  if (x_.start.isPushed()) return;        // and so does who pushes.
  const double e0 = x_.energy(x_.start);
  bool anchored = false;
  for (const Contact& c : x_.contacts) anchored = anchored || ((c.slot_a < 0 || c.slot_b < 0) && (c.held || c.loaded));
  std::optional<LockedMotion> locked;
  if (!anchored && x_.start.robots.size() == 1 && x_.start.robots[0].links.size() == x_.start.size())
    locked = lockedMotion(trial.ends.robots[0], trial.ends.bodies);
  anchored = anchored || !x_.start.robots.empty();
  Vector3d drift = Vector3d::Zero();
  double kinetic = 0, mass = 0, heights = std::abs(e0);
  for (const SystemBody& b : trial.ends) {
    kinetic += dynamics::kineticEnergy(*b.model, b.state);
    drift += b.model->mass * b.state.v, mass += b.model->mass;
    heights += b.model->mass * x_.scene.gravity.norm() * b.state.pose.p.norm();
  }
  for (const SystemRobot& robot : trial.ends.robots) kinetic += dynamics::rotorEnergy(*robot.model, robot.state.v);
  drift = anchored ? Vector3d(Vector3d::Zero()) : Vector3d(drift / mass);
  const double all = kinetic;
  kinetic -= locked ? locked->kinetic : 0.5 * mass * drift.squaredNorm();
  for (int pass = 0; pass < 3; ++pass) {
    const double excess = x_.energy(trial.ends) - e0;
    if (!(excess > 0)) return;
    // A robot whose joints hardly move has nothing but its momentum to take that from.
    if (locked && !(excess < kRoundingOfJoints * kinetic) && excess <= kMomentumRounding * heights)
      locked.reset(), kinetic = all, drift.setZero();
    if (!(excess < 0.5 * kinetic)) {
      // Rounding alone is none: the heights of bodies that lie still round as well.
      if (excess <= kEnergyRounding * heights) return;
      // Friction carried on past the stop of a slip does this; cut there the trial may be sound.
      trial.gains_energy = true;
      return;
    }
    const double factor = std::sqrt(1 - excess / kinetic);
    double fastest = 0;
    for (const SystemBody& b : trial.ends) {
      Vector6d taken_from = b.state.velocity();
      if (locked) taken_from -= locked->velocityAt(b.state.pose.p);
      else taken_from.head<3>() -= drift;
      fastest = std::max(fastest, x_.speed(taken_from));
    }
    if (locked) {
      locked->scaleOthers(factor, trial.ends.robots[0], trial.ends.bodies);
    } else {
      for (SystemBody& b : trial.ends) {
        b.state.v = drift + factor * (b.state.v - drift);
        b.state.w *= factor;
      }
      for (SystemRobot& robot : trial.ends.robots) robot.state.v *= factor;
    }
    trial.scaled += (1 - factor) * fastest;
    trial.error = std::max(trial.error, trial.scaled);
  }
}

}  // namespace rigor::sim
