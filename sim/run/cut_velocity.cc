// SPDX-License-Identifier: MIT
#include "sim/run/cut_velocity.h"

#include <Eigen/Geometry>
#include <variant>

#include "sim/step/step_impulses.h"

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

Vector3d vertexAt(const BodyRuntime& body, std::span<const PartRuntime> parts, int part, int vertex, double t) {
  const auto& shape = std::get<geom::Polytope>(*parts[body.first_part + part].shape);
  return body.piece.at(t) * Vector3d(shape.vertex(vertex) - body.centre);
}

/// Where an impulse acts, on the published motion (ImpulseRecord::Contact).
Vector3d pointAt(const ImpulseRecord::Contact& c, std::span<const BodyRuntime> bodies,
                 std::span<const PartRuntime> parts, double t) {
  const auto& [body_a, part_a, body_b, part_b] = c.pair;
  const auto& f = c.feature;
  if (f.kind == advance::AxisKind::kFixedInA) return vertexAt(bodies[body_b], parts, part_b, f.b0, t);
  const Vector3d a0 = vertexAt(bodies[body_a], parts, part_a, f.a0, t);
  if (f.kind == advance::AxisKind::kFixedInB) return a0;
  const Vector3d a = vertexAt(bodies[body_a], parts, part_a, f.a1, t) - a0,
                 b0 = vertexAt(bodies[body_b], parts, part_b, f.b0, t),
                 b = vertexAt(bodies[body_b], parts, part_b, f.b1, t) - b0, cross = a.cross(b);
  return a0 + (b0 - a0).cross(b).dot(cross) / cross.squaredNorm() * a;
}

}  // namespace

Vector6d velocityOfCut(int index, const ImpulseRecord& acted, std::span<const BodyRuntime> bodies,
                       std::span<const PartRuntime> parts, const Vector3d& gravity) {
  const BodyRuntime& body = bodies[index];
  const advance::MotionPiece& piece = body.piece;
  BodyImpulse sum;
  for (const ImpulseRecord::Contact& contact : acted.contacts) {
    if (contact.pair.body_a != index && contact.pair.body_b != index) continue;
    const double sign = contact.pair.body_b == index ? 1 : -1;
    for (int k = contact.first; k < contact.first + contact.count; ++k) {
      const Vector3d P = sign * acted.impulses[k].P;
      sum.P += P, sum.K += (pointAt(contact, bodies, parts, acted.impulses[k].time) - piece.p[0]).cross(P);
    }
  }
  const double h = piece.t1 - piece.t0;
  Vector3d integral = Vector3d::Zero();
  for (int i = 1; i <= piece.p_degree; ++i) integral += h / (piece.p_degree + 1) * (piece.p[i] - piece.p[0]);
  sum.P += h * body.push.head<3>(), sum.K += integral.cross(Vector3d(body.push.head<3>())) + h * body.push.tail<3>();
  return balancedVelocity(body.model, piece.start(), body.v_start, piece.end(), integral, h, gravity, sum);
}

Vector6d velocityOfCutFlight(const BodyRuntime& body, const Vector3d& gravity) {
  dynamics::RigidBodyState start;
  start.pose = body.piece.start(), start.setVelocity(body.v_start);
  const dynamics::RigidBodyState end = dynamics::stepFree(body.model, start, gravity, body.piece.t1 - body.piece.t0);
  Vector6d u;
  u << end.v,
      body.model.isotropic ? end.w : Vector3d(body.piece.end().rotation() * (end.pose.rotation().transpose() * end.w));
  return u;
}

}  // namespace rigor::sim
