// SPDX-License-Identifier: MIT
#include "viewer/contact_finder.h"

#include <Eigen/Geometry>
#include <cmath>

#include "advance/feature_point.h"

namespace rigor::viewer {
namespace {

/// Where a contact point lies: midway between the two surfaces.
Eigen::Vector3d contactPoint(const advance::ContactFeature& f, const geom::Shape& A, const geom::Pose& X_WA,
                             const geom::Shape& B, const geom::Pose& X_WB, const Eigen::Vector3d& n, double gap) {
  if (f.kind == advance::AxisKind::kFixedInA)
    return X_WB * std::get<geom::Polytope>(B).corner(f.b0) + advance::reachOfCorner(B, f.b0, X_WB.rotation(), -n) -
           gap / 2 * n;
  const auto& pa = std::get<geom::Polytope>(A);
  if (f.kind == advance::AxisKind::kFixedInB)
    return X_WA * pa.corner(f.a0) + advance::reachOfCorner(A, f.a0, X_WA.rotation(), n) + gap / 2 * n;
  const auto& pb = std::get<geom::Polytope>(B);
  if (f.kind == advance::AxisKind::kNearest) {
    const auto vertex = [&](int side, int v) { return side == 0 ? X_WA * pa.corner(v) : X_WB * pb.corner(v); };
    const auto reach = [&](int side, int v, const Eigen::Vector3d& along) {
      return side == 0 ? advance::reachOfCorner(A, v, X_WA.rotation(), along)
                       : advance::reachOfCorner(B, v, X_WB.rotation(), along);
    };
    const advance::SeparatingAxis axis = axisOf(f);
    return advance::placeFeature(axis, X_WA.rotation(), X_WB.rotation(), vertex, reach).point -
           (advance::actsOnB(axis) ? gap / 2 : -gap / 2) * n;
  }
  // Crossing of the two edges, seen along the normal.
  const Eigen::Vector3d a0 = X_WA * pa.vertex(f.a0), a = X_WA * pa.vertex(f.a1) - a0;
  const Eigen::Vector3d b0 = X_WB * pb.vertex(f.b0), b = X_WB * pb.vertex(f.b1) - b0;
  const Eigen::Vector3d cross = a.cross(b);
  const double s = cross.squaredNorm() > 0 ? (b0 - a0).cross(b).dot(cross) / cross.squaredNorm() : 0.5;
  return a0 + std::clamp(s, 0.0, 1.0) * a + gap / 2 * n;
}

}  // namespace

ContactFinder::ContactFinder(const RunModel& model) {
  std::vector<advance::BroadPhase::Part> parts;
  for (int b = 0; b < static_cast<int>(model.bodies().size()); ++b) {
    const ModelBody& body = model.bodies()[b];
    for (int p = 0; p < static_cast<int>(body.parts.size()); ++p) {
      parts.push_back({b, body.fixed, &body.parts[p], body.centre});
      parts_.push_back({b, p});
    }
  }
  broad_phase_ = std::make_unique<advance::BroadPhase>(std::move(parts));
}

void ContactFinder::find(const RunModel& model, const std::vector<Placement>& placements, double band, double reach) {
  contacts_.clear();
  closest_.clear();
  const auto& bodies = model.bodies();
  for (int b = 0; b < static_cast<int>(bodies.size()); ++b)
    if (placements[b].known) broad_phase_->update(b, advance::MotionPiece::constant(placements[b].pose, 0, 1));
  for (const auto& pair : broad_phase_->pairs(std::max(reach, band))) {
    const Part &a = parts_[pair.a], &b = parts_[pair.b];
    if (!pair.near || !placements[a.body].known || !placements[b.body].known) continue;
    const geom::Shape &A = bodies[a.body].parts[a.part], &B = bodies[b.body].parts[b.part];
    const geom::Pose X_WA = placements[a.body].origin(bodies[a.body].centre);
    const geom::Pose X_WB = placements[b.body].origin(bodies[b.body].centre);
    const sim::PairKey key{a.body, a.part, b.body, b.part};
    ClosestPair close{key, {}, {}, 0};
    const auto& pb = std::get<geom::Polytope>(B);
    if (const auto* plane = std::get_if<geom::HalfSpace>(&A)) {
      const Eigen::Vector3d n = (placements[a.body].R * plane->normal).normalized();
      const double level = n.dot(X_WA.p) + plane->offset / plane->normal.norm();
      close.distance = INFINITY;
      for (int v = 0; v < pb.numCorners(); ++v) {
        const Eigen::Vector3d y = X_WB * pb.corner(v) + advance::reachOfCorner(B, v, X_WB.rotation(), -n);
        if (const double d = n.dot(y) - level; d < close.distance) close.distance = d, close.point_b = y;
      }
      close.point_a = close.point_b - close.distance * n;
    } else {
      geom::SeparationCache cache;
      const geom::Separation s = geom::separation(std::get<geom::Polytope>(A), X_WA, pb, X_WB, cache);
      close.distance = s.distance;
      close.point_a = s.point_a;
      close.point_b = s.point_b;
    }
    if (!(close.distance <= std::max(reach, band))) continue;
    if (close.distance <= reach) closest_.push_back(close);
    if (!(close.distance <= band)) continue;
    features_.clear();
    geom::SeparationCache cache;
    manifold_.find(A, X_WA, B, X_WB, band, cache, features_);
    for (const advance::ContactFeature& feature : features_) {
      ShownContact contact{key, {}, {}, 0};
      contact.gap = advance::contactGap(feature, A, X_WA, B, X_WB, &contact.normal);
      contact.point = contactPoint(feature, A, X_WA, B, X_WB, contact.normal, contact.gap);
      contacts_.push_back(contact);
    }
  }
}

}  // namespace rigor::viewer
