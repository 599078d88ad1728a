// SPDX-License-Identifier: MIT
#include "sim/step/event_search.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "advance/candidate_axes.h"
#include "advance/gap_polynomial.h"
#include "advance/scaled_bernstein.h"

namespace rigor::sim {

using advance::AxisKind;
using advance::FirstRoot;
using Eigen::Vector3d;

namespace {

constexpr int kMaxAxisChanges = 60;    // Separating axes that one search may go through.
constexpr int kMaxCrawl = 4;           // Axes in turn that each go on by less than this share: the search ends there.
constexpr double kCrawlShare = 1e-3;
constexpr double kTurningCrawlShare = 1e-4;
constexpr double kKnownShare =
    1.5;  // Points closer than this many deltas at the start are no new contacts of the step.
constexpr double kCloserShare = 0.05;    // Coming closer by less than this share of delta is no event.
constexpr double kShortened = 0.8;    // Of a trial: an event before it is worth looking no farther.
constexpr double kFirstLook = 0.125;  // Of the trial of what touches no field: where it is looked at first,
constexpr double kNextLook = 2;       // and how much farther next.
constexpr int kRoots = 40;               // Of one gap that is no polynomial.
constexpr int kTurningAxes = 1024;       // As kMaxAxisChanges, where a contact's normal turns: see Certifier.

/// Positive while the neighbour at `d` from the edge's first vertex lies on its own body's side of the edge normal.
advance::BernsteinPolynomial sideCondition(const advance::EdgeGap& gap, int side, const Vector3d& d) {
  advance::BernsteinPolynomial f;
  f.degree = advance::EdgeGap::kSideDegree;
  const Vector3d c = side == 0 ? Vector3d(gap.a.cross(d)) : Vector3d(gap.b.cross(d));
  const auto& F = side == 0 ? gap.side_a : gap.side_b;
  for (int k = 0; k <= f.degree; ++k)
    f.c[k] = (c[0] * F[0][k] + c[1] * F[1][k] + c[2] * F[2][k]) / advance::scaled::kBinomial.c[f.degree][k];
  return f;
}

/// First root from share `from` on; 1: none.
double rootFrom(const advance::BernsteinPolynomial& f, double from) {
  const FirstRoot root = advance::firstRoot(from > 0 ? f.restricted(from, 1) : f);
  return root.status == FirstRoot::Status::kNone ? 1.0 : from + (1 - from) * root.root;
}

}  // namespace

double EventSearch::level(double gap, bool lenient) const {
  return Levels{x_.scales.gap, x_.scales.floor, lenient}.of(gap);
}

Event EventSearch::first(bool lenient) {
  Event event;
  const bool fields = !x_.pairs.fields().empty(), touched = fields && lookAtTouched(lenient, event);
  // What falls is over fields where its trial has long ended: it is looked for there where nothing comes before.
  for (double until = !fields || touched ? event.u : kFirstLook; !firstUntil(until, fields, lenient, event);)
    until = std::min(1.0, kNextLook * until);
  findLimits(lenient, event);
  return event;
}

/// The first event in a share of the motion, before what is known. @returns whether nothing is left to look at.
bool EventSearch::firstUntil(double until, bool fields, bool lenient, Event& event) {
  const bool cut = fields && cutMotion(until);
  const double share = cut ? until : 1;
  if (fields) lookOverFields(lenient);
  Event own = event;
  own.u = std::min(1.0, event.u / share);
  const double known = own.u;
  for (int p = 0; p < x_.pairs.size(); ++p)
    if (!x_.pairs[p].clear) find(p, lenient, own);
  if (cut) x_.pieces = whole_, x_.motion = whole_motion_;
  if (own.u < known) event = own, event.u *= share;
  return !(event.u > share);
}

/// Of one pair, before what is known.
void EventSearch::find(int index, bool lenient, Event& event) {
  NearPair& pair = x_.pairs[index];
  if (isStill(pair) || !x_.pairs.prepare(pair)) return pair.axes.clear();
  // The search works in shares of the pair's own interval.
  const double t1 = x_.pieces[0].t1, share = (pair.tb - x_.t0) / (t1 - x_.t0);
  Event own;
  own.u = pair.tb == t1 ? event.u : std::min(1.0, event.u / share);
  const double limit = own.u;
  if (std::holds_alternative<geom::HalfSpace>(*x_.parts[pair.part_a].shape)) findOnPlane(pair, index, lenient, own);
  else findBetween(pair, index, lenient, own);
  if (!(own.u < limit)) return;
  event = own;
  if (pair.tb != t1) event.u *= share;
}

/// What fields touch at the start has most of the first events: nothing beyond them has to be looked at. @pre nothing
/// else of fields is asked for. @returns whether there is any.
bool EventSearch::lookAtTouched(bool lenient, Event& event) {
  x_.pairs.clearFields();
  int last = -1;
  for (const Contact& c : x_.contacts) {
    if (c.pair_index < 0 || c.pair_index == last || !x_.pairs[c.pair_index].clear) continue;
    last = c.pair_index;
    find(last, lenient, event);
  }
  return last >= 0;
}

/// Leaves what comes after a share of the motion away, where that is much. @returns whether it did.
bool EventSearch::cutMotion(double u) {
  const double t1 = x_.pieces[0].t1, t = x_.t0 + u * (t1 - x_.t0);
  if (!(u < kShortened && t - x_.t0 >= x_.scales.short_step)) return false;
  whole_ = x_.pieces, whole_motion_ = x_.motion;
  for (size_t i = 0; i < x_.pieces.size(); ++i) {
    x_.pieces[i] = x_.pieces[i].cutAt(t);
    if (x_.bodies[x_.island[i]].num_parts > 0) x_.motion[i] = advance::PiecePolynomials(x_.pieces[i], x_.t0, t);
  }
  return true;
}

/// Parts of fields that may be met are asked for, but those that lookAtTouched() has been through.
void EventSearch::lookOverFields(bool lenient) {
  for (TreeField& field : x_.pairs.fields()) {
    const advance::MotionPiece& piece = x_.pieces[x_.slot_of[x_.parts[field.part].body]];
    if (piece.p_degree == 0 && piece.q_degree == 0) continue;
    cover_.findClear(field, x_.pairs.boxOver(field, piece, x_.scales.band),
                     {x_.scales.gap, x_.scales.floor, lenient});
    for (const int part : cover_.left()) {
      const int known = x_.pairs.find(part, field.part);
      x_.pairs[known < 0 ? x_.pairs.add(part, field.part) : known].clear = false;
    }
  }
  for (const Contact& c : x_.contacts)
    if (c.pair_index >= 0 && isOfField(x_.pairs[c.pair_index])) x_.pairs[c.pair_index].clear = true;
}

bool EventSearch::isOfField(const NearPair& pair) const {
  const auto hasTree = [&](int part) { return x_.bodies[x_.parts[part].body].part_tree != nullptr; };
  return hasTree(pair.part_a) || hasTree(pair.part_b);
}

/// Nothing happens between two motions that are none; roundings of their constant polynomials would say otherwise.
bool EventSearch::isStill(const NearPair& pair) const {
  const auto still = [&](int part, int slot) {
    const advance::MotionPiece& piece = slot >= 0 ? x_.pieces[slot] : x_.bodies[x_.parts[part].body].piece;
    return piece.p_degree == 0 && piece.q_degree == 0;
  };
  return still(pair.part_a, pair.slot_a) && still(pair.part_b, pair.slot_b);
}

bool EventSearch::isHeldLimit(int robot, int limit) const {
  return std::any_of(x_.contacts.begin(), x_.contacts.end(),
                     [&](const Contact& c) { return c.robot == robot && c.limit == limit && c.held; });
}

/// Joints that reach their limits, on the motion of their coordinates.
void EventSearch::findLimits(bool lenient, Event& event) const {
  for (size_t r = 0; r < x_.start.robots.size(); ++r) {
    const SystemRobot &from = x_.start.robots[r], &to = x_.trial.ends.robots[r];
    for (size_t k = 0; k < from.limits.size(); ++k) {
      if (isHeldLimit(static_cast<int>(r), static_cast<int>(k))) continue;
      advance::BernsteinPolynomial f = gapOver(from.limits[k], from.state, to.state, x_.trial.h);
      const double lowest = level(f.c[0], lenient);
      for (int i = 0; i <= f.degree; ++i) f.c[i] -= lowest;
      const FirstRoot root = advance::firstRoot(f);
      if (root.status == FirstRoot::Status::kNone || !(root.root < event.u)) continue;
      event.u = root.root, event.pair = -1;
      event.robot = static_cast<int>(r), event.limit = static_cast<int>(k);
    }
  }
}

bool EventSearch::isHeld(int pair, const advance::ContactFeature& feature) const {
  for (const Contact& c : x_.contacts)
    if (c.pair_index == pair && (c.held || !c.in_patch) && c.feature.sameVertices(feature)) return true;
  return false;
}

void EventSearch::findOnPlane(NearPair& pair, int index, bool lenient, Event& event) {
  const auto& half_space = std::get<geom::HalfSpace>(*x_.parts[pair.part_a].shape);
  const advance::SeparatingAxis axis{AxisKind::kFixedInA, half_space.normal};
  pair.axes.assign(1, axis);
  const advance::FaceGap gap(pair.A, pair.B, axis);
  advance::ContactFeature feature;
  const double length = half_space.normal.norm();
  feature.axis = half_space.normal / length;
  feature.offset = half_space.offset / length;
  const advance::FaceGap::Bound bound = gap.bound();
  const double highest_level = level(HUGE_VAL, lenient);
  const bool stands = standsOn(index);
  for (int v = gap.firstVertex(); v < gap.numVertices(); ++v) {
    if (gap.staysAbove(bound, v, highest_level)) continue;
    feature.b0 = v;
    if (isHeld(index, feature)) continue;
    const double start = gap.startGap(v), lowest = level(start, lenient);
    if (gap.staysAbove(v, lowest) || (stands && start <= kKnownShare * x_.scales.gap)) continue;
    const double root = gap.hasCylinder() ? cylinderRoot(gap, v, lowest) : rootFrom(gap.condition(v, lowest), 0);
    if (root < event.u) event.u = root, event.pair = index, event.feature = feature;
  }
}

/// Whether a cylinder stands on a plane: points of its rim hold what its round corners would.
bool EventSearch::standsOn(int pair) const {
  const auto* part = std::get_if<geom::Polytope>(x_.parts[x_.pairs[pair].part_b].shape);
  return part && part->round() && std::any_of(x_.contacts.begin(), x_.contacts.end(), [&](const Contact& c) {
           return c.pair_index == pair && c.held && !part->isRound(c.feature.b0);
         });
}

/// When a cylinder's rim comes down to a level [-]: 1 for never. Its gap is no polynomial; of one below that touches
/// it, from root to root, each nearer to the gap's own.
double EventSearch::cylinderRoot(const advance::FaceGap& gap, int vertex, double lowest) const {
  double u = 0;
  for (int k = 0; k < kRoots && u < 1; ++k) {
    const double next = rootFrom(gap.cylinderCondition(vertex, lowest, u), u);
    if (next >= 1 || gap.gapAt(vertex, next) - lowest <= kCloserShare * x_.scales.gap) return next;
    u = next;
  }
  return u;
}

/// When two edges come down to a level [-], from a share on: 1 for never. Of cores as cylinderRoot().
double EventSearch::edgesRoot(const advance::EdgeGap& gap, double lowest, double from) const {
  double u = from;
  for (int k = 0; k < kRoots && u < 1; ++k) {
    const double next = rootFrom(gap.condition(lowest, u), u);
    if (next >= 1 || gap.radius == 0 || gap.gapAt(next) - lowest <= kCloserShare * x_.scales.gap) return next;
    u = next;
  }
  return u;
}

/// First time at which the clearance along `axis` falls to the level, from share `from` of the step on; vertices of
/// held contacts are left out. 1 if it does not.
double EventSearch::clearUntil(const NearPair& pair, int index, const advance::SeparatingAxis& axis, double from,
                               bool lenient) const {
  if (axis.kind == AxisKind::kEdges) return edgesClearUntil(pair, index, axis, from, lenient);
  double first = 1;
  const advance::FaceGap gap(pair.A, pair.B, axis);
  const advance::FaceGap::Bound bound = gap.bound();
  const Levels levels{x_.scales.gap, x_.scales.floor, lenient};
  const double highest_level = std::max(levels.ofHeld(HUGE_VAL), levels.highest());
  for (int v = gap.firstVertex(); v < gap.numVertices() && first > from; ++v) {
    if (gap.staysAbove(bound, v, highest_level)) continue;
    bool held = false;
    for (const Contact& c : x_.contacts) {
      if (c.pair_index != index || !(c.held || !c.in_patch)) continue;
      const bool tested_b = axis.kind == AxisKind::kFixedInA;
      held = held || (tested_b ? c.feature.b0 == v || c.feature.b1 == v : c.feature.a0 == v || c.feature.a1 == v);
    }
    // The far end of an edge in a held edge pair is free to move; only its own contacts hold a vertex.
    const double lowest =
        held ? levels.ofHeld(gap.startGap(v)) : levels.of(from > 0 ? gap.gapAt(v, from) : gap.startGap(v));
    if (gap.staysAbove(v, lowest)) continue;
    first = std::min(first, rootFrom(gap.condition(v, lowest), from));
  }
  return first;
}

/// The same along the normal of two edges, which has to stay theirs.
double EventSearch::edgesClearUntil(const NearPair& pair, int index, const advance::SeparatingAxis& axis, double from,
                                    bool lenient) const {
  const advance::EdgeGap gap(pair.A, pair.B, axis);
  double first = 1;
  bool held = false;
  for (const Contact& c : x_.contacts) {
    advance::SeparatingAxis own;
    held = held || (c.pair_index == index && c.held && hasAxis(c.feature, own) && own.sameVertices(axis));
  }
  if (!held) first = edgesRoot(gap, level(gap.gapAt(from), lenient), from);
  for (int side = 0; side < 2 && first > from; ++side) {
    const geom::Polytope& P = side == 0 ? *gap.A : *gap.B;
    if (P.round()) continue;  // A core is its edge alone.
    const int base = side == 0 ? axis.a0 : axis.b0, other = side == 0 ? axis.a1 : axis.b1;
    for (int start : {base, other})
      for (int v : P.neighbours(start)) {
        if (v == base || v == other) continue;
        first = std::min(first, rootFrom(sideCondition(gap, side, P.vertex(v) - P.vertex(base)), from));
      }
  }
  return first;
}

/// A feature in the band at the share u of the step that is no contact yet, at the poses at hand. What was in the band
/// at the start has been decided on there; unless it comes closer, only its name is new. @returns whether there is one:
/// the event.
bool EventSearch::findFeature(NearPair& pair, int index, double u, Event& event, geom::SeparationCache& cache) {
  const geom::Shape &A = *x_.parts[pair.part_a].shape, &B = *x_.parts[pair.part_b].shape;
  const PartRuntime &part_a = x_.parts[pair.part_a], &part_b = x_.parts[pair.part_b];
  features_.clear();
  manifold_.find({A, pose_a_, skinOf(x_.bodies[part_a.body], part_a)},
                 {B, pose_b_, skinOf(x_.bodies[part_b.body], part_b)}, x_.scales.band, cache, features_);
  const geom::Pose X0_WA = x_.originPose(pair.part_a, pair.slot_a, x_.t0),
                   X0_WB = x_.originPose(pair.part_b, pair.slot_b, x_.t0);
  for (const auto& feature : features_) {
    if (isHeld(index, feature)) continue;
    const double before = advance::contactGap(feature, A, X0_WA, B, X0_WB);
    const double now = advance::contactGap(feature, A, pose_a_, B, pose_b_);
    if (before <= kKnownShare * x_.scales.gap && now > std::min(before, x_.scales.gap) - kCloserShare * x_.scales.gap)
      continue;
    event.u = u, event.pair = index, event.feature = feature;
    return true;
  }
  return false;
}

/// Whether a ball of the pair touches: the one point at which it can.
bool EventSearch::isHeldBall(const NearPair& pair, int index) const {
  const auto isBall = [&](int part) {
    const geom::Round* round = std::get<geom::Polytope>(*x_.parts[part].shape).round();
    return round && round->core.cols() == 1;
  };
  return (isBall(pair.part_a) || isBall(pair.part_b)) &&
         std::any_of(x_.contacts.begin(), x_.contacts.end(),
                     [&](const Contact& c) { return c.pair_index == index && c.held; });
}

/// Of axes_, the one along which the pair stays clear for longest, until `best`. @returns null if none goes on from
/// `from`.
const advance::SeparatingAxis* EventSearch::farthestAxis(const NearPair& pair, int index, double from, bool lenient,
                                                         double& best) {
  const advance::SeparatingAxis* chosen = nullptr;
  best = from;
  for (const auto& axis : axes_) {
    const double until = clearUntil(pair, index, axis, from, lenient);
    if (until > best) best = until, chosen = &axis;
    if (best >= 1) break;
  }
  return chosen;
}

/// Whether the axis that an earlier search of this step began with holds for all of it, as it does for most pairs: no
/// other is looked for then.
bool EventSearch::staysClear(NearPair& pair, int index, bool lenient) const {
  if (pair.axes.empty()) return false;
  pair.axes.resize(1);
  return clearUntil(pair, index, pair.axes[0], 0, lenient) >= 1;
}

/// The same of the axes of its contacts, as of all that is held on a face that moves with it.
bool EventSearch::staysOnContact(NearPair& pair, int index, bool lenient) const {
  for (const Contact& c : x_.contacts)
    if (advance::SeparatingAxis axis;
        c.pair_index == index && hasAxis(c.feature, axis) && clearUntil(pair, index, axis, 0, lenient) >= 1) {
      pair.axes.push_back(axis);
      return true;
    }
  return false;
}

/// From axis to axis: each is followed until a vertex reaches the level, then the distance decides whether something
/// touches.
void EventSearch::findBetween(NearPair& pair, int index, bool lenient, Event& event) {
  if (staysClear(pair, index, lenient)) return;
  pair.axes.clear();
  if (isHeldBall(pair, index) || staysOnContact(pair, index, lenient)) return;
  const double h = pair.tb - x_.t0;
  const geom::Shape &A = *x_.parts[pair.part_a].shape, &B = *x_.parts[pair.part_b].shape;
  double u = 0;
  int crawl = 0;
  geom::SeparationCache cache = pair.cache;
  const bool turns = std::any_of(x_.contacts.begin(), x_.contacts.end(), [&](const Contact& c) {
    return c.pair_index == index && c.held && c.feature.kind == AxisKind::kNearest;
  });
  const int most = turns ? kTurningAxes : kMaxAxisChanges;
  const double crawls = turns ? kTurningCrawlShare : kCrawlShare;
  for (int k = 0; k < most && u < event.u; ++k) {
    const double t = u == 0 ? x_.t0 : x_.t0 + u * h;
    pose_a_ = x_.originPose(pair.part_a, pair.slot_a, t), pose_b_ = x_.originPose(pair.part_b, pair.slot_b, t);
    const geom::Separation sep =
        geom::separation(std::get<geom::Polytope>(A), pose_a_, std::get<geom::Polytope>(B), pose_b_, cache);
    if (u > 0 && sep.distance <= x_.scales.band && findFeature(pair, index, u, event, cache)) return;
    axes_.clear();
    for (const Contact& c : x_.contacts)
      if (advance::SeparatingAxis axis; c.pair_index == index && hasAxis(c.feature, axis)) axes_.push_back(axis);
    const advance::CandidateAxes candidates = advance::candidateAxes(A, pose_a_, B, pose_b_, sep);
    axes_.insert(axes_.end(), candidates.span().begin(), candidates.span().end());
    double best = u;
    const advance::SeparatingAxis* chosen = farthestAxis(pair, index, u, lenient, best);
    if (!chosen) {
      // Every axis is blocked at once although nothing new touches: the step ends here, or, at its start (features
      // about to change into each other), the certificate alone decides how far it may go.
      if (u * h > x_.scales.short_step && u < event.u) event.u = u, event.pair = -1;
      return;
    }
    if (k < kMaxAxisChanges) pair.axes.push_back(*chosen);  // Beyond, the certificate looks for its own.
    if (best >= 1) break;
    // A held contact that dips blocks each axis a little later than the one before.
    crawl = best - u < crawls * u ? crawl + 1 : 0;
    u = best;
    if (crawl == kMaxCrawl || k + 1 == most) {
      if (u < event.u) event.u = u, event.pair = -1;
      return;
    }
  }
}

}  // namespace rigor::sim
