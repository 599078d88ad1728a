// SPDX-License-Identifier: MIT
// From a trial to published pieces: control points, the first event on them, and their certificates.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "advance/candidate_axes.h"
#include "advance/gap_polynomial.h"
#include "advance/scaled_bernstein.h"
#include "elementary/elementary.h"
#include "sim/stepper.h"

namespace rigor::sim {

using advance::AxisKind;
using advance::FirstRoot;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::Vector4d;
using impact::ContactMode;

namespace {

constexpr double kHeldShare = 0.9;     // Dips of held contacts are lifted to this share of the nominal gap.
constexpr double kLevels[] = {1, 0.75, 0.6};  // Safety levels, of the nominal gap.
constexpr double kLenientShare = 0.65; // Level of the check after an event was put on the end of the step.
constexpr int kMaxAxisChanges = 60;    // Separating axes that one search may go through.
constexpr int kMaxCrawl = 4;           // Axes in turn that each go on by less than this share: the search ends there.
constexpr double kCrawlShare = 1e-4;
constexpr double kKnownShare = 1.5;     // Points closer than this many deltas at the start are no new contacts of the step.
constexpr double kCloserShare = 0.05;    // Coming closer by less than this share of delta is no event, and no dip.
constexpr double kHeldLevel = 0.6;      // Level along an axis for a vertex that is held there already.

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

}  // namespace

void pieceBox(const advance::MotionPiece& piece, double radius, Vector3d& lower, Vector3d& upper) {
  lower = upper = piece.p[0];
  for (int i = 1; i <= piece.p_degree; ++i) lower = lower.cwiseMin(piece.p[i]), upper = upper.cwiseMax(piece.p[i]);
  lower.array() -= radius, upper.array() += radius;
}

/// Motions of a pair over the part of the step in which both are known. @returns false if there is none.
bool Stepper::preparePair(NearPair& pair) {
  const double t1 = pieces_[0].t1;
  const int body_a = parts_[pair.part_a].body, body_b = parts_[pair.part_b].body;
  pair.tb = t1;
  for (auto [body, slot] : {std::pair{body_a, pair.slot_a}, std::pair{body_b, pair.slot_b}})
    if (slot < 0) pair.tb = std::min(pair.tb, bodies_[body].clock);
  if (!(pair.tb > t0_)) return false;
  auto motion = [&](int body, int slot, advance::PiecePolynomials& own) -> const advance::PiecePolynomials* {
    if (slot >= 0 && pair.tb == t1) return &motion_[slot];
    own = advance::PiecePolynomials(slot >= 0 ? pieces_[slot] : bodies_[body].piece, t0_, pair.tb);
    return &own;
  };
  pair.A = {parts_[pair.part_a].shape, bodies_[body_a].centre, motion(body_a, pair.slot_a, pair.own_a)};
  pair.B = {parts_[pair.part_b].shape, bodies_[body_b].centre, motion(body_b, pair.slot_b, pair.own_b)};
  return true;
}

double Stepper::contactGapAt(const Contact& c, std::span<const geom::Pose> poses, Vector3d* normal) const {
  // Held contacts are with bodies of the island or with fixed ones.
  const geom::Pose& A = c.slot_a >= 0 ? poses[c.slot_a] : bodies_[c.pair.body_a].state.pose;
  const geom::Pose& B = c.slot_b >= 0 ? poses[c.slot_b] : bodies_[c.pair.body_b].state.pose;
  const Matrix3d R_A = A.rotation(), R_B = B.rotation();
  Vector3d n;
  double gap;
  if (c.feature.kind == AxisKind::kFixedInA) {
    n = R_A * c.frame.row(0).transpose();
    gap = n.dot(B.p + R_B * c.b - A.p) - c.offset;
  } else if (c.feature.kind == AxisKind::kFixedInB) {
    n = R_B * c.frame.row(0).transpose();
    gap = c.offset - n.dot(A.p + R_A * c.a - B.p);
  } else {
    n = (R_A * c.a_edge).cross(R_B * c.b_edge).normalized();
    gap = n.dot(B.p + R_B * c.b - A.p - R_A * c.a);
  }
  if (normal) *normal = n;
  return gap;
}

/// Cubic Hermite pieces between the two ends.
void Stepper::hermitePieces(const Trial& trial) {
  const size_t n = start_.size();
  const double h = trial.h;
  const double t1 = h == t_end_ - t0_ ? t_end_ : t0_ + h;
  const double third = (t1 - t0_) / 3;  // Of the published interval: the record leaves out points that follow from the velocities.
  pieces_.resize(n);
  for (size_t i = 0; i < n; ++i) {
    const auto& s0 = start_[i].state;
    const auto& s1 = trial.ends[i].state;
    advance::MotionPiece& piece = pieces_[i];
    piece.t0 = t0_, piece.t1 = t1;
    piece.p_degree = 3, piece.q_degree = 3;
    // A link that was cut ended on its own piece, next to where its robot's coordinates put it; it moves on with their velocity.
    piece.p[0] = start_[i].robot < 0 ? s0.pose.p : bodies_[island_[i]].state.pose.p;
    piece.p[1] = piece.p[0] + third * s0.v;
    piece.p[2] = s1.pose.p - third * s1.v, piece.p[3] = s1.pose.p;
    piece.q[0] = start_[i].robot < 0 ? s0.pose.q : bodies_[island_[i]].state.pose.q;
    piece.q[1] = piece.q[0] + third * dynamics::quaternionRate(piece.q[0], s0.w);
    piece.q[2] = s1.pose.q - third * dynamics::quaternionRate(s1.pose.q, s1.w), piece.q[3] = s1.pose.q;
  }
}

void Stepper::publishMotion() {
  motion_.resize(pieces_.size());
  for (size_t i = 0; i < pieces_.size(); ++i) motion_[i] = advance::PiecePolynomials(pieces_[i], t0_, pieces_[i].t1);
}

/// The pieces of a trial, lifted where held contacts would dip below the nominal gap.
/// @returns false if the lift needed is too large: the step must shrink by `shrink_`.
bool Stepper::publish(const Trial& trial) {
  hermitePieces(trial);
  if (!start_.robots.empty() && !fitsJoints(trial)) return false;
  if (!liftDips()) return false;
  publishMotion();
  return true;
}

/// Links follow their robots' joint motion to within `joint_fit`. @returns false if not: the step must shrink by `shrink_`.
bool Stepper::fitsJoints(const Trial& trial) {
  fit_ = 0;
  for (const double u : {0.25, 0.5, 0.75}) {
    interpolate(trial, u, stage_);
    for (size_t i = 0; i < pieces_.size(); ++i) {
      if (start_[i].robot < 0) continue;
      const geom::Pose X = pieces_[i].at(t0_ + u * (pieces_[i].t1 - t0_));
      const double turn = (X.rotation() - stage_[i].state.pose.rotation()).norm();
      const double off = (X.p - stage_[i].state.pose.p).norm() + bodies_[island_[i]].radius * turn;
      if (!(off <= fit_)) fit_ = off;  // NaN stays.
    }
  }
  if (fit_ <= scales_.joint_fit) return true;
  shrink_ = fit_ > 0 ? std::clamp(0.9 * elementary::fourthRoot(scales_.joint_fit / fit_), 0.15, 0.9) : 0.5;  // NaN halves.
  return false;
}

bool Stepper::liftDips() {
  // Near the ends a contact dips only where others are lifted: a lift changes the slope there, and the gap's own curve is flat.
  constexpr double kSamples[] = {0.5, 0.25, 0.75, 1.0 / 64, 63.0 / 64};
  poses_.resize(pieces_.size());
  end_poses_.resize(pieces_.size());
  for (size_t i = 0; i < pieces_.size(); ++i) end_poses_[i] = pieces_[i].end();
  double total = 0;
  for (int pass = 0; pass < 2; ++pass) {
    bool moved = false;
    for (double u : kSamples) {
      if ((u < 0.1 || u > 0.9) && (total == 0 || contacts_.size() < 2)) continue;
      auto evaluate = [&](size_t i) {
        const auto& P = pieces_[i];
        const double v = 1 - u, b0 = v * v * v, b1 = 3 * u * v * v, b2 = 3 * u * u * v, b3 = u * u * u;
        poses_[i].p = b0 * P.p[0] + b1 * P.p[1] + b2 * P.p[2] + b3 * P.p[3];
        poses_[i].q = b0 * P.q[0] + b1 * P.q[1] + b2 * P.q[2] + b3 * P.q[3];
      };
      for (size_t i = 0; i < pieces_.size(); ++i) evaluate(i);
      for (const Contact& c : contacts_) {
        if ((!c.held && c.in_patch) || c.isLimit()) continue;  // A limit that is held does not move along its row.
        Vector3d normal;
        const double gap = contactGapAt(c, poses_, &normal);
        // A held contact that lifts off at the end of the step keeps whatever gap it has.
        double deficit = kHeldShare * scales_.gap - gap;
        if (!(deficit > 0)) continue;
        // Nor is one lifted above where it starts and ends: that would be a push however short the step is.
        deficit = std::min({deficit, c.start_gap - gap, contactGapAt(c, end_poses_, nullptr) - gap});
        if (!(deficit > kCloserShare * scales_.gap)) continue;
        const double raise = deficit / (3 * u * (1 - u));
        total += raise;
        // Links may leave their joints' motion by the fit alone.
        const bool link = (c.slot_a >= 0 && start_[c.slot_a].robot >= 0) || (c.slot_b >= 0 && start_[c.slot_b].robot >= 0);
        if (link && !(raise <= scales_.joint_fit)) {
          shrink_ = std::clamp(0.9 * elementary::fourthRoot(scales_.joint_fit / raise), 0.15, 0.7);
          return false;
        }
        if (!(total <= scales_.max_lift)) {
          shrink_ = std::clamp(0.9 * elementary::fourthRoot(scales_.max_lift / total), 0.15, 0.7);
          return false;
        }
        moved = true;
        const double share = c.slot_a >= 0 && c.slot_b >= 0 ? 0.5 : 1;
        auto raiseBody = [&](int slot, double amount) {
          pieces_[slot].p[1] += amount * normal, pieces_[slot].p[2] += amount * normal;
          poses_[slot].p += 3 * u * (1 - u) * amount * normal;
        };
        if (c.slot_a >= 0) raiseBody(c.slot_a, -share * raise);
        if (c.slot_b >= 0) raiseBody(c.slot_b, share * raise);
      }
    }
    if (!moved) break;
  }
  return true;
}

/// Safety level of a point whose gap is `gap` at the start: fixed values, so that it cannot ratchet down from step to step.
double Stepper::eventLevel(double gap, bool lenient) const {
  if (lenient) return kLenientShare * scales_.gap;
  for (double share : kLevels)
    if (gap > share * scales_.gap) return share * scales_.gap;
  return scales_.floor;
}

Stepper::Event Stepper::firstEvent(bool lenient) {
  Event event;
  for (int p = 0; p < num_pairs_; ++p) {
    NearPair& pair = pairs_[p];
    pair.axes.clear();
    if (!preparePair(pair)) continue;
    // The search works in shares of the pair's own interval.
    const double share = (pair.tb - t0_) / (pieces_[0].t1 - t0_);
    Event own;
    own.u = pair.tb == pieces_[0].t1 ? event.u : std::min(1.0, event.u / share);
    const double limit = own.u;
    if (std::holds_alternative<geom::HalfSpace>(*parts_[pair.part_a].shape)) planeEvents(pair, p, lenient, own);
    else polytopeEvents(pair, p, lenient, own);
    if (own.u < limit) {
      event = own;
      if (pair.tb != pieces_[0].t1) event.u *= share;
    }
  }
  limitEvents(lenient, event);
  return event;
}

bool Stepper::isHeldLimit(int robot, int limit) const {
  return std::any_of(contacts_.begin(), contacts_.end(),
                     [&](const Contact& c) { return c.robot == robot && c.limit == limit && c.held; });
}

/// Joints that reach their limits, on the motion of their coordinates.
void Stepper::limitEvents(bool lenient, Event& event) const {
  for (size_t r = 0; r < start_.robots.size(); ++r) {
    const SystemRobot &from = start_.robots[r], &to = trial_.ends.robots[r];
    for (size_t k = 0; k < from.limits.size(); ++k) {
      if (isHeldLimit(static_cast<int>(r), static_cast<int>(k))) continue;
      advance::BernsteinPolynomial f = gapOver(from.limits[k], from.state, to.state, trial_.h);
      const double level = eventLevel(f.c[0], lenient);
      for (int i = 0; i <= f.degree; ++i) f.c[i] -= level;
      const FirstRoot root = advance::firstRoot(f);
      if (root.status == FirstRoot::Status::kNone || !(root.root < event.u)) continue;
      event.u = root.root, event.pair = -1;
      event.robot = static_cast<int>(r), event.limit = static_cast<int>(k);
    }
  }
}

/// Whether all joints stay inside their limits over the step, by the floor that holds for gaps.
bool Stepper::keepsLimits(std::string& reason) const {
  for (size_t r = 0; r < start_.robots.size(); ++r) {
    const SystemRobot &from = start_.robots[r], &to = trial_.ends.robots[r];
    for (const RobotLimit& limit : from.limits) {
      advance::BernsteinPolynomial f = gapOver(limit, from.state, to.state, trial_.h);
      for (int i = 0; i <= f.degree; ++i) f.c[i] -= kCutMargin * scales_.floor;
      if (f.minCoefficient() >= 0 || advance::firstRoot(f, 0).status == FirstRoot::Status::kNone) continue;
      reason = fmt::format("joint '{}' cannot be kept inside its {} limit at t = {:.9g} s", limit.joint, limit.isUpper() ? "upper" : "lower", t0_);
      return false;
    }
  }
  return true;
}

bool Stepper::isHeld(int pair, const advance::ContactFeature& feature) const {
  for (const Contact& c : contacts_)
    if (c.pair_index == pair && (c.held || !c.in_patch) && c.feature.sameVertices(feature)) return true;
  return false;
}

void Stepper::planeEvents(NearPair& pair, int index, bool lenient, Event& event) {
  const auto& half_space = std::get<geom::HalfSpace>(*parts_[pair.part_a].shape);
  const advance::SeparatingAxis axis{AxisKind::kFixedInA, half_space.normal};
  pair.axes.push_back(axis);
  const advance::FaceGap gap(pair.A, pair.B, axis);
  advance::ContactFeature feature;
  const double length = half_space.normal.norm();
  feature.axis = half_space.normal / length;
  feature.offset = half_space.offset / length;
  const advance::FaceGap::Bound bound = gap.bound();
  const double highest_level = eventLevel(HUGE_VAL, lenient);
  for (int v = 0; v < gap.numVertices(); ++v) {
    if (gap.staysAbove(bound, v, highest_level)) continue;
    feature.b0 = v;
    if (isHeld(index, feature)) continue;
    const double level = eventLevel(gap.startGap(v), lenient);
    if (gap.staysAbove(v, level)) continue;
    const FirstRoot root = advance::firstRoot(gap.condition(v, level));
    if (root.status == FirstRoot::Status::kNone) continue;
    if (root.root < event.u) event.u = root.root, event.pair = index, event.feature = feature;
  }
}

/// First time at which the clearance along `axis` falls to the level, from share `from` of the step on; vertices of held contacts
/// are left out. 1 if it does not.
double Stepper::clearUntil(const NearPair& pair, int index, const advance::SeparatingAxis& axis, double from,
                           bool lenient) {
  const advance::MovingPart &A = pair.A, &B = pair.B;
  auto rootFrom = [&](const advance::BernsteinPolynomial& f) {
    const FirstRoot root = advance::firstRoot(from > 0 ? f.restricted(from, 1) : f);
    return root.status == FirstRoot::Status::kNone ? 1.0 : from + (1 - from) * root.root;
  };
  double first = 1;
  if (axis.kind == AxisKind::kEdges) {
    const advance::EdgeGap gap(A, B, axis);
    bool held = false;
    for (const Contact& c : contacts_)
      held = held || (c.pair_index == index && c.held && c.feature.kind == AxisKind::kEdges &&
                      c.feature.a0 == axis.a0 && c.feature.a1 == axis.a1 && c.feature.b0 == axis.b0 && c.feature.b1 == axis.b1);
    if (!held) first = rootFrom(gap.condition(eventLevel(gap.gapAt(from), lenient)));
    for (int side = 0; side < 2 && first > from; ++side) {
      const geom::Polytope& P = side == 0 ? *gap.A : *gap.B;
      const int base = side == 0 ? axis.a0 : axis.b0, other = side == 0 ? axis.a1 : axis.b1;
      for (int start : {base, other})
        for (int v : P.neighbours(start)) {
          if (v == base || v == other) continue;
          first = std::min(first, rootFrom(sideCondition(gap, side, P.vertex(v) - P.vertex(base))));
        }
    }
    return first;
  }
  const advance::FaceGap gap(A, B, axis);
  const advance::FaceGap::Bound bound = gap.bound();
  const double highest_level = std::max(kHeldLevel * scales_.gap, eventLevel(HUGE_VAL, lenient));
  for (int v = 0; v < gap.numVertices() && first > from; ++v) {
    if (gap.staysAbove(bound, v, highest_level)) continue;
    bool held = false;
    for (const Contact& c : contacts_) {
      if (c.pair_index != index || !(c.held || !c.in_patch)) continue;
      const bool tested_b = axis.kind == AxisKind::kFixedInA;
      held = held || (tested_b ? c.feature.b0 == v || c.feature.b1 == v : c.feature.a0 == v || c.feature.a1 == v);
    }
    // The far end of an edge in a held edge pair is free to move; only its own contacts hold a vertex.
    const double level = held ? kHeldLevel * scales_.gap : eventLevel(from > 0 ? gap.gapAt(v, from) : gap.startGap(v), lenient);
    if (gap.staysAbove(v, level)) continue;
    first = std::min(first, rootFrom(gap.condition(v, level)));
  }
  return first;
}

void Stepper::polytopeEvents(NearPair& pair, int index, bool lenient, Event& event) {
  const double h = pair.tb - t0_;
  const geom::Shape& A = *parts_[pair.part_a].shape;
  const geom::Shape& B = *parts_[pair.part_b].shape;
  double u = 0;
  int crawl = 0;
  geom::SeparationCache cache = pair.cache;
  for (int k = 0; k < kMaxAxisChanges && u < event.u; ++k) {
    const double t = u == 0 ? t0_ : t0_ + u * h;
    const geom::Pose X_WA = originPose(pair.part_a, pair.slot_a, t), X_WB = originPose(pair.part_b, pair.slot_b, t);
    const geom::Separation sep = geom::separation(std::get<geom::Polytope>(A), X_WA, std::get<geom::Polytope>(B), X_WB, cache);
    if (u > 0 && sep.distance <= scales_.band) {
      features_.clear();
      manifold_.find(A, X_WA, B, X_WB, scales_.band, cache, features_);
      const geom::Pose X0_WA = originPose(pair.part_a, pair.slot_a, t0_), X0_WB = originPose(pair.part_b, pair.slot_b, t0_);
      for (const auto& feature : features_)
        if (!isHeld(index, feature)) {
          // What was in the band at the start has been decided on there; unless it comes closer, only its name is new.
          const double before = advance::contactGap(feature, A, X0_WA, B, X0_WB);
          const double now = advance::contactGap(feature, A, X_WA, B, X_WB);
          if (before <= kKnownShare * scales_.gap && now > std::min(before, scales_.gap) - kCloserShare * scales_.gap) continue;
          event.u = u, event.pair = index, event.feature = feature;
          return;
        }
    }
    axes_.clear();
    for (const Contact& c : contacts_)
      if (c.pair_index == index) axes_.push_back({c.feature.kind, c.feature.axis, c.feature.a0, c.feature.a1, c.feature.b0, c.feature.b1});
    const advance::CandidateAxes candidates = advance::candidateAxes(A, X_WA, B, X_WB, sep);
    axes_.insert(axes_.end(), candidates.span().begin(), candidates.span().end());
    double best = u;
    const advance::SeparatingAxis* chosen = nullptr;
    for (const auto& axis : axes_) {
      const double until = clearUntil(pair, index, axis, u, lenient);
      if (until > best) best = until, chosen = &axis;
      if (best >= 1) break;
    }
    if (!chosen) {
      // Every axis is blocked at once although nothing new touches: the step ends here, or, at its start (features about to
      // change into each other), the certificate alone decides how far it may go.
      if (u * h > scales_.short_step && u < event.u) event.u = u, event.pair = -1;
      return;
    }
    pair.axes.push_back(*chosen);
    if (best >= 1) break;
    // A held contact that dips blocks each axis a little later than the one before.
    crawl = best - u < kCrawlShare * u ? crawl + 1 : 0;
    u = best;
    if (crawl == kMaxCrawl || k + 1 == kMaxAxisChanges) {
      if (u < event.u) event.u = u, event.pair = -1;
      return;
    }
  }
}

/// Ends the trial at an event. A new contact is put at the nominal gap there.
bool Stepper::truncateAtEvent(Trial& trial, const Event& event) {
  if (event.limit >= 0) {
    contacts_.push_back(makeLimit(event.robot, event.limit));
    Contact& limit = contacts_.back();
    limit.held = false, limit.loaded = true;
    limit.start_gap = -1;
    fixed_a_.emplace_back(), fixed_b_.emplace_back();
    whole_ = trial;
    bool ok = truncate(trial, event.u, -1);
    fixed_a_.pop_back(), fixed_b_.pop_back();
    contacts_.pop_back();
    if (ok) return true;
    trial = whole_;
    return truncate(trial, event.u, -1);
  }
  if (event.pair < 0) return truncate(trial, event.u, -1);
  const NearPair& pair = pairs_[event.pair];
  const int body_a = parts_[pair.part_a].body, body_b = parts_[pair.part_b].body;
  double u = event.u;
  contacts_.push_back(makeContact(event.pair, event.feature));
  Contact& contact = contacts_.back();
  contact.held = false;
  bool ok = true;
  if (trial.a0.empty()) {
    // Free flight is known in closed form between the control points: secant steps on the time put the gap on delta.
    auto offAt = [&](double v) {
      interpolate(trial, v, stage_);
      auto pose = [&](int body, int slot) {
        geom::Pose X = slot >= 0 ? stage_[slot].state.pose : bodies_[body].piece.at(std::min(t0_ + v * trial.h, bodies_[body].clock));
        if (!bodies_[body].centre.isZero(0)) X.p -= X.rotation() * bodies_[body].centre;
        return X;
      };
      return advance::contactGap(event.feature, *parts_[pair.part_a].shape, pose(body_a, pair.slot_a),
                                 *parts_[pair.part_b].shape, pose(body_b, pair.slot_b)) - scales_.gap;
    };
    double off = offAt(u), other = 0.999 * u, off_other = offAt(other);
    // A point that started the step below delta meets a lower level, and stays there.
    const bool below = off < -0.1 * scales_.gap && event.u * trial.h < 1e-3 * scales_.time;
    for (int k = 0; k < 8 && !below && std::abs(off) > 0.01 * scales_.gap; ++k) {
      const double slope = (off - off_other) / (u - other);
      if (!(slope < 0)) break;
      other = u, off_other = off;
      u = std::clamp(u - off / slope, 0.5 * u, std::min(1.0, 1.5 * u));
      off = offAt(u);
      if (u == other) break;
    }
    ok = truncate(trial, u, -1);
  } else {
    const double t = t0_ + u * trial.h;
    fixed_a_.push_back(pair.slot_a >= 0 ? Placement() : Placement(bodies_[body_a].piece.at(std::min(t, bodies_[body_a].clock))));
    fixed_b_.push_back(pair.slot_b >= 0 ? Placement() : Placement(bodies_[body_b].piece.at(std::min(t, bodies_[body_b].clock))));
    contact.loaded = true;
    contact.start_gap = -1;
    contact.mode = ContactMode::kFree;
    whole_ = trial;
    ok = truncate(trial, u, -1);
    fixed_a_.pop_back(), fixed_b_.pop_back();
    if (!ok) {
      // A feature that takes over from a held one (an edge contact that runs out at a vertex) cannot be held beside it.
      contacts_.pop_back();
      trial = whole_;
      return truncate(trial, u, -1);
    }
  }
  contacts_.pop_back();
  return ok;
}

bool Stepper::certify(StepResult& result, double reach, std::string& reason) {
  ++stats_.certificates;
  result.witnesses.clear();
  result.min_gap = std::numeric_limits<double>::infinity();
  if (!keepsLimits(reason)) return false;
  for (size_t s = 0; s < island_.size(); ++s) {
    const int a = island_[s];
    Vector3d lower_a, upper_a, lower_b, upper_b;
    pieceBox(pieces_[s], bodies_[a].radius, lower_a, upper_a);
    for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
      if (b == a || (slot_of_[b] >= 0 && b < a) || !bodies_[a].collidesWith(b)) continue;
      pieceBox(slot_of_[b] >= 0 ? pieces_[slot_of_[b]] : bodies_[b].piece, bodies_[b].radius, lower_b, upper_b);
      // The verifier repeats this test; the margin keeps rounding from deciding it.
      const double box_gap = std::max((lower_a - upper_b).maxCoeff(), (lower_b - upper_a).maxCoeff());
      if (box_gap > scales_.floor && box_gap > 1.001 * reach) continue;
      for (int i = bodies_[a].first_part; i < bodies_[a].first_part + bodies_[a].num_parts; ++i)
        for (int j = bodies_[b].first_part; j < bodies_[b].first_part + bodies_[b].num_parts; ++j) {
          int p = findPair(i, j);
          if (p < 0) p = addPair(i, j);
          if (!certifyPair(pairs_[p], result, reason)) return false;
        }
    }
  }
  return true;
}

bool Stepper::certifyPair(NearPair& pair, StepResult& result, std::string& reason) {
  if (!preparePair(pair)) return true;
  const PartRuntime& A = parts_[pair.part_a];
  const PartRuntime& B = parts_[pair.part_b];
  axes_ = pair.axes;
  if (const auto* half_space = std::get_if<geom::HalfSpace>(A.shape)) {
    axes_.assign(1, {AxisKind::kFixedInA, half_space->normal});
  } else {
    const int index = static_cast<int>(&pair - pairs_.data());
    for (const Contact& c : contacts_)
      if (c.pair_index == index)
        axes_.push_back({c.feature.kind, c.feature.axis, c.feature.a0, c.feature.a1, c.feature.b0, c.feature.b1});
    for (double t : {0.5 * (t0_ + pair.tb), t0_, pair.tb}) {
      const geom::Pose X_WA = originPose(pair.part_a, pair.slot_a, t), X_WB = originPose(pair.part_b, pair.slot_b, t);
      const geom::Separation sep =
          geom::separation(std::get<geom::Polytope>(*A.shape), X_WA, std::get<geom::Polytope>(*B.shape), X_WB, pair.cache);
      const advance::CandidateAxes candidates = advance::candidateAxes(*A.shape, X_WA, *B.shape, X_WB, sep);
      axes_.insert(axes_.end(), candidates.span().begin(), candidates.span().end());
    }
  }
  witnesses_.clear();
  if (advance::certify(pair.A, pair.B, axes_, kCutMargin * scales_.floor, witnesses_) != advance::CertifyStatus::kCertified) {
    failed_pair_ = static_cast<int>(&pair - pairs_.data());
    reason.clear();
    fmt::format_to(std::back_inserter(reason),
                   "no certificate for '{}' and '{}' at t = {:.9g} s: the gap of {:.3g} m could not be proved over the step",
                   scene_.bodies[A.body].name, scene_.bodies[B.body].name, t0_, scales_.floor);
    return false;
  }
  for (const advance::Witness& w : witnesses_) {
    result.witnesses.push_back({{A.body, A.part, B.body, B.part}, w});
    result.min_gap = std::min(result.min_gap, w.gap);
  }
  return true;
}

}  // namespace rigor::sim
