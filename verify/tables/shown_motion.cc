// SPDX-License-Identifier: MIT
#include "verify/tables/shown_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "verify/kernel/motion.h"

namespace rigor::verify::tables {

using Eigen::Vector3d;
using kernel::Part;
using kernel::Piece;

namespace {

/// Of the smaller of two bodies: as far apart as ticks of crowds hit (sim/law_bounds.cc).
constexpr double kReachShare = 0.1;

}  // namespace

Scale scaleOf(const kernel::Model& model, int body) {
  const auto lengthOf = [](const kernel::Body& of) {
    double length = 0;
    for (int k = 0; k < 3; ++k) {
      double low = HUGE_VAL, high = -HUGE_VAL;
      for (const Part& part : of.parts)
        for (const kernel::Vector3& x : part.vertices) low = std::min(low, x[k]), high = std::max(high, x[k]);
      length = std::max(length, high - low);
    }
    return length;
  };
  Scale scale{lengthOf(model.bodies[static_cast<std::size_t>(body)]), 0};
  const double g = vectorOf(model.gravity).lpNorm<Eigen::Infinity>();
  if (g > 0) return {scale.length, std::sqrt(g * scale.length)};
  for (const kernel::Body& of : model.bodies)
    scale.speed =
        std::max({scale.speed, vectorOf(of.velocity).norm(), vectorOf(of.angular_velocity).norm() * lengthOf(of)});
  if (!(scale.speed > 0)) scale.speed = std::sqrt(scale.length);
  return scale;
}

double ShownMotion::reach(int body_a, int body_b) const {
  const kernel::Run& run = proof_.run();
  if (run.actions_known) return run.bounds[kernel::Law::kSupport] * run.gap_nominal;
  double length = HUGE_VAL;
  for (const int body : {body_a, body_b})
    if (!fixed(body)) length = std::min(length, scaleOf(model(), body).length);
  return kReachShare * length;
}

recorded::LinkState linkOf(const BodyAt& at) {
  const Vector3d origin = at.place({});
  return {origin, at.velocityAt(origin), at.w, {at.q.w(), at.q.x(), at.q.y(), at.q.z()}};
}

Vector3d axisOf(const kernel::Joint& joint, const BodyAt& child) {
  const auto& frame = joint.child_frame;
  return (child.q * (Eigen::Quaterniond(frame[0], frame[1], frame[2], frame[3]) * vectorOf(joint.axis))).normalized();
}

const kernel::Joint* jointOfLimit(const kernel::Model& model, const std::string& name, int body_a, int body_b) {
  const kernel::Robot& robot =
      model.robots[static_cast<std::size_t>(model.bodies[static_cast<std::size_t>(body_b)].robot)];
  const auto joint = std::find_if(robot.joints.begin(), robot.joints.end(),
                                  [&](const kernel::Joint& j) { return !j.loop && robot.name + "/" + j.name == name; });
  const bool fits = joint != robot.joints.end() && joint->child == body_b &&
                    body_a == (joint->parent < 0 ? joint->child : joint->parent);
  return fits ? &*joint : nullptr;
}

const Piece* ShownMotion::starting(int body, double time) const {
  const auto pieces = proof_.piecesOf(body);
  const auto found =
      std::lower_bound(pieces.begin(), pieces.end(), time, [](const Piece& piece, double t) { return piece.t0 < t; });
  return found != pieces.end() && found->t0 == time ? &*found : nullptr;
}

const Piece* ShownMotion::ending(int body, double time) const {
  const auto pieces = proof_.piecesOf(body);
  const auto found =
      std::lower_bound(pieces.begin(), pieces.end(), time, [](const Piece& piece, double t) { return piece.t1 < t; });
  return found != pieces.end() && found->t1 == time ? &*found : nullptr;
}

std::optional<BodyAt> ShownMotion::at(int body, const Piece* piece, bool end) const {
  const kernel::Body& of = model().bodies[static_cast<std::size_t>(body)];
  const Piece still = of.fixed ? kernel::fixedPose(of) : Piece();
  if (of.fixed) piece = &still;
  if (!piece) return {};
  BodyAt at;
  at.p = Vector3d(piece->p[end ? piece->p_degree : 0]);
  const double* q = piece->q[end ? piece->q_degree : 0];
  at.q = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized();
  at.centre = vectorOf(of.centre);
  if (!of.fixed) at.v = Vector3d(piece->velocity + (end ? 6 : 0)), at.w = Vector3d(piece->velocity + (end ? 9 : 3));
  return at;
}

std::optional<BodyAt> ShownMotion::atStart(int body, double time) const {
  return at(body, fixed(body) ? nullptr : starting(body, time), false);
}

std::optional<BodyAt> ShownMotion::atEnd(int body, double time) const {
  return at(body, fixed(body) ? nullptr : ending(body, time), true);
}

namespace {

constexpr int kMostRounds = 200;      // Of the search for the nearest points.
constexpr double kNearlyThere = 0.5;  // Of a distance that is known from above, this share is proved: enough.

// The point of a part that is farthest along a direction, world axes. @pre No half-space.
Vector3d farthest(const Part& part, const BodyAt& at, const Vector3d& along) {
  const Vector3d own = at.q.conjugate() * along;
  const auto& points = part.core.empty() ? part.vertices : part.core;
  const kernel::Vector3* best = &points[0];
  double most = -HUGE_VAL;
  for (const kernel::Vector3& x : points)
    if (const double far = own.dot(vectorOf(x)); far > most) most = far, best = &x;
  Vector3d x = at.place(*best);
  if (part.core.empty()) return x;
  Vector3d out = own;
  if (const Vector3d axis = vectorOf(part.axis); !axis.isZero(0)) out -= out.dot(axis) / axis.squaredNorm() * axis;
  if (const double size = out.norm(); size > 0) x += at.q * (part.radius / size * out);
  return x;
}

// Gilbert's search for the point of a convex set that is nearest to 0: each direction gives a bound.
template <typename Farthest>
double nearestAtLeast(Vector3d x, double enough, const Farthest& farthest) {
  double proved = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    const double above = x.norm();
    if (!(above > enough)) return 0;
    const Vector3d s = farthest(-x);
    proved = std::max(proved, s.dot(x) / above);
    if (proved > kNearlyThere * above) return proved;
    const Vector3d d = s - x;
    const double share = d.squaredNorm() > 0 ? std::clamp(-x.dot(d) / d.squaredNorm(), 0.0, 1.0) : 0;
    x += share * d;
  }
  return proved > enough ? proved : 0;
}

double aboveHalfSpace(const Part& plane, const BodyAt& at, const Vector3d& lowest) {
  const Vector3d n = vectorOf(plane.normal);
  return ((at.q.conjugate() * (lowest - at.p) + at.centre).dot(n) - plane.offset) / n.norm();
}

}  // namespace

double apartAtLeast(const Part& a, const BodyAt& of_a, const Part& b, const BodyAt& of_b, double enough) {
  if (a.half_space || b.half_space) {
    const auto& [plane, at, other, of_other] = a.half_space ? std::tie(a, of_a, b, of_b) : std::tie(b, of_b, a, of_a);
    const Vector3d down = at.q * -vectorOf(plane.normal);
    const double gap = aboveHalfSpace(plane, at, farthest(other, of_other, down));
    return gap > enough ? gap : 0;
  }
  const auto support = [&](const Vector3d& along) -> Vector3d {
    return farthest(b, of_b, along) - farthest(a, of_a, -along);
  };
  return nearestAtLeast(support(of_a.p - of_b.p), enough, support);
}

double apartAtLeast(const Vector3d& x, const Part& b, const BodyAt& of_b, double enough) {
  if (b.half_space) {
    const double gap = aboveHalfSpace(b, of_b, x);
    return gap > enough ? gap : 0;
  }
  const auto support = [&](const Vector3d& along) -> Vector3d { return farthest(b, of_b, along) - x; };
  return nearestAtLeast(support(x - of_b.p), enough, support);
}

}  // namespace rigor::verify::tables
