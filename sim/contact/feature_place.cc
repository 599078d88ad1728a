// SPDX-License-Identifier: MIT
#include "sim/contact/feature_place.h"

#include <Eigen/Geometry>

#include "advance/feature_point.h"
#include "elementary/require.h"

namespace rigor::sim {

using advance::AxisKind;
using Eigen::Vector3d;

void placeFeature(const Contact& contact, const Placement& A, const Placement& B, FeaturePlace& k) {
  RIGOR_REQUIRE(!contact.isLimit());
  switch (contact.feature.kind) {
    case AxisKind::kFixedInA:
      k.frame.noalias() = contact.frame * A.R.transpose();
      k.r_b.noalias() = B.R * contact.b;
      if (contact.round_b) {
        k.round_axis.noalias() = B.R * contact.round_b->axis;
        k.r_b += contact.round_b->reach(-k.frame.row(0), k.round_axis);
      }
      k.point = B.p + k.r_b;
      k.r_a = k.point - A.p;
      k.gap = k.frame.row(0).dot(k.r_a) - contact.offset;
      break;
    case AxisKind::kFixedInB:
      k.frame.noalias() = contact.frame * B.R.transpose();
      k.r_a.noalias() = A.R * contact.a;
      if (contact.round_a) {
        k.round_axis.noalias() = A.R * contact.round_a->axis;
        k.r_a += contact.round_a->reach(k.frame.row(0), k.round_axis);
      }
      k.point = A.p + k.r_a;
      k.r_b = k.point - B.p;
      k.gap = contact.offset - k.frame.row(0).dot(k.r_b);
      break;
    case AxisKind::kNearest: {
      k.edge_a.noalias() = A.R * contact.a_edge, k.edge_b.noalias() = B.R * contact.b_edge;
      const Vector3d xa = A.p + A.R * contact.a, xb = B.p + B.R * contact.b;
      const advance::NearestPoints nearest = advance::nearestPoints(xa, k.edge_a, xb, k.edge_b);
      const double radius_a = contact.round_a ? contact.round_a->radius : 0,
                   radius_b = contact.round_b ? contact.round_b->radius : 0;
      const Vector3d& n = nearest.normal;
      Vector3d t = contact.a_edge.isZero(0) ? k.edge_b : k.edge_a;
      if (t.isZero(0)) t = contact.frame.row(1);
      t = (t - n.dot(t) * n).normalized();
      k.frame.row(0) = n, k.frame.row(1) = t, k.frame.row(2) = n.cross(t);
      k.core_a = nearest.x, k.core_b = nearest.y;
      k.gap = nearest.distance - radius_a - radius_b;
      if (advance::actsOnB(axisOf(contact.feature))) k.point = nearest.y - radius_b * n;
      else if (axisOf(contact.feature).isOfTwoLines())
        k.point = advance::onEdge(nearest, xa, k.edge_a, xb, k.edge_b) + radius_a * n;
      else k.point = nearest.x + radius_a * n;
      k.r_a = k.point - A.p;
      k.r_b = k.point - B.p;
      break;
    }
    case AxisKind::kEdges: {
      k.edge_a.noalias() = A.R * contact.a_edge, k.edge_b.noalias() = B.R * contact.b_edge;
      const Vector3d cross = k.edge_a.cross(k.edge_b);
      const double length = cross.norm();
      const Vector3d n = cross / length, t1 = k.edge_a.normalized();
      k.frame.row(0) = n, k.frame.row(1) = t1, k.frame.row(2) = n.cross(t1);
      const Vector3d xa = A.p + A.R * contact.a, xb = B.p + B.R * contact.b, d = xb - xa;
      k.gap = n.dot(d);
      k.point = xa + advance::nearestOnEdge(k.edge_a, d, k.edge_b, cross) * k.edge_a;  // What acts on both acts on A's.
      if (contact.round_a) k.gap -= contact.round_a->radius, k.point += contact.round_a->radius * n;
      if (contact.round_b) k.gap -= contact.round_b->radius;
      k.r_a = k.point - A.p;
      k.r_b = k.point - B.p;
      break;
    }
  }
}

}  // namespace rigor::sim
