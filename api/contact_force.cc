// SPDX-License-Identifier: MIT
#include "api/contact_force.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "rigor/error.h"

namespace rigor {

using Eigen::Vector3d;

namespace {

/// The point of the line p + s d nearest to the line r + t e, within the segment.
Vector3d nearestOnSegment(const Vector3d& p, const Vector3d& d, const Vector3d& r, const Vector3d& e) {
  const Vector3d n = d.cross(e);
  const double size = n.squaredNorm();
  if (!(size > 0)) return p + 0.5 * d;  // Parallel: no point is nearer than another.
  return p + std::clamp((r - p).cross(e).dot(n) / size, 0.0, 1.0) * d;
}

Vector3d vertex(const TouchingPart& part, int index) {
  if (index < 0 || index >= part.vertices.cols()) throw InputError("an impulse acts at a vertex that its body has not; the record is damaged");
  return part.origin * Vector3d(part.vertices.col(index));
}

}  // namespace

void placeFeature(const advance::SeparatingAxis& feature, const TouchingPart& a, const TouchingPart& b, Vector3d& point, Vector3d& normal) {
  switch (feature.kind) {
    case advance::AxisKind::kFixedInA:
      point = vertex(b, feature.b0);
      normal = (a.origin.rotation() * feature.axis).normalized();
      return;
    case advance::AxisKind::kFixedInB:
      point = vertex(a, feature.a0);
      normal = (b.origin.rotation() * feature.axis).normalized();
      return;
    case advance::AxisKind::kEdges: {
      const Vector3d p = vertex(a, feature.a0), d = vertex(a, feature.a1) - p;
      const Vector3d r = vertex(b, feature.b0), e = vertex(b, feature.b1) - r;
      point = nearestOnSegment(p, d, r, e);
      normal = d.cross(e).normalized();
      return;
    }
  }
}

}  // namespace rigor
