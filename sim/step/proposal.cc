// SPDX-License-Identifier: MIT
#include "sim/step/proposal.h"

#include <cmath>

#include "sim/free_flight.h"

namespace rigor::sim {

namespace {

constexpr int kMaxEvents = 12;        // Truncations of one trial.
constexpr double kReintegrate = 0.8;  // Share of a trial below which an event is integrated to anew where it must be,
constexpr double kPastEvent = 1.05;   // to this multiple of its time.
constexpr double kEarly = 0.5;        // Share of a trial: half of it is longer than what events before this leave.
constexpr double kBesideFlight = 0.01;  // Of delta: a curve so far from its flight is beside it.

}  // namespace

Proposed Proposal::propose(Trial& trial, double h, double reach, bool cut, StepResult& result) {
  const auto isAccurate = [&] { return !trial.gains_energy && trial.error <= x_.scales.velocity_tolerance; };
  const auto proved = [&](bool is) {
    return !is || !(x_.pieces[0].t1 > x_.t0) ? Proposed::kShorter : cut ? Proposed::kProvedToEvent : Proposed::kProved;
  };
  x_.shrink = 0.5;
  for (int k = 0; k < kMaxEvents; ++k) {
    // The first search is for events of the trial as it was integrated: most end it before its own end has to be on the
    // constraints.
    const bool raw = !trial.settled;
    if (raw) publisher.publishRaw(trial);
    else if (publisher.publish(trial) != Published::kDone) return Proposed::kShorter;
    // What the search has been through seldom has another event; a proof that no gap reaches its level says so, too,
    // and is cheap over planes, and over fields as dear as another search.
    const bool searched = k > 0, proves = searched && (x_.mayWait() || !x_.pairs.fields().empty()),
               certified = proves && certifier.certify(reach, result) == Certified::kProved;
    if (certified && result.min_gap >= events.level(HUGE_VAL, true)) return proved(true);
    const Event event = firstEvent(trial, searched);
    if (isOfLifts(trial, event, searched)) return Proposed::kShorter;
    if (event.u >= 1 && !raw)
      return proved(x_.pieces[0].t1 > x_.t0 && (certified || certifier.certify(reach, result) == Certified::kProved));
    if (event.u >= 1) {
      if (placement_.settleEnd(trial) != Placed::kDone || !isAccurate()) return Proposed::kShorter;
      continue;
    }
    if (meetsFlight(trial, event)) return Proposed::kMeets;
    cut = true;
    if (event_end_.truncate(trial, event) != Placed::kDone) return Proposed::kShorter;
    if (!isAccurate()) {
      // Inside a long trial the state is known to lower order than at its end: integrate anew, to just past the event.
      x_.shrink = trial.h < kReintegrate * h ? kPastEvent : 0.5;
      return Proposed::kShorter;
    }
  }
  return Proposed::kShorter;
}

/// The first event that ends the trial as it is published.
Event Proposal::firstEvent(const Trial& trial, bool lenient) {
  Event event = events.first(lenient);
  // A point that grazes its level at the start of the step may go on to the lower one: no steps of no length.
  if (event.u * trial.h < x_.scales.short_step) event = events.first(true);
  // One that is still at the start was decided on there: only the certificate limits the step then.
  if (event.u * trial.h < x_.scales.short_step) event = {};
  return event;
}

/// Whether the motion meets an event because contacts that dip are lifted: what is lifted presses its body onto what it
/// is about to leave, from the start of the step on. Dips go with the fourth power of the length, so half of it is more
/// than is left before the event.
bool Proposal::isOfLifts(const Trial& trial, const Event& event, bool lenient) {
  if (!publisher.lifts() || !(event.u < kEarly)) return false;
  publisher.publishRaw(trial);
  return firstEvent(trial, lenient).u > 2 * event.u;
}

/// Whether a flight meets that of another group where the other's curve is beside its flight, as curves are in their
/// middles: what they do to each other would start from there. @post StepContext::met
bool Proposal::meetsFlight(const Trial& trial, const Event& event) {
  if (!trial.isFree() || event.pair < 0) return false;
  const NearPair& pair = x_.pairs[event.pair];
  if (pair.slot_a >= 0 && pair.slot_b >= 0) return false;
  x_.met = x_.parts[pair.slot_a >= 0 ? pair.part_b : pair.part_a].body;
  const BodyRuntime& other = x_.bodies[x_.met];
  const double t = x_.t0 + event.u * trial.h;
  if (other.fixed || !other.flies || !(other.piece.t0 < t && t < other.piece.t1)) return false;
  const geom::Pose shown = other.piece.at(t), flown = flightAt(other, x_.scene.gravity, t).pose;
  return 2 * other.radius * (shown.q.normalized() - flown.q.normalized()).norm() > kBesideFlight * x_.scales.gap;
}

Certified Proposal::stay(double reach, bool& hit, StepResult& result) {
  x_.trial.h = x_.t_end - x_.t0;
  x_.trial.ends = x_.start;
  publisher.stayUntil(x_.t_end);
  hit = false;
  for (Event event = events.first(false); event.u < 1; event = events.first(true)) {
    const double end = x_.pieces[0].t1, t = x_.t0 + event.u * (end - x_.t0);
    if (!(t - x_.t0 > x_.scales.min_step)) break;
    hit = true;
    if (!(t < end)) break;  // There, but for rounding.
    publisher.stayUntil(t);
  }
  return certifier.certify(reach, result);
}

}  // namespace rigor::sim
