// SPDX-License-Identifier: MIT
#include "sim/stepper.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "elementary/elementary.h"
#include "elementary/require.h"
#include "sim/step/crowd.h"
#include "sim/step/decision.h"
#include "sim/step/flight_parts.h"
#include "sim/step/integrator.h"
#include "sim/step/run_off.h"
#include "sim/step/slip_events.h"
#include "sim/trace.h"

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

constexpr int kMaxTries = 60;         // Trial steps before a step is given up.
constexpr double kFinestTime = 1e-14;  // Of the time: shorter steps end where doubles say, by 2 %.
constexpr int kMaxRunOffs = 8;        // Of those, the most that look for the time at which a contact leaves its face.
constexpr int kMaxInaccurateStops = 3;  // Of those, the most that are shorter as the others' stop asks for too much.
constexpr double kAfterRelease = 10;  // Event windows: the step after one in which a contact lets go.
// A contact may carry at the start of a trial and nowhere after it, step by step: where it has let go within this share
// of the event window so many times in a row, the next step goes on over it.
constexpr double kAtOnce = 1e-2;
constexpr int kMostShortReleases = 3;
constexpr double kSoon = 0.1;
constexpr int kMostShortStops = 4;    // So many that stop within that share, with no longer step between, are stiff;
constexpr int kMostRememberedStops = 12;  // so many at most count.
constexpr double kVeryShort = 300;    // Times short_step.
constexpr double kGrowth = 3;         // Largest growth of the step from one to the next.
constexpr double kStiffShare = 0.1;   // Of the length from which damping is implicit, that of each joint alone: chains
                                      // of joints are stable up to less than that.
constexpr int kLongestWait = 15;        // Explicit steps before implicit ones are tried again, which were refused.
constexpr double kChatterShare = 20;  // Event steps shorter than this many event windows count as chatter...
constexpr int kChatterCount = 6;      // ... and this many in a row widen the window,
constexpr double kWidestWindow = 20;  // up to this many times its first width.

}  // namespace

struct Stepper::Impl {
  enum class Tried {
    kDone,        ///< A trial is proved,
    kDoneToEvent, ///< up to an event.
    kMeets,       ///< Another group's flight is to join first.
    kNone,        ///< The step is given up.
  };
  enum class Try { kProved, kProvedToEvent, kMeets, kAgain };

  Impl(const Scene& scene, const Scales& scales, std::uint64_t seed) : x(scene, scales, seed) {}

  void step(const RunState& run, std::span<const int> island, StepMemory& memory, double t_end, double reach,
            std::uint64_t path, StepResult& result);
  bool goOnFlying(StepMemory& memory, double reach, StepResult& result);
  StepStatus stay(double reach, StepResult& result);
  void noteRest(StepResult& result);
  void noteActed(StepResult& result);
  StepStatus move(StepMemory& memory, double h, double reach, StepResult& result);
  Tried tryLengths(StepMemory& memory, double h, double reach, StepResult& result);
  Try tryLength(StepMemory& memory, double reach, double& h, StepResult& result);
  double shorter(double h, double share);
  void noteLength(StepMemory& memory, double h, double error, bool event);
  void noteChatter(StepMemory& memory, bool event);
  void notePulls(StepMemory& memory, double length);
  void noteStart(StepResult& result);
  void noteOpened();
  void finish(StepMemory& memory, StepResult& result);
  Try refuse(std::string_view reason, double h) const;

  StepContext x;
  Decision decision{x};
  EndPlacement placement{x};
  Integrator integrator{x, placement};
  Proposal proposal{x, placement};
  FlightParts flight{x, placement, proposal};
  Crowd crowd{x, placement, proposal};
  RunOff run_off{x};
  bool inaccurate = false;  // A trial of the step was: longer ones would be as well.
  bool implicit_refused = false;  // One with implicit damping was.
  bool lets_go = false;     // A contact does within the step, which ends there,
  double until_release = 0; // of a trial of this length, which was accurate [s].
  std::vector<geom::Pose> ends;  // Of the step's pieces.
  int inaccurate_stops = 0;  // Trials that were not accurate once they ended where a slip stops.
  int run_offs = 0;         // Trials of the step that were too long as a contact leaves what it touches.
};

Stepper::Stepper(const Scene& scene, const Scales& scales, std::uint64_t seed)
    : impl_(std::make_unique<Impl>(scene, scales, seed)) {}
Stepper::~Stepper() = default;
void Stepper::setForks(ForkFinder* forks) { impl_->x.forks = forks; }
void Stepper::step(const RunState& run, std::span<const int> island, StepMemory& memory, double t_end, double reach,
                   std::uint64_t impact_path, StepResult& result) {
  impl_->step(run, island, memory, t_end, reach, impact_path, result);
  result.looked = impl_->x.looked;
}

void Stepper::Impl::step(const RunState& run, std::span<const int> island, StepMemory& memory, double t_end,
                         double reach, std::uint64_t path, StepResult& result) {
  x.gather(run, island, t_end);
  if (x.forks) x.forks->begin();
  result.status = StepStatus::kFailed;
  result.message.clear();
  x.ledger.begin(result.impacts);
  result.closed = result.continues = result.flies = result.as_shown = false;
  result.jump.clear(), result.acted.clear();
  result.num_events = 0;
  if (memory.event_window == 0) memory.event_window = x.scales.event_window;
  x.pulled = memory.pulled;

  const double left = t_end - x.t0, longest = std::min(x.scene.solver.max_step, left);
  double h = memory.next_step > 0 ? std::min(memory.next_step, longest) : longest;
  if (h > 0.6 * left && h < left) h = std::min(h, 0.5 * left);  // No crumbs at the end.
  x.pairs.collect(longest, memory.axes);
  x.say("step", h);
  // Ticks know no forces from outside.
  if (!x.start.isPushed() && crowd.isCrowd(memory)) {
    result.status = crowd.step(memory, reach, result);
    if (result.status == StepStatus::kMerge) return x.say("merge", 0, "bodies of another group touch this one");
    if (result.status != StepStatus::kFailed) return;
    x.say("refused", h, "no tick of the crowd could be closed");
    // Where a tick cannot be closed, a step to the next event can be: slower, and by the model's impacts.
    x.gather();
    result.message.clear();
    x.ledger.begin(result.impacts);
    result.closed = false;
    result.jump.clear(), result.acted.clear();
  }
  x.finder.find(memory.contacts, x.contacts);
  if (x.finder.touchesOthers(x.contacts, result.touched)) {
    result.status = StepStatus::kMerge;
    return x.say("merge", 0, "bodies of another group touch this one");
  }
  if (memory.flight.isOn() && goOnFlying(memory, reach, result)) return;
  const bool goes_on = decision.goesOn(memory);
  const Decided decided = goes_on ? Decided::kReady : decision.decide(memory, path, result);
  if (decided != Decided::kReady) {
    result.status = decided == Decided::kFork ? StepStatus::kFork : StepStatus::kFailed;
    return decided == Decided::kFork ? x.say("fork", 0, "an impact is ambiguous") : x.say("failed", 0, result.message);
  }
  result.continues = goes_on;
  if (!goes_on) memory.began = x.t0;
  const bool rests = !goes_on && !x.contacts.empty() && decision.findRest();
  if (rests) x.ledger.stop(result.impacts);
  if (x.t0 == 0 && !x.contacts.empty()) x.ledger.recordStart(result.impacts);
  x.ledger.writeJump(result.jump);
  noteSlips(x, result);
  noteStart(result);
  if (!result.impacts.empty()) x.say("impacts", 0);
  result.status = rests ? stay(reach, result) : move(memory, h, reach, result);
  if (result.status == StepStatus::kFailed) return x.say("failed", 0, result.message);
  if (result.status == StepStatus::kMerge) return x.say("merge", 0, "it meets the flight of another group");
  if (rests) x.say("rest", 0);
  finish(memory, result);
}

/// A trial of length h is of no use: a shorter one comes next.
Stepper::Impl::Try Stepper::Impl::refuse(std::string_view reason, double h) const {
  x.say("refused", h, reason);
  return Try::kAgain;
}

/// The trial after one of length h, which asks for this share of it. One with implicit damping is followed by none
/// shorter than where explicit ones are stable: they are accurate.
double Stepper::Impl::shorter(double h, double share) {
  const double stiff = integrator.stiffLength();
  implicit_refused = implicit_refused || h > stiff;
  return h > stiff ? std::max(stiff, share * h) : share * h;
}

/// Publishes the next part of a flight. @returns false if there is none: what is left of it is integrated anew.
bool Stepper::Impl::goOnFlying(StepMemory& memory, double reach, StepResult& result) {
  const PartResult part = flight.publish(memory.flight, reach, result);
  if (part == PartResult::kNone) {
    memory.flight.stop();
    return false;
  }
  memory.goes_on = memory.goes_on && part == PartResult::kPublished;
  result.continues = true;
  result.status = StepStatus::kStepped;
  noteStart(result);
  finish(memory, result);
  return true;
}

/// Nothing moves, until something in flight may hit the resting bodies within its current piece.
StepStatus Stepper::Impl::stay(double reach, StepResult& result) {
  bool hit = false;
  if (proposal.stay(reach, hit, result) == Certified::kProved) {
    noteRest(result);
    return hit ? StepStatus::kStepped : StepStatus::kRest;
  }
  result.message = x.reason;
  return StepStatus::kFailed;
}

StepStatus Stepper::Impl::move(StepMemory& memory, double h, double reach, StepResult& result) {
  x.reason.clear();
  const Tried tried = tryLengths(memory, h, reach, result);
  const auto isControlled = [](const SystemRobot& robot) { return robot.effort.size() > 0; };
  memory.goes_on = tried == Tried::kDone && std::any_of(x.start.robots.begin(), x.start.robots.end(), isControlled);
  if (tried == Tried::kMeets) {
    result.touched.assign(1, x.met);
    return StepStatus::kMerge;
  }
  if (tried == Tried::kNone) {
    result.message = x.reason.empty() ? "the motion could not be integrated" : x.reason;
    return StepStatus::kFailed;
  }
  noteStart(result);  // Again: a flight starts from its coordinates.
  result.flies = x.trial.isFree(), result.as_shown = x.trial.as_shown;
  noteChatter(memory, tried == Tried::kDoneToEvent);
  notePulls(memory, x.pieces[0].t1 - x.t0);
  noteActed(result);
  return StepStatus::kStepped;
}

/// Trials from the length h on, until one is proved.
Stepper::Impl::Tried Stepper::Impl::tryLengths(StepMemory& memory, double h, double reach, StepResult& result) {
  integrator.begin(memory.velocity_level, memory.short_releases < kMostShortReleases,
                   memory.short_stops >= kMostShortStops);
  inaccurate = lets_go = implicit_refused = false;
  for (Contact& c : x.contacts) c.lets_go = false;
  run_offs = inaccurate_stops = 0;
  for (int tries = 0; tries < kMaxTries; ++tries) {
    if (h < std::max(x.scales.min_step, kFinestTime * x.t0) && h < x.t_end - x.t0) break;
    const Try tried = tryLength(memory, reach, h, result);
    if (tried == Try::kProved) return Tried::kDone;
    if (tried == Try::kProvedToEvent) return Tried::kDoneToEvent;
    if (tried == Try::kMeets) return Tried::kMeets;
  }
  return Tried::kNone;
}

/// One trial of length h. @post where it has to be shorter, h is what to try next.
Stepper::Impl::Try Stepper::Impl::tryLength(StepMemory& memory, double reach, double& h, StepResult& result) {
  Trial& trial = x.trial;
  const double tolerance = x.scales.velocity_tolerance;
  if (integrator.integrate(h, trial) != Integrated::kDone) {
    x.reason = "the contact problem has no solution that the integrator can follow";
    return refuse(x.reason, std::exchange(h, shorter(h, 0.25)));
  }
  if (trial.error > tolerance) {
    inaccurate = true;
    const double share = tolerance / trial.error;
    // Errors with implicit damping go with the square of the length.
    const double root = h > integrator.stiffLength() ? std::sqrt(share) : elementary::fourthRoot(share);
    return refuse("not accurate enough", std::exchange(h, shorter(h, std::clamp(0.9 * root, 0.15, 0.7))));
  }
  if (trial.release < 1) {
    if (!lets_go) until_release = h;
    lets_go = true;
    return refuse("a contact lets go within it", std::exchange(h, trial.release * h));
  }
  const auto runsOff = [&] {
    // What leaves at once does so in a step that is as good as none: held any longer it would act where nothing is.
    const double leaves =
        run_offs < kMaxRunOffs ? std::max(run_off.first(trial) * trial.h, x.scales.short_step) : trial.h;
    if (!(leaves < trial.h)) return false;
    ++run_offs;
    refuse("a contact leaves what it touches within it", std::exchange(h, leaves));
    return true;
  };
  if (runsOff()) return Try::kAgain;
  const double error = trial.error;
  const bool waits = !trial.settled, stops = trial.stop < 1;
  if ((stops && placement.truncate(trial, trial.stop, trial.stop_contact) != Placed::kDone) || trial.gains_energy)
    return refuse(trial.gains_energy ? "it gains energy" : "it cannot end where a slip stops",
                  std::exchange(h, 0.5 * h));
  if (stops && trial.error > tolerance && inaccurate_stops < kMaxInaccurateStops) {
    ++inaccurate_stops;
    return refuse("not accurate where a slip stops", std::exchange(h, 0.5 * trial.h));
  }
  if (!stops) flight.start(memory.flight);
  if (memory.flight.isOn() && trial.transient > tolerance) {
    // In one piece it does not matter what the curve is in between.
    memory.flight.stop();
    return refuse("it cannot be parted, as dampers act on a transient",
                  std::exchange(h, std::max(0.15, 0.9 * tolerance / trial.transient) * h));
  }
  bool event = false;
  if (memory.flight.isOn()) {
    const PartResult part = flight.publish(memory.flight, reach, result);
    if (part == PartResult::kNone) {
      memory.flight.stop();
      return refuse("no part of the flight could be proved", std::exchange(h, 0.5 * h));
    }
    event = part == PartResult::kPublishedToEvent;
  } else {
    std::string earlier;  // Listeners are told the reason of this trial; a failure, the last one that was found.
    if (active_trace) earlier.swap(x.reason);
    const Proposed proposed = proposal.propose(trial, h, reach, stops, result);
    if (proposed == Proposed::kShorter) {
      inaccurate = inaccurate || x.shrink > 1;  // Longer steps are cut as well, too roughly.
      const double shorter = std::min(h, trial.h) * x.shrink;
      const std::string_view reason =
          x.reason.empty() ? "its pieces or its event ask for a shorter one" : std::string_view(x.reason);
      const Try again = refuse(reason, std::exchange(h, shorter));
      if (active_trace && x.reason.empty()) x.reason.swap(earlier);
      return again;
    }
    if (proposed == Proposed::kMeets) return Try::kMeets;
    event = proposed == Proposed::kProvedToEvent;
    if (event && runsOff()) return Try::kAgain;  // What ends at an event is another motion.
  }
  x.say("accepted", trial.h, event ? "event" : stops ? "a slip stops" : "",
      memory.flight.isOn() ? "flight" : trial.velocity_level ? "velocity level" : "integrated");
  noteLength(memory, h, waits && !event ? trial.error : error, event);
  return event ? Try::kProvedToEvent : Try::kProved;
}

/// What the next step is tried with.
void Stepper::Impl::noteLength(StepMemory& memory, double h, double error, bool event) {
  memory.velocity_level = x.trial.velocity_level;
  // What a very short step is off by does not come of its length: shorter ones would follow for ever.
  const bool very_short = !inaccurate && h < kVeryShort * x.scales.short_step;
  const double grow =
      error > 0 && !very_short ? 0.9 * elementary::fourthRoot(x.scales.velocity_tolerance / error) : kGrowth;
  const bool says_nothing = !inaccurate && (event || run_offs > 0 || h == x.t_end - x.t0);
  double next = h * (event && !inaccurate ? 1 : std::clamp(grow, 0.3, kGrowth));
  // Damping limits explicit steps by their stability, and their errors say nothing of an implicit one: it is tried.
  const double stiff = integrator.stiffLength();
  if (h > stiff) memory.implicit_pause.end();
  else if (implicit_refused) memory.implicit_pause.lengthen(kLongestWait);
  else memory.implicit_pause.pass();
  if (memory.implicit_pause.left > 0 || implicit_refused) next = std::min(next, stiff);
  else if (!inaccurate && !event && h <= stiff && h > kStiffShare * stiff) next = kGrowth * stiff;
  // A flight is published in parts.
  if (!x.isFlight()) next = std::min(next, proposal.publisher.fittingLength(x.trial.h));
  // A step that an event or the horizon (a controller's next sample) ended says nothing against longer ones, unless
  // they were tried.
  memory.next_step = says_nothing ? std::max(memory.next_step, next) : next;
  // The others take over what a contact carried that has let go: the step after it is short, to follow that. When it
  // lets go says nothing of lengths.
  const bool at_once = lets_go && x.trial.h < kAtOnce * memory.event_window;
  memory.short_releases = at_once ? memory.short_releases + 1 : 0;
  const bool soon = x.trial.h < kSoon * memory.event_window,
             stops = soon && ((event && x.trial.stop < 1) || inaccurate_stops > 0);
  // Slips that went on stopping until the step was one at velocity level most likely do so again.
  if (stops) memory.short_stops = std::min(memory.short_stops + 1, kMostRememberedStops);
  else if (!soon) memory.short_stops = std::max(memory.short_stops - 1, 0);
  const double after = kAfterRelease * memory.event_window;
  if (lets_go) memory.next_step = std::min(std::max(memory.next_step, until_release), after);
}

/// Chatter: contacts that keep hitting within short times belong to one event.
void Stepper::Impl::noteChatter(StepMemory& memory, bool event) {
  if (!event || !(x.trial.h < kChatterShare * memory.event_window)) {
    memory.short_steps = 0;
    memory.event_window = x.scales.event_window;
  } else if (++memory.short_steps >= kChatterCount) {
    memory.event_window = std::min(2 * memory.event_window, kWidestWindow * x.scales.event_window);
    memory.short_steps = kChatterCount / 2;
  }
}

/// What the decision's projections pulled, over the step that followed.
void Stepper::Impl::notePulls(StepMemory& memory, double length) {
  memory.pulled += x.ledger.hardestPull() / x.scales.speed;
  memory.pulled *= std::max(0.0, 1 - length * x.scales.speed / x.scales.length);
}

/// Forces that balance gravity, over the whole stay.
void Stepper::Impl::noteRest(StepResult& result) {
  ImpulseRecord& record = result.acted.record;
  record.t0 = x.t0, record.t1 = x.pieces[0].t1;
  result.acted.acting = Acting::kConstant;
  result.acted.makeRoom();
  for (size_t c = 0; c < x.contacts.size(); ++c) {
    const Vector3d& force = decision.restForces()[c];
    if (force.isZero(0) || x.contacts[c].isBrake()) continue;
    const double middle = 0.5 * (record.t0 + record.t1), h = record.t1 - record.t0;
    if (x.contacts[c].isLimit()) {
      const SystemRobot& robot = x.start.robots[x.contacts[c].robot];
      const RobotLimit& limit = robot.limits[x.contacts[c].limit];
      if (!addLimit(robot, limit, record)) continue;
      const ImpulseRecord::Impulse impulse = limitImpulse(limit, middle, h * force[0]);
      record.addToWrench(impulse.time, impulse.P, impulse.moment);
      continue;
    }
    record.addContact(x.contacts[c].pair, axisOf(x.contacts[c].feature));
    record.addToContact(middle, h * (x.contacts.kinematics(c).frame.transpose() * force));
  }
}

/// What acted over the step, at instants of it.
void Stepper::Impl::noteActed(StepResult& result) {
  result.acted.makeRoom();
  result.acted = x.trial.acted;
  result.acted.setTimes(x.t0, x.pieces[0].t1);
}

void Stepper::Impl::noteStart(StepResult& result) {
  result.start_velocities.resize(x.island.size());
  for (size_t i = 0; i < x.island.size(); ++i) result.start_velocities[i] = x.start[i].state.velocity();
}

/// Contacts that carried nothing over the step, and are open at its end or off what they touched, let go at its start:
/// the next step, which would tell, may never come.
void Stepper::Impl::noteOpened() {
  const Trial& trial = x.trial;
  const size_t instants = trial.forces.size() == x.contacts.size() ? instantsOf(trial.acting).size() : 0;
  ends.clear();
  for (size_t c = 0; c < x.contacts.size(); ++c) {
    Contact& contact = x.contacts[c];
    if (contact.loaded || contact.isLimit() || !(contact.held || !contact.in_patch)) continue;
    bool carried = false;
    for (size_t k = 0; k < instants; ++k) carried = carried || !trial.forces[c][k].isZero(0);
    if (carried) continue;
    if (ends.empty())
      for (const advance::MotionPiece& piece : x.pieces) ends.push_back(piece.end());
    contact.let_go = contactGapAt(x, contact, ends, nullptr) > x.scales.band ||
                     run_off.isOff(contact, trial.ends, x.pieces[0].t1);
  }
}

void Stepper::Impl::finish(StepMemory& memory, StepResult& result) {
  // What the event loop relies on: time passes, and all bodies of a group share the step.
  RIGOR_REQUIRE(x.pieces[0].t1 > x.t0);
  for (const advance::MotionPiece& piece : x.pieces) RIGOR_REQUIRE(piece.t0 == x.t0 && piece.t1 == x.pieces[0].t1);
  result.t1 = x.pieces[0].t1;
  result.pieces = x.pieces;
  result.robot_starts = x.start.robots;
  result.robot_ends = x.trial.ends.robots;
  result.ends.resize(x.start.size());
  for (size_t i = 0; i < x.start.size(); ++i) {
    result.ends[i] = x.trial.ends[i].state;
    result.ends[i].pose = x.pieces[i].end();
  }
  for (Contact& c : x.contacts)
    if (c.loaded || result.status == StepStatus::kRest) c.lets_go = c.let_go = false;
  if (result.status != StepStatus::kRest && !x.trial.isFree()) noteOpened();
  memory.contacts = x.contacts.contacts();
}

}  // namespace rigor::sim
