// SPDX-License-Identifier: MIT
#include "sim/contact/contact_of.h"

#include <cmath>
#include <variant>

#include "elementary/require.h"

namespace rigor::sim {

using advance::AxisKind;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

/// Completes a unit normal to an orthonormal frame: rows n, t1, t2 (Duff et al. 2017).
Matrix3d frameAround(const Vector3d& n) {
  const double sign = std::copysign(1.0, n.z());
  const double a = -1 / (sign + n.z()), b = n.x() * n.y() * a;
  Matrix3d frame;
  frame.row(0) = n;
  frame.row(1) << 1 + sign * n.x() * n.x() * a, sign * b, -sign * n.x();
  frame.row(2) << b, sign + n.y() * n.y() * a, -n.y();
  return frame;
}

}  // namespace

Contact contactOf(const advance::ContactFeature& feature, const PartRuntime& A, const BodyRuntime& body_a,
                  const PartRuntime& B, const BodyRuntime& body_b) {
  RIGOR_REQUIRE(std::holds_alternative<geom::Polytope>(*B.shape));
  Contact c;
  c.pair = {A.body, A.part, B.body, B.part};
  c.feature = feature;
  const auto* PA = std::get_if<geom::Polytope>(A.shape);
  const auto& PB = std::get<geom::Polytope>(*B.shape);
  switch (feature.kind) {
    case AxisKind::kFixedInA:
      c.frame = frameAround(feature.axis);
      c.offset = feature.offset - feature.axis.dot(body_a.centre);
      c.b = PB.corner(feature.b0) - body_b.centre;
      if (PB.isRound(feature.b0)) c.round_b = PB.round();
      break;
    case AxisKind::kFixedInB:
      c.frame = frameAround(feature.axis);
      c.offset = feature.offset - feature.axis.dot(body_b.centre);
      c.a = PA->corner(feature.a0) - body_a.centre;
      if (PA->isRound(feature.a0)) c.round_a = PA->round();
      break;
    case AxisKind::kNearest: c.frame = frameAround(feature.axis); [[fallthrough]];
    case AxisKind::kEdges:
      c.a = PA->corner(feature.a0) - body_a.centre, c.a_edge = PA->corner(feature.a1) - PA->corner(feature.a0);
      c.b = PB.corner(feature.b0) - body_b.centre, c.b_edge = PB.corner(feature.b1) - PB.corner(feature.b0);
      if (PA->isRound(feature.a0)) c.round_a = PA->round();
      if (PB.isRound(feature.b0)) c.round_b = PB.round();
      break;
  }
  c.friction = std::sqrt(body_a.material.friction * body_b.material.friction);
  if (std::isinf(body_a.material.friction) || std::isinf(body_b.material.friction)) c.friction = impact::kNoSlip;
  c.restitution = std::max(body_a.material.restitution, body_b.material.restitution);
  c.held = true;
  return c;
}

}  // namespace rigor::sim
