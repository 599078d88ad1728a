// SPDX-License-Identifier: MIT
#include "sim/step/seam_time.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

constexpr double kOnRim = 4;  // Bands: nearer to its rim than this a contact is on it already, or just beyond.

/// The same of one contact on a face of `owner`, a part of a fixed body, whose point moves with `velocity` (world).
double seamTimeOf(const StepContext& x, const PartRuntime& owner, int face, const Vector3d& point,
                  const Vector3d& velocity) {
  const auto& P = std::get<geom::Polytope>(*owner.shape);
  const geom::Pose& pose = x.bodies[owner.body].state.pose;
  const Eigen::Matrix3d R = pose.rotation();
  const Vector3d y = R.transpose() * (point - pose.p), u = R.transpose() * velocity;
  const auto rim = P.faceVertices(face);
  double first = std::numeric_limits<double>::infinity();
  for (int i = 0; i < static_cast<int>(rim.size()); ++i) {
    const Vector3d inward = P.faceInward(face, i);
    const double inside = inward.dot(y - P.vertex(rim[i])), rate = -inward.dot(u);
    if (!(rate > 0) || inside < kOnRim * x.scales.band) continue;
    first = std::min(first, (inside + kOnRim * x.scales.band) / rate);
  }
  return first;
}

}  // namespace

double seamTime(const StepContext& x) {
  double first = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < x.contacts.size(); ++c) {
    const Contact& contact = x.contacts[c];
    if (contact.isLimit() || !contact.held || contact.feature.face < 0) continue;
    const NearPair& pair = x.pairs[contact.pair_index];
    const bool of_a = contact.feature.kind == advance::AxisKind::kFixedInA;
    if (!of_a && contact.feature.kind != advance::AxisKind::kFixedInB) continue;
    const PartRuntime& owner = x.parts[of_a ? pair.part_a : pair.part_b];
    if (!x.bodies[owner.body].part_tree || !std::holds_alternative<geom::Polytope>(*owner.shape)) continue;
    const auto& k = x.contacts.kinematics(c);
    const Vector3d velocity = k.frame.transpose() * x.contacts.velocity(x.start, c);
    first = std::min(first, seamTimeOf(x, owner, contact.feature.face, k.point, of_a ? velocity : Vector3d(-velocity)));
  }
  return first;
}

}  // namespace rigor::sim
