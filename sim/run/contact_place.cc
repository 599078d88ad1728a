// SPDX-License-Identifier: MIT
#include "sim/run/contact_place.h"

#include <algorithm>
#include <variant>

#include "advance/manifold.h"

namespace rigor::sim {

using Eigen::Vector3d;

geom::Pose poseAt(const BodyRuntime& body, double t) {
  if (body.fixed || !(body.piece.t1 > body.piece.t0)) return body.state.pose;
  return body.piece.at(std::clamp(t, body.piece.t0, body.piece.t1));
}

advance::FeaturePoint placeOf(const ImpulseRecord::Contact& contact, std::span<const BodyRuntime> bodies,
                              std::span<const PartRuntime> parts, const std::array<geom::Pose, 2>& poses) {
  const BodyRuntime* const sides[] = {&bodies[contact.pair.body_a], &bodies[contact.pair.body_b]};
  const int part[] = {contact.pair.part_a, contact.pair.part_b};
  const auto shapeOf = [&](int side) -> const geom::Shape& {
    return *parts[sides[side]->first_part + part[side]].shape;
  };
  const auto vertex = [&](int side, int v) {
    const Vector3d x = std::get<geom::Polytope>(shapeOf(side)).corner(v);
    return Vector3d(poses[side].p + poses[side].rotation() * (x - sides[side]->centre));
  };
  const auto reach = [&](int side, int v, const Vector3d& n) {
    return advance::reachOfCorner(shapeOf(side), v, poses[side].rotation(), n);
  };
  return advance::placeFeature(contact.feature, poses[0].rotation(), poses[1].rotation(), vertex, reach);
}

void noteAxes(std::span<const BodyRuntime> bodies, std::span<const PartRuntime> parts, ImpulseRecord& record) {
  noteAxes(bodies, parts, [&](int body, double t) { return poseAt(bodies[body], t); }, record);
}

}  // namespace rigor::sim
