// SPDX-License-Identifier: MIT
#include "balance_checker.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace rigor::sim::test {

using advance::AxisKind;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Vector6d = Eigen::Matrix<double, 6, 1>;

BalanceChecker::Size BalanceChecker::sizeOf(int body) const {
  const Body& b = scene_.bodies[body];
  Vector3d low = Vector3d::Constant(HUGE_VAL), high = -low;
  for (const auto& part : b.parts)
    if (const auto* polytope = std::get_if<geom::Polytope>(&part))
      low = low.cwiseMin(polytope->vertices().rowwise().minCoeff()),
      high = high.cwiseMax(polytope->vertices().rowwise().maxCoeff());
  const double l = (high - low).maxCoeff(), g = scene_.gravity.cwiseAbs().maxCoeff();
  return {b.mass, l, std::sqrt((g > 0 ? g : 9.81) * l)};
}

/// The piece that holds an instant: `starts` for one that begins a step.
const PieceRecord* BalanceChecker::pieceAt(int body, double t, bool starts) const {
  for (const PieceRecord& p : pieces_[body])
    if (starts ? p.piece.t0 <= t && t < p.piece.t1 : p.piece.t0 < t && t <= p.piece.t1) return &p;
  return nullptr;
}

geom::Pose BalanceChecker::poseAt(int body, double t) const {
  const Body& b = scene_.bodies[body];
  if (b.fixed) return {b.pose.q, b.pose.p + b.pose.rotation() * b.centre};
  const PieceRecord* p = pieceAt(body, t, t == 0);
  if (!p) p = pieceAt(body, t, true);
  if (!p) throw std::logic_error("an impulse acts where its body has no motion");
  return p->piece.at(t);
}

Vector6d BalanceChecker::velocityAt(int body, double t) const {
  Vector6d u = Vector6d::Zero();
  if (scene_.bodies[body].fixed) return u;
  const PieceRecord* p = pieceAt(body, t, true);
  if (!p || p->piece.t0 < t) p = pieceAt(body, t, false);
  Vector3d v, w;
  p->piece.velocityAt(t, v, w);
  u << v, w;
  return u;
}

Vector3d BalanceChecker::vertexAt(int body, int part, int vertex, double t) const {
  const Body& b = scene_.bodies[body];
  return poseAt(body, t) * Vector3d(std::get<geom::Polytope>(b.parts[part]).vertex(vertex) - b.centre);
}

void BalanceChecker::place(const ImpulseRecord::Contact& c, double t, Vector3d& x, Vector3d& n, double& gap) const {
  const auto& f = c.feature;
  if (f.kind == AxisKind::kEdges) {
    const Vector3d a0 = vertexAt(c.pair.body_a, c.pair.part_a, f.a0, t),
                   a = vertexAt(c.pair.body_a, c.pair.part_a, f.a1, t) - a0;
    const Vector3d b0 = vertexAt(c.pair.body_b, c.pair.part_b, f.b0, t),
                   b = vertexAt(c.pair.body_b, c.pair.part_b, f.b1, t) - b0;
    n = a.cross(b).normalized();
    x = a0 + (b0 - a0).cross(b).dot(a.cross(b)) / a.cross(b).squaredNorm() * a;
    gap = n.dot(b0 - a0);
    return;
  }
  const bool in_a = f.kind == AxisKind::kFixedInA;
  const int owner = in_a ? c.pair.body_a : c.pair.body_b, part = in_a ? c.pair.part_a : c.pair.part_b;
  const geom::Pose X = poseAt(owner, t);
  const Body& body = scene_.bodies[owner];
  n = X.rotation() * f.axis.normalized();
  x = in_a ? vertexAt(c.pair.body_b, c.pair.part_b, f.b0, t) : vertexAt(c.pair.body_a, c.pair.part_a, f.a0, t);
  // The owner's farthest point along the normal, outwards.
  const Vector3d out = in_a ? n : Vector3d(-n);
  double highest = -HUGE_VAL;
  if (const auto* half = std::get_if<geom::HalfSpace>(&body.parts[part]))
    highest = half->offset / half->normal.norm() + out.dot(X.p - X.rotation() * body.centre);
  else
    for (int v = 0; v < std::get<geom::Polytope>(body.parts[part]).vertices().cols(); ++v)
      highest = std::max(highest, out.dot(vertexAt(owner, part, v, t)));
  gap = out.dot(x) - highest;
}

void BalanceChecker::checkContact(const ImpulseRecord& record, const ImpulseRecord::Contact& c,
                                  const ImpulseRecord::Impulse& impulse, double gap_nominal, double stick,
                                  LawResiduals& laws) const {
  const Body &A = scene_.bodies[c.pair.body_a], &B = scene_.bodies[c.pair.body_b];
  const int lighter = A.fixed || (!B.fixed && B.mass < A.mass) ? c.pair.body_b : c.pair.body_a;
  const Size size = sizeOf(lighter);
  const double unit = size.mass * size.speed, t = impulse.time;
  Vector3d x, n;
  double gap;
  place(c, t, x, n, gap);
  if (impulse.P.norm() > 1e-9 * unit) laws.support.note(std::abs(gap) / gap_nominal, t, lighter);
  const double mu = std::sqrt(A.material.friction * B.material.friction), normal = impulse.P.dot(n);
  const Vector3d tangent = impulse.P - normal * n;
  const double out = normal < 0       ? impulse.P.norm()
                     : std::isinf(mu) ? 0
                                      : (tangent.norm() - mu * normal) / std::sqrt(1 + mu * mu);
  laws.cone.note(std::max(0.0, out) / unit, t, lighter);
  ++laws.contacts;
  if (record.t0 == record.t1 || std::isinf(mu) || mu == 0 || impulse.P.norm() < 1e-4 * unit) return;
  const auto pointVelocity = [&](int body) {
    const Vector6d u = velocityAt(body, t);
    return scene_.bodies[body].fixed ? Vector3d(Vector3d::Zero())
                                     : Vector3d(u.head<3>() + u.tail<3>().cross(x - poseAt(body, t).p));
  };
  Vector3d u = pointVelocity(c.pair.body_b) - pointVelocity(c.pair.body_a);
  u -= n * n.dot(u);
  if (u.norm() <= stick * size.speed) return;
  laws.slip.note(std::max(1 + tangent.dot(u) / (tangent.norm() * u.norm()), 1 - tangent.norm() / (mu * normal)), t,
                 lighter);
}

Vector3d BalanceChecker::spin(int body, const geom::Pose& pose, const Vector3d& w) const {
  const Matrix3d R = pose.rotation();
  return R * (scene_.bodies[body].inertia * (R.transpose() * w));
}

void BalanceChecker::checkBody(int body, const std::map<std::pair<double, bool>, Sum>& sums, double gap,
                               LawResiduals& laws) const {
  const Size size = sizeOf(body);
  const double unit = size.mass * size.speed, l = size.length;
  const Body& b = scene_.bodies[body];
  Vector3d v_before = b.velocity + b.angular_velocity.cross(b.pose.rotation() * b.centre),
           w_before = b.angular_velocity;
  const auto sumAt = [&](double t, bool jump) {
    const auto found = sums.find({t, jump});
    return found == sums.end() ? Sum() : found->second;
  };
  for (const PieceRecord& p : pieces_[body]) {
    const double h = p.piece.t1 - p.piece.t0;
    const geom::Pose X0 = p.piece.start(), X1 = p.piece.end();
    const Sum jump = sumAt(p.piece.t0, true), step = sumAt(p.piece.t0, false);
    laws.jump_momentum.note((size.mass * (p.v_start - v_before) - jump.P).norm() / unit, p.piece.t0, body);
    laws.jump_angular.note((spin(body, X0, p.w_start) - spin(body, X0, w_before) - jump.K).norm() / (unit * l),
                           p.piece.t0, body);
    Vector3d integral = Vector3d::Zero();
    for (int k = 0; k <= p.piece.p_degree; ++k) integral += (p.piece.p[k] - X0.p) * (h / (p.piece.p_degree + 1));
    const Vector3d P = size.mass * (p.v_end - p.v_start) - size.mass * h * scene_.gravity - step.P;
    const Vector3d K = spin(body, X1, p.w_end) - spin(body, X0, p.w_start) + size.mass * (X1.p - X0.p).cross(p.v_end) -
                       size.mass * integral.cross(scene_.gravity) - step.K;
    laws.momentum.note(P.norm() / unit, p.piece.t0, body);
    laws.angular.note(K.norm() / (unit * l), p.piece.t0, body);
    for (const bool end : {false, true}) {
      Vector3d v, w;
      p.piece.velocityAt(end ? p.piece.t1 : p.piece.t0, v, w);
      laws.kinematics.note((v - (end ? p.v_end : p.v_start)).norm() * h / 3 / gap, p.piece.t0, body);
    }
    v_before = p.v_end, w_before = p.w_end;
  }
}

LawResiduals BalanceChecker::check(double gap, double stick) const {
  LawResiduals laws;
  std::vector<std::map<std::pair<double, bool>, Sum>> sums(
      scene_.bodies.size());  // By start of the piece, and of its jump.
  for (const ImpulseRecord& record : records_) {
    const bool jump = record.t0 == record.t1;
    for (const auto& c : record.contacts)
      for (int k = c.first; k < c.first + c.count; ++k) {
        const ImpulseRecord::Impulse& impulse = record.impulses[k];
        Vector3d x, n;
        double distance;
        place(c, impulse.time, x, n, distance);
        checkContact(record, c, impulse, gap, stick, laws);
        laws.jumps += jump;
        for (const int body : {c.pair.body_a, c.pair.body_b}) {
          if (scene_.bodies[body].fixed) continue;
          const PieceRecord* piece = pieceAt(body, impulse.time, jump || impulse.time == record.t0);
          if (!piece || (jump && piece->piece.t0 != impulse.time))
            throw std::logic_error("an impulse acts where its body has no step");
          const Vector3d P = body == c.pair.body_b ? impulse.P : Vector3d(-impulse.P);
          Sum& sum = sums[body][{piece->piece.t0, jump}];
          sum.P += P, sum.K += (x - piece->piece.start().p).cross(P), sum.any = true;
        }
      }
  }
  for (size_t b = 0; b < pieces_.size(); ++b)
    if (!scene_.bodies[b].fixed) checkBody(static_cast<int>(b), sums[b], gap, laws);
  return laws;
}

LawResiduals balanceOf(Scene scene, double stick, double until) {
  if (until > 0) scene.until = until;
  Simulation simulation(std::move(scene), 0);
  BalanceChecker checker(simulation.scene());
  const Summary summary = simulation.run(simulation.scene().until, checker);
  if (summary.status != RunStatus::kDone) throw std::runtime_error("the run stopped: " + summary.message);
  return checker.check(simulation.gapNominal(), stick);
}

}  // namespace rigor::sim::test
