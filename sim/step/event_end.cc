// SPDX-License-Identifier: MIT
#include "sim/step/event_end.h"

#include <algorithm>
#include <cmath>

namespace rigor::sim {

using friction::ContactMode;

namespace {

constexpr int kSecants = 8;               // Of the search for the time at which a gap is delta,
constexpr double kOnGap = 0.01;           // to this share of it.
constexpr double kBelowGap = 0.1;         // Points below delta by more than this share of it,
constexpr double kAtStart = 1e-3;         // this share of sqrt(L/g) after the step's start, began the step so.

}  // namespace

Placed EventEnd::truncate(Trial& trial, const Event& event) {
  if (event.limit >= 0) {
    Contact limit = x_.finder.makeLimit(event.robot, event.limit);
    return truncateWith(limit, {}, {}, trial, event.u);
  }
  if (event.pair < 0) return placement_.truncate(trial, event.u, -1);
  Contact contact = x_.finder.make(event.pair, event.feature);
  if (trial.isFree()) {
    contact.held = false;
    x_.contacts.add(contact);
    const Placed placed = placement_.truncate(trial, timeAtGap(trial, event), -1);
    x_.contacts.removeLast();
    return placed;
  }
  const double t = x_.t0 + event.u * trial.h;
  contact.mode = ContactMode::kFree;
  // A feature that takes over from a held one (an edge contact that runs out at a vertex) cannot be held beside it.
  return truncateWith(contact, placementAt(contact.pair.body_a, contact.slot_a, t),
                      placementAt(contact.pair.body_b, contact.slot_b, t), trial, event.u);
}

/// With a contact put on its gap at the end; without it where that is not possible.
Placed EventEnd::truncateWith(const Contact& contact, const Placement& a, const Placement& b, Trial& trial, double u) {
  x_.contacts.add(contact, a, b);
  Contact& added = x_.contacts.back();
  added.held = false, added.loaded = true;
  added.of_event = true;
  whole_ = trial;
  const Placed placed = placement_.truncate(trial, u, -1);
  x_.contacts.removeLast();
  if (placed == Placed::kDone) return placed;
  trial = whole_;
  return placement_.truncate(trial, u, -1);
}

Placement EventEnd::placementAt(int body, int slot, double t) const {
  return slot >= 0 ? Placement() : Placement(x_.bodies[body].piece.at(std::min(t, x_.bodies[body].clock)));
}

/// How far the gap is above delta at the share u of the trial [m].
double EventEnd::offAt(const Trial& trial, const Event& event, double u) {
  const NearPair& pair = x_.pairs[event.pair];
  interpolateTrial(x_, trial, u, between_);
  auto pose = [&](int part, int slot) {
    const BodyRuntime& body = x_.bodies[x_.parts[part].body];
    geom::Pose X = slot >= 0 ? between_[slot].state.pose : body.piece.at(std::min(x_.t0 + u * trial.h, body.clock));
    if (!body.centre.isZero(0)) X.p -= X.rotation() * body.centre;
    return X;
  };
  return advance::contactGap(event.feature, *x_.parts[pair.part_a].shape, pose(pair.part_a, pair.slot_a),
                             *x_.parts[pair.part_b].shape, pose(pair.part_b, pair.slot_b)) - x_.scales.gap;
}

/// Free flight is known in closed form between the control points: secant steps on the time put the gap on delta. The
/// event's own time where they find none.
double EventEnd::timeAtGap(const Trial& trial, const Event& event) {
  double u = event.u, off = offAt(trial, event, u), other = 0.999 * u, off_other = offAt(trial, event, other);
  // A point that started the step below delta meets a lower level, and stays there.
  const bool below = off < -kBelowGap * x_.scales.gap && event.u * trial.h < kAtStart * x_.scales.time;
  for (int k = 0; k < kSecants && !below && std::abs(off) > kOnGap * x_.scales.gap; ++k) {
    const double slope = (off - off_other) / (u - other);
    if (!(slope < 0)) break;
    other = u, off_other = off;
    u = std::clamp(u - off / slope, 0.5 * u, std::min(1.0, 1.5 * u));
    off = offAt(trial, event, u);
    if (u == other) break;
  }
  // One that was below delta all along has no such time, and going back for it would go nowhere.
  return std::abs(off) <= kOnGap * x_.scales.gap ? u : event.u;
}

}  // namespace rigor::sim
