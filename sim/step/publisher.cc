// SPDX-License-Identifier: MIT
#include "sim/step/publisher.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "dynamics/quaternion.h"
#include "elementary/elementary.h"
#include "sim/free_flight.h"

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

constexpr double kHeldShare = 0.9;     // Dips of held contacts are lifted to this share of the nominal gap.
constexpr double kCloserLift = 0.05;  // Coming closer by less than this share of delta is no dip.
constexpr double kTurningGaps = 5;  // Half of what support is held to (docs/proof.md).
constexpr int kLiftPasses = 2;
constexpr double kFitMargin = 0.9;  // Of the length at which the fit is expected to be what it may be;
constexpr double kFitSays = 0.008;  // a smaller share of that says that three times the length fits.

/// Frobenius norm of the difference of two rotations: sqrt(8) times the sine of half the angle between them.
/// Quaternions of any length.
double distanceOfRotations(const Eigen::Vector4d& q, const Eigen::Vector4d& r) {
  const Vector3d sine = dynamics::multiply(dynamics::conjugate(q), r).tail<3>();
  return std::sqrt(8 * sine.squaredNorm() / (q.squaredNorm() * r.squaredNorm()));
}

}  // namespace

void pieceBox(const advance::MotionPiece& piece, double radius, Vector3d& lower, Vector3d& upper) {
  lower = upper = piece.p[0];
  for (int i = 1; i <= piece.p_degree; ++i) lower = lower.cwiseMin(piece.p[i]), upper = upper.cwiseMax(piece.p[i]);
  lower.array() -= radius, upper.array() += radius;
}

void posesAt(const std::vector<advance::MotionPiece>& pieces, double u, std::vector<geom::Pose>& poses) {
  const double v = 1 - u, b0 = v * v * v, b1 = 3 * u * v * v, b2 = 3 * u * u * v, b3 = u * u * u;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const auto& P = pieces[i];
    poses[i].p = b0 * P.p[0] + b1 * P.p[1] + b2 * P.p[2] + b3 * P.p[3];
    poses[i].q = b0 * P.q[0] + b1 * P.q[1] + b2 * P.q[2] + b3 * P.q[3];
  }
}

double contactGapAt(const StepContext& x, const Contact& c, const std::vector<geom::Pose>& poses, Vector3d* normal) {
  // Held contacts are with bodies of the group or with fixed ones.
  FeaturePlace place;
  placeFeature(c, Placement(c.slot_a >= 0 ? poses[c.slot_a] : x.bodies[c.pair.body_a].state.pose),
               Placement(c.slot_b >= 0 ? poses[c.slot_b] : x.bodies[c.pair.body_b].state.pose), place);
  if (normal) *normal = place.frame.row(0).transpose();
  return place.gap;
}

void Publisher::hermitePieces(const Trial& trial) {
  const SystemState& start = x_.start;
  const size_t n = start.size();
  const double h = trial.h;
  const double t1 = h == x_.t_end - x_.t0 ? x_.t_end : x_.t0 + h;
  const double third =
      (t1 - x_.t0) / 3;  // Of the published interval: the record leaves out points that follow from the velocities.
  x_.pieces.resize(n);
  for (size_t i = 0; i < n; ++i) {
    const auto& s0 = start[i].state;
    const auto& s1 = trial.ends[i].state;
    advance::MotionPiece& piece = x_.pieces[i];
    piece.t0 = x_.t0, piece.t1 = t1;
    piece.p_degree = 3;
    // A link that was cut ended on its own piece, next to where its robot's coordinates put it; it moves on with their
    // velocity.
    piece.p[0] = start[i].robot < 0 ? s0.pose.p : x_.bodies[x_.island[i]].state.pose.p;
    piece.p[1] = piece.p[0] + third * s0.v;
    piece.p[2] = s1.pose.p - third * s1.v, piece.p[3] = s1.pose.p;
    const Eigen::Vector4d& published = x_.bodies[x_.island[i]].state.pose.q;
    piece.q[0] = start[i].robot < 0 && isUnit(published) ? s0.pose.q : published;
    // Of one length throughout: between two it would turn at another rate than the body.
    turnTo(isUnit(published) ? s1.pose.q : published.norm() * s1.pose.q, s0.w, s1.w, piece);
  }
}

void Publisher::publishMotion() {
  x_.motion.resize(x_.pieces.size());
  for (size_t i = 0; i < x_.pieces.size(); ++i)
    if (x_.bodies[x_.island[i]].num_parts > 0)
      x_.motion[i] = advance::PiecePolynomials(x_.pieces[i], x_.t0, x_.pieces[i].t1);
}

void Publisher::publishRaw(const Trial& trial) {
  lifts_ = false;
  hermitePieces(trial);
  publishMotion();
}

Published Publisher::publish(const Trial& trial) {
  hermitePieces(trial);
  fit_ = 0;
  if (!x_.start.robots.empty() && !fitsJoints(trial)) return Published::kTooLong;
  if (liftDips() != Published::kDone || !staysAtTurningContacts(trial)) return Published::kTooLong;
  publishMotion();
  return Published::kDone;
}

void Publisher::stayUntil(double t1) {
  x_.pieces.resize(x_.start.size());
  for (size_t i = 0; i < x_.start.size(); ++i)
    x_.pieces[i] = advance::MotionPiece::constant(x_.bodies[x_.island[i]].state.pose, x_.t0, t1);
  publishMotion();
}

bool Publisher::fitsJoints(const Trial& trial) {
  fit_ = 0;
  between_ = x_.start;
  for (const double u : {0.25, 0.5, 0.75}) {
    interpolateLinks(x_, trial, u, between_);
    for (size_t i = 0; i < x_.pieces.size(); ++i) {
      if (x_.start[i].robot < 0) continue;
      const geom::Pose X = x_.pieces[i].at(x_.t0 + u * (x_.pieces[i].t1 - x_.t0));
      const geom::Pose& Y = between_[i].state.pose;
      const double off = (X.p - Y.p).norm() + x_.bodies[x_.island[i]].reach * distanceOfRotations(X.q, Y.q);
      if (!(off <= fit_)) fit_ = off;  // NaN stays.
    }
  }
  if (fit_ <= x_.scales.joint_fit) return true;
  const double length = kFitMargin * elementary::fourthRoot(x_.scales.joint_fit / fit_);
  x_.shrink = fit_ > 0 ? std::clamp(length, 0.15, 0.9) : 0.5;  // NaN halves.
  return false;
}

double Publisher::fittingLength(double h) const {
  const double share = fit_ / x_.scales.joint_fit;
  return share > kFitSays ? kFitMargin * h / elementary::fourthRoot(share) : HUGE_VAL;
}

/// By how much a contact dips at the poses at hand, and the normal along which it has to be lifted; 0 where it need not
/// be [m].
double Publisher::deficit(const Contact& c, Vector3d& normal) const {
  if ((!c.held && c.in_patch) || c.isLimit() || c.of_event)
    return 0;  // A limit that is held does not move along its row.
  const double gap = contactGapAt(x_, c, poses_, &normal);
  // A held contact that lifts off at the end of the step keeps whatever gap it has.
  double need = kHeldShare * x_.scales.gap - gap;
  if (!(need > 0)) return 0;
  // Nor is one lifted above where it starts and ends: that would be a push however short the step is.
  need = std::min({need, c.start_gap - gap, contactGapAt(x_, c, end_poses_, nullptr) - gap});
  return need > kCloserLift * x_.scales.gap ? need : 0;
}

/// Raises the inner control points of a contact's bodies along its normal, half each where both move.
void Publisher::raise(const Contact& c, double u, double lift, const Vector3d& normal) {
  const double share = c.slot_a >= 0 && c.slot_b >= 0 ? 0.5 : 1;
  const auto raiseBody = [&](int slot, double amount) {
    x_.pieces[slot].p[1] += amount * normal, x_.pieces[slot].p[2] += amount * normal;
    poses_[slot].p += 3 * u * (1 - u) * amount * normal;
  };
  if (c.slot_a >= 0) raiseBody(c.slot_a, -share * lift);
  if (c.slot_b >= 0) raiseBody(c.slot_b, share * lift);
}

/// Whether contacts whose normal is that of the instant at which something acts touch then.
bool Publisher::staysAtTurningContacts(const Trial& trial) {
  const ImpulseRecord& record = trial.acted.record;
  for (const ImpulseRecord::Contact& acting : record.contacts) {
    if (acting.feature.kind != advance::AxisKind::kNearest) continue;
    const auto contact = std::find_if(x_.contacts.begin(), x_.contacts.end(), [&](const Contact& c) {
      return c.pair == acting.pair && axisOf(c.feature).sameVertices(acting.feature);
    });
    if (contact == x_.contacts.end()) continue;
    for (int k = acting.first; k < acting.first + acting.count; ++k) {
      if (record.impulses[k].P.isZero(0)) continue;
      posesAt(x_.pieces, record.impulses[k].time, poses_);
      const double gap = contactGapAt(x_, *contact, poses_, nullptr), most = kTurningGaps * x_.scales.gap;
      if (gap <= most) continue;
      x_.shrink = gap > 0 ? std::clamp(0.9 * elementary::fourthRoot(most / gap), 0.15, 0.7) : 0.5;  // NaN halves.
      return false;
    }
  }
  return true;
}

Published Publisher::liftDips() {
  // Near the ends a contact dips only where others are lifted: a lift changes the slope there, and the gap's own curve
  // is flat.
  constexpr double kSamples[] = {0.5, 0.25, 0.75, 1.0 / 64, 63.0 / 64};
  poses_.resize(x_.pieces.size());
  end_poses_.resize(x_.pieces.size());
  for (size_t i = 0; i < x_.pieces.size(); ++i) end_poses_[i] = x_.pieces[i].end();
  const auto shrinkTo = [&](double limit, double found) {
    x_.shrink = std::clamp(0.9 * elementary::fourthRoot(limit / found), 0.15, 0.7);
    return Published::kTooLong;
  };
  double total = 0;
  lifts_ = false;
  for (int pass = 0; pass < kLiftPasses; ++pass) {
    bool moved = false;
    for (const double u : kSamples) {
      if ((u < 0.1 || u > 0.9) && (total == 0 || x_.contacts.size() < 2)) continue;
      posesAt(x_.pieces, u, poses_);
      for (const Contact& c : x_.contacts) {
        Vector3d normal;
        const double need = deficit(c, normal);
        if (!(need > 0)) continue;
        const double lift = need / (3 * u * (1 - u));
        total += lift;
        // Links may leave their joints' motion by the fit alone.
        const bool link =
            (c.slot_a >= 0 && x_.start[c.slot_a].robot >= 0) || (c.slot_b >= 0 && x_.start[c.slot_b].robot >= 0);
        if (link && !(lift <= x_.scales.joint_fit)) return shrinkTo(x_.scales.joint_fit, lift);
        if (!(total <= x_.scales.max_lift)) return shrinkTo(x_.scales.max_lift, total);
        moved = lifts_ = true;
        raise(c, u, lift, normal);
      }
    }
    if (!moved) break;
  }
  return Published::kDone;
}

}  // namespace rigor::sim
