// SPDX-License-Identifier: MIT
#include "sim/step/decision.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rigor::sim {

using Eigen::Vector3d;
using friction::ContactMode;
using friction::CoulombStatus;

namespace {

constexpr int kMaxRounds = 24;         // Impact and closing rounds of one decision.
constexpr int kClosureRounds = 8;      // Rounds after which one plastic impact of all contacts closes the event.
constexpr int kLooseRounds = 16;       // Rounds after which what this impact leaves is taken apart, contact by contact.
// Of delta in the window: by what is left then contacts may come closer. The rows of a slender body are redundant up to
// a tilt that goes with its width, and what a projection leaves on them with it.
constexpr double kLeftShare = 0.1;
constexpr double kNoImpulse = 1e-9;    // Of the largest of such an impact: none.
constexpr double kSurelySlides = 20;   // Slip faster than this times g times the window keeps its direction over it.
constexpr double kSurelyLeaves = 10;   // Times g times the window: what separates faster is no contact of the window.
constexpr double kRestConeShare = 1e-9;  // Of the largest force: friction beyond its cone by rounding.
constexpr double kWedgedShare = 1e-2;  // Of g: slower than this what is wedged may accelerate for want of digits.
constexpr double kBearsAll = 0.99;     // Of a brake's force: one that bears so much bears all it can.
constexpr double kStopShare = 0.5;     // Of what friction can take away within the window: what stops is slower.

}  // namespace

Decided Decision::decide(const StepMemory& memory, std::uint64_t path, StepResult& result) {
  const double window = x_.isPulledMuch() ? x_.scales.event_window : memory.event_window;
  x_.ledger.closing().assign(x_.contacts.size(), Vector3d::Zero());
  if (!x_.contacts.empty()) {
    x_.contacts.place(x_.start);
    for (size_t c = 0; c < x_.contacts.size(); ++c) x_.contacts[c].start_gap = x_.contacts.kinematics(c).gap;
    reducePatches(x_.contacts);
  }
  bool stopped = false;
  for (int round = 0; round < kMaxRounds; ++round) {
    if (x_.contacts.empty()) return Decided::kReady;
    left_ = round >= kLooseRounds ? kLeftShare * x_.scales.gap / window : 0;
    for (Contact& c : x_.contacts) c.held = c.in_patch;
    noteSlidingBrakes(window);
    x_.contacts.prepare(x_.start);  // Nothing moves within a decision: after an impact only J' u changes.
    const Approach approach = findApproach(round);
    if (approach == Approach::kPromoted) continue;
    const bool closing = round >= kClosureRounds && !std::exchange(stopped, false), loose = round >= kLooseRounds;
    idle_.clear();
    if (closing) {
      // Impacts that keep pressing contacts in again: one plastic impact of all contacts together ends them.
      if (impacts_.close(result) != ImpactResult::kResolved) {
        result.message = "the plastic closure of an impact could not be solved";
        return Decided::kFailed;
      }
      holdClosed(loose);
      if (loose && findApproach(round) != Approach::kNone) {
        stopApproaches();
        stopped = true;
        continue;
      }
      // What lies still takes no impulse: it is carried all the same.
      if (std::none_of(x_.contacts.begin(), x_.contacts.end(), [](const Contact& c) { return c.held; }))
        decideModes(window);
    } else if (approach == Approach::kSome) {
      const size_t before = result.impacts.size();
      const ImpactResult impact = impacts_.resolve(path * kMaxRounds + round, result);
      if (impact == ImpactResult::kResolved) {
        if (result.impacts.size() == before) stopApproaches();
        continue;
      }
      result.message = "the impact could not be resolved";
      return impact == ImpactResult::kFork ? Decided::kFork : Decided::kFailed;
    } else {
      if (stopsWithin(window)) return Decided::kReady;
      decideModes(window);
    }
    if (closeContacts(window, closing) == Settled::kAgain) {
      x_.ledger.closeBeforeImpact();
      continue;
    }
    noteSlips();
    return Decided::kReady;
  }
  result.message = "impacts and closing contacts do not settle";
  return Decided::kFailed;
}

bool Decision::goesOn(const StepMemory& memory) {
  if (!memory.goes_on || !(x_.t_end - memory.began <= x_.scene.solver.max_step)) return false;
  if (x_.contacts.size() != memory.contacts.size()) return false;
  x_.ledger.closing().assign(x_.contacts.size(), Vector3d::Zero());
  if (x_.contacts.empty()) return true;
  for (const Contact& c : x_.contacts)
    if (!c.was_held || c.mode == ContactMode::kFree) return false;
  x_.contacts.place(x_.start);
  reducePatches(x_.contacts);
  for (const Contact& c : x_.contacts)
    if (!c.in_patch) return false;
  noteSlips();
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    Contact& contact = x_.contacts[c];
    contact.start_gap = x_.contacts.kinematics(c).gap;
    if (!isClosed(c)) return false;
  }
  return true;
}

/// Whether a contact moves by roundings alone against what it holds.
bool Decision::isClosed(size_t c) const {
  const Vector3d u = x_.contacts.velocity(x_.start, c);
  return std::abs(u[0]) <= x_.scales.held_approach &&
         (x_.contacts[c].mode != ContactMode::kStick || u.tail<2>().norm() <= x_.scales.slip_speed);
}

/// Rows of a nearly flat patch are redundant up to its tilt: what a projection leaves on them is no impact.
bool Decision::approaches(const Contact& contact, double speed) const {
  return !(speed >= -std::max(left_, contact.was_held ? x_.scales.held_approach : x_.scales.approach));
}

/// Whether a contact approaches. After an impact, one that does and is not in the problem is promoted into it.
Decision::Approach Decision::findApproach(int round) {
  bool approaching = false, promoted = false;
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    Contact& contact = x_.contacts[c];
    const double speed = x_.contacts.velocity(x_.start, c)[0];
    if (!approaches(contact, speed)) continue;
    approaching = true;
    if (!contact.in_patch && round > 0) contact.in_patch = promoted = true;
  }
  return promoted ? Approach::kPromoted : approaching ? Approach::kSome : Approach::kNone;
}

/// After a plastic impact of all contacts those are held that it does not leave free. To its tolerance a contact may
/// stick that separates without an impulse: all of these together can ask for more than the bodies can do. `loose`
/// leaves them free.
void Decision::holdClosed(bool loose) {
  double largest = 0;
  for (size_t c = 0; c < x_.contacts.size(); ++c) largest = std::max(largest, x_.contacts.impulse(c)[0]);
  for (size_t i = 0; i < x_.contacts.size(); ++i) {
    Contact& c = x_.contacts[i];
    if (c.isBrake()) c.mode = ContactMode::kSlip;
    if (loose && !c.isBrake() && x_.contacts.impulse(i)[0] <= kNoImpulse * largest &&
        x_.contacts.velocity(x_.start, i)[0] > 0)
      c.mode = ContactMode::kFree;
    c.held = c.in_patch && c.mode != ContactMode::kFree;
  }
}

/// Takes away approaches that are none to the solver of impacts, whose tolerance goes with the fastest contact.
void Decision::stopApproaches() {
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    Contact& contact = x_.contacts[c];
    const double speed = x_.contacts.velocity(x_.start, c)[0];
    const bool stops = approaches(contact, speed);
    contact.held = stops || (contact.was_held && speed <= x_.scales.held_approach);
    if (stops) contact.mode = ContactMode::kSlip;
  }
  x_.contacts.projectVelocities(x_.start, x_.usual(), x_.ledger.closing());
}

/// Brakes that slide so fast that their joints turn back at the end of the window at the earliest: with a known force.
void Decision::noteSlidingBrakes(double window) {
  for (size_t i = 0; i < x_.contacts.size(); ++i) {
    Contact& c = x_.contacts[i];
    if (!c.isBrake()) continue;
    const double slip = x_.contacts.velocity(x_.start, i)[1];
    c.slides = std::abs(slip) > kSurelySlides * window * (x_.scales.acceleration + brakingOf(i));
    if (c.slides) c.mode = ContactMode::kSlip, c.direction = {std::copysign(1.0, slip), 0};
  }
}

/// The acceleration that a brake gives its joint at most, all other contacts away [m/s^2].
double Decision::brakingOf(size_t contact) {
  return x_.contacts.system().brakeMobility(static_cast<int>(contact)) * x_.contacts[contact].hold;
}

/// Modes that the contacts most likely have over the window, from their velocities now.
void Decision::guessModes(double window) {
  const double speed = x_.scales.acceleration * window;
  double weight = 0;
  for (const SystemBody& b : x_.start) weight += b.model->mass * x_.scales.acceleration;
  const double share = weight / static_cast<double>(x_.contacts.size());
  for (size_t i = 0; i < x_.contacts.size(); ++i) {
    Contact& c = x_.contacts[i];
    if (c.isBrake() && c.slides) continue;
    c.slides = false;
    if (!c.held) continue;
    const Vector3d u = x_.contacts.velocity(x_.start, i);
    const double slip = u.tail<2>().norm();
    if (c.isBrake()) {
      const bool slips = slip > window * brakingOf(i);
      c.mode = slips ? ContactMode::kSlip : ContactMode::kStick;
      c.direction = {std::copysign(1.0, u[1]), 0};
      if (slips || !(c.force[0] > 0)) c.force << c.hold, slips ? -c.hold * c.direction[0] : 0, 0;
      continue;
    }
    if (u[0] > 2 * speed) {
      c.mode = ContactMode::kFree;
      c.force.setZero();
    } else if (slip > 2 * speed * c.friction) {
      c.mode = ContactMode::kSlip;
      c.direction = u.tail<2>() / slip;
      c.slides = slip > kSurelySlides * speed * std::max(1.0, c.friction);
      const double normal = c.force[0] > 0 ? c.force[0] : share;
      c.force << normal, -c.friction * normal * c.direction;
    } else if (!c.was_held || c.mode != ContactMode::kSlip || c.force.tail<2>().isZero(0)) {
      // What slipped slowly mostly goes on so.
      c.mode = ContactMode::kStick;
      if (!(c.force[0] > 0)) c.force << share, 0, 0;
    }
  }
}

/// The contact problem over the window, without what leaves faster than forces close within it: with friction there may
/// be a second solution, in which an impact that nothing asks for closes such contacts.
CoulombStatus Decision::solveWindow(double window) {
  const double fast = kSurelyLeaves * window * x_.scales.acceleration;
  leaving_.clear();
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    if (!x_.contacts[c].held || x_.contacts[c].isLimit() || !(x_.contacts.velocity(x_.start, c)[0] > fast)) continue;
    x_.contacts[c].held = false, x_.contacts[c].mode = ContactMode::kFree;
    leaving_.push_back(c);
  }
  bool changed = !leaving_.empty();
  while (true) {
    if (changed) x_.contacts.prepare(x_.start);
    const CoulombStatus status = x_.contacts.solveVelocities(x_.start, x_.scene.gravity, window);
    // By its velocity alone: normals of edges that are nearly parallel turn too fast to tell of the window's end.
    const auto leaves = [&](size_t c) { return x_.contacts.solvedVelocity(c)[0] >= 0; };
    const auto first = std::partition(leaving_.begin(), leaving_.end(), leaves);
    if (status == CoulombStatus::kFailed || first == leaving_.end()) return status;
    for (auto c = first; c != leaving_.end(); ++c) x_.contacts[*c].held = true;
    leaving_.erase(first, leaving_.end());
    changed = true;
  }
}

/// Corners that a patch left out and its others do not carry: they come down within the window. @returns whether there
/// are any, which are of the problem now.
bool Decision::takeCorners(double window) {
  const double most = smallSpeed(window);
  bool any = false;
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    Contact& contact = x_.contacts[c];
    if (contact.in_patch) continue;
    const double speed = x_.contacts.solvedVelocity(c)[0] + x_.contacts.addedVelocity(c, window)[0];
    if (speed < -most) contact.in_patch = contact.held = any = true;
  }
  return any;
}

/// Which contacts stay closed over the window, and which of them stick: from the contact problem over it.
void Decision::decideModes(double window) {
  guessModes(window);
  CoulombStatus status = solveWindow(window);
  while (status != CoulombStatus::kFailed && takeCorners(window)) {
    x_.contacts.prepare(x_.start);
    guessModes(window);
    status = solveWindow(window);
  }
  if (status == CoulombStatus::kFailed) {
    // Slip that friction cannot turn within the window is not always consistent; left free to turn it is.
    for (Contact& c : x_.contacts) c.slides = c.slides && c.isBrake();
    for (const size_t c : leaving_) x_.contacts[c].held = true;
    status = solveWindow(window);
  }
  if (status == CoulombStatus::kFailed) {
    // Painleve-like even at velocity level does not exist; keep the contacts that do not separate.
    for (Contact& c : x_.contacts) c.mode = std::isinf(c.friction) ? ContactMode::kStick : ContactMode::kSlip;
  }
  const double small_speed = smallSpeed(window);
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    Contact& contact = x_.contacts[c];
    if (!contact.in_patch) { contact.held = false; continue; }
    const Vector3d u = x_.contacts.solvedVelocity(c) + x_.contacts.addedVelocity(c, window);
    contact.held = contact.mode != ContactMode::kFree || u[0] <= small_speed;
    if (!contact.held) continue;
    if (contact.mode == ContactMode::kFree) idle_.push_back(c);
    const bool sticks = (std::isinf(contact.friction) && contact.mode != ContactMode::kSlip) ||
                        (contact.friction > 0 && u.tail<2>().norm() <= small_speed);
    contact.mode = sticks ? ContactMode::kStick : ContactMode::kSlip;
  }
}

/// Which of a robot's contacts that are about to slip rest: its joints carry what stops some of them to the others.
void Decision::noteResting() {
  resting_.assign(x_.contacts.size(), 0);
  if (x_.start.robots.empty()) return;
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    const Contact& contact = x_.contacts[c];
    if (!contact.held || contact.mode != ContactMode::kSlip || contact.isLimit() || !(contact.friction > 0)) continue;
    resting_[c] = x_.contacts.velocity(x_.start, c).tail<2>().norm() <= x_.scales.slip_speed;
  }
}

/// What rests begins to slip by its forces: where the projection of others sets it in motion, its friction holds it.
/// That motion would stop at once, and give the others back what they lost, for ever. @returns whether any was moved.
bool Decision::holdResting() {
  bool any = false;
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    if (!resting_[c] || !(x_.contacts.velocity(x_.start, c).tail<2>().norm() > x_.scales.slip_speed)) continue;
    x_.contacts[c].mode = ContactMode::kStick;
    resting_[c] = 0;
    any = true;
  }
  return any;
}

/// Whether all held contacts of free bodies are closed. Rows of a patch are redundant up to its tilt: to take roundings
/// away its corners would push and pull each other with many times what they carry.
bool Decision::areClosed() const {
  if (!x_.start.robots.empty()) return false;
  for (size_t c = 0; c < x_.contacts.size(); ++c)
    if (x_.contacts[c].held && !isClosed(c)) return false;
  return true;
}

/// Whether a contact that the window leaves free comes back before it is closer by what is none: its normal turns while
/// others lift its body. To stop it others would have to open, which the window closes again, for ever.
bool Decision::turnsAway(size_t contact, double speed, double window) const {
  const double end = x_.contacts.solvedVelocity(contact)[0] + x_.contacts.addedVelocity(contact, window)[0];
  return end > smallSpeed(window) && speed * speed * window <= 2 * kLeftShare * x_.scales.gap * (end - speed);
}

/// Takes from the held contacts the velocity that they lose. A projection may press a contact in that was about to
/// leave; slower than what gravity gives within the window it joins. @returns whether nothing approaches any more.
bool Decision::projectHeld(double window, bool closing) {
  bool settled = false, joined = true;
  noteResting();
  while (!settled && joined) {
    if (!areClosed()) x_.contacts.projectVelocities(x_.start, x_.usual(), x_.ledger.closing());
    settled = true, joined = false;
    for (size_t c = 0; c < x_.contacts.size(); ++c) {
      Contact& contact = x_.contacts[c];
      const double speed = x_.contacts.velocity(x_.start, c)[0];
      const bool held = contact.held || !contact.in_patch;
      if (speed >= -std::max(left_, held || closing ? x_.scales.held_approach : x_.scales.approach)) continue;
      if (!held && !closing && turnsAway(c, speed, window)) continue;
      settled = false;
      if (held || speed < -x_.scales.acceleration * window) continue;
      contact.held = joined = true;
      idle_.push_back(c);
      // What slides fast no projection stops, without slip neither.
      const bool sticks = std::isinf(contact.friction) &&
                          x_.contacts.velocity(x_.start, c).tail<2>().norm() <= smallSpeed(window);
      contact.mode = sticks ? ContactMode::kStick : ContactMode::kSlip;
    }
    if (settled && holdResting()) settled = false, joined = true;
  }
  return settled;
}

/// Closes the held contacts. Where a body rolls over two edges that are nearly one, their rows are nearly the same, and
/// both cannot be closed: what the window's problem closes without a force then lets go.
Decision::Settled Decision::closeContacts(double window, bool closing) {
  const bool may_let_go = !idle_.empty();
  if (may_let_go) before_projection_ = x_.start, closing_before_ = x_.ledger.closing();
  bool settled = projectHeld(window, closing);
  if (!settled && may_let_go) {
    x_.start = before_projection_;
    x_.ledger.closing() = closing_before_;
    for (const size_t c : idle_) x_.contacts[c].held = false, x_.contacts[c].mode = ContactMode::kFree;
    settled = projectHeld(window, closing);
  }
  if (!settled) return Settled::kAgain;
  // A projection leaves out rows that only pushes far outside of a cone could close: what still opens lets go, and what
  // still slips does not stick.
  const double small_speed = smallSpeed(window);
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    Contact& contact = x_.contacts[c];
    if (!contact.held) continue;
    const Vector3d u = x_.contacts.velocity(x_.start, c);
    if (u[0] > small_speed) contact.held = false, contact.mode = ContactMode::kFree;
    else if (contact.mode == ContactMode::kStick && u.tail<2>().norm() > small_speed) contact.mode = ContactMode::kSlip;
  }
  return Settled::kDone;
}

/// Which of the held contacts slide, and where to.
void Decision::noteSlips() {
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    Contact& contact = x_.contacts[c];
    if (!contact.held) continue;
    const Eigen::Vector2d slip = x_.contacts.velocity(x_.start, c).tail<2>();
    contact.slides = contact.mode == ContactMode::kSlip && slip.norm() > x_.scales.slip_speed;
    if (contact.slides) contact.direction = slip.normalized();
  }
}

/// Bodies so slow that friction stops them well within the window, and that then stay: they stop now, with all contacts
/// sticking. The contact problem of such a stop is highly redundant and slow to solve.
bool Decision::stopsWithin(double window) {
  const double speed = x_.scales.acceleration * window;
  if (x_.contacts.size() < 3) return false;
  for (size_t i = 0; i < x_.contacts.size(); ++i) {
    const Vector3d u = x_.contacts.velocity(x_.start, i);
    if (!(u[0] <= kStopShare * speed &&
          u.tail<2>().norm() <= kStopShare * std::min(1.0, x_.contacts[i].friction) * speed))
      return false;
  }
  before_projection_ = x_.start;
  for (Contact& c : x_.contacts) c.mode = ContactMode::kStick, c.slides = false;
  std::vector<Vector3d>& impulses = x_.ledger.closing();
  closing_before_ = impulses;
  x_.contacts.projectVelocities(x_.start, x_.usual(), impulses);
  if (findRest()) return true;
  x_.start = before_projection_;
  impulses = closing_before_;
  x_.contacts.prepare(x_.start);
  return false;
}

bool Decision::findRest() {
  for (const SystemRobot& robot : x_.start.robots)
    if (robot.effort.size() > 0) return false;  // Its controller may change its mind.
  if (x_.areSlow(x_.start, x_.scales.rest_speed)) return canRest(false);
  // Joints that wedge themselves by forces without end creep on for want of digits, and each step of it gains energy.
  const double creep =
      kWedgedShare * std::min(x_.scales.acceleration * x_.scales.event_window, x_.scales.velocity_tolerance);
  if (x_.start.robots.empty() || !x_.areSlow(x_.start, creep)) return false;
  contacts_before_.assign(x_.contacts.begin(), x_.contacts.end());
  if (canRest(true)) return true;
  std::copy(contacts_before_.begin(), contacts_before_.end(), x_.contacts.begin());
  x_.contacts.prepare(x_.start);
  return false;
}

/// Whether all would stay where they are, without velocities: @post they have none, and rest_forces_ hold them.
/// `wedged`: by forces of any size.
bool Decision::canRest(bool wedged) {
  if (!holdStill()) return false;
  double fastest = 0;
  for (const SystemBody& body : still_)
    if (const double a = x_.speed(body.acceleration); !(a <= fastest)) fastest = a;  // NaN stays.
  balanceRest(false);
  if (wedged || (!(fastest <= x_.scales.rest_acceleration) && !restIsHeld())) {
    if (!(fastest <= kWedgedShare * x_.scales.acceleration)) return false;
    balanceRest(true);
    if (!restIsHeld()) return false;
  }
  spreadRest();
  x_.start.stop();
  for (SystemRobot& robot : x_.start.robots) robot.acceleration.setZero();
  return true;
}

/// Forces of the contacts, and accelerations of still_, with all velocities zero. @returns whether there are any.
bool Decision::holdStill() {
  still_ = x_.start;
  still_.stop();
  x_.contacts.prepare(still_);
  return x_.contacts.solveAccelerations(still_, x_.scene.gravity) != CoulombStatus::kFailed;
}

/// Exchanges the forces of balanceRest() for those of contacts that all stick, if these hold everything: what slid
/// until now would go on to rub, and contacts would press against each other for as long as the rest lasts.
void Decision::spreadRest() {
  spread_before_ = rest_forces_;
  contacts_before_.assign(x_.contacts.begin(), x_.contacts.end());
  for (Contact& contact : x_.contacts) contact.slides = false, contact.mode = ContactMode::kStick;
  const bool solved = holdStill();
  if (solved) balanceRest(false);
  if (!solved || !restIsHeld()) rest_forces_ = spread_before_;
  std::copy(contacts_before_.begin(), contacts_before_.end(), x_.contacts.begin());
}

/// What the contact solver leaves of gravity, up to its tolerance, is shared by the contacts that carry force.
/// `wedged`: however hard they push each other for it, and without brakes that bear all they can.
void Decision::balanceRest(bool wedged) {
  const size_t m = x_.contacts.size();
  rest_forces_.resize(m), rest_modes_.resize(m);
  for (size_t c = 0; c < m; ++c) {
    Contact& contact = x_.contacts[c];
    rest_forces_[c] = x_.contacts.impulse(c), rest_modes_[c] = contact.mode;
    const bool bears = wedged && contact.isBrake() && std::abs(rest_forces_[c][1]) > kBearsAll * contact.hold;
    contact.mode = rest_forces_[c][0] > 0 && !bears ? ContactMode::kStick : ContactMode::kFree;
  }
  for (SystemBody& body : still_) body.state.setVelocity(body.acceleration);
  for (SystemRobot& robot : still_.robots) robot.state.v = robot.acceleration;
  x_.contacts.projectVelocities(still_, {wedged ? HUGE_VAL : x_.scales.acceleration, 1}, rest_forces_);  // Forces.
  for (size_t c = 0; c < m; ++c) x_.contacts[c].mode = rest_modes_[c];
}

/// Whether the forces of balanceRest() hold everything and obey Coulomb's law. The solver's tolerance is for contacts;
/// slender bodies turn about their axes at many times that.
bool Decision::restIsHeld() const {
  for (const SystemBody& body : still_)
    if (!(x_.speed(body.state.velocity()) <= x_.scales.rest_acceleration)) return false;
  double largest = 0;
  for (const Vector3d& force : rest_forces_) largest = std::max(largest, force[0]);
  for (size_t c = 0; c < rest_forces_.size(); ++c) {
    const double normal = rest_forces_[c][0], friction = rest_forces_[c].tail<2>().norm();
    const double limit = normal > 0 ? x_.contacts[c].friction * normal : 0;
    if (!(normal >= 0 && friction <= limit + kRestConeShare * largest)) return false;
  }
  return true;
}

}  // namespace rigor::sim
