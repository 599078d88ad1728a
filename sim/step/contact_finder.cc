// SPDX-License-Identifier: MIT
#include "sim/step/contact_finder.h"

#include <Eigen/Geometry>
#include <cmath>
#include <utility>
#include <variant>

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

Contact ContactFinder::make(int pair_index, const advance::ContactFeature& feature) const {
  const NearPair& pair = pairs_[pair_index];
  const PartRuntime& A = x_.parts[pair.part_a];
  const PartRuntime& B = x_.parts[pair.part_b];
  const BodyRuntime& body_a = x_.bodies[A.body];
  const BodyRuntime& body_b = x_.bodies[B.body];
  Contact c;
  c.pair = {A.body, A.part, B.body, B.part};
  c.pair_index = pair_index;
  c.feature = feature;
  c.slot_a = pair.slot_a, c.slot_b = pair.slot_b;
  const auto* PA = std::get_if<geom::Polytope>(A.shape);
  const auto& PB = std::get<geom::Polytope>(*B.shape);
  switch (feature.kind) {
    case AxisKind::kFixedInA:
      c.frame = frameAround(feature.axis);
      c.offset = feature.offset - feature.axis.dot(body_a.centre);
      c.b = PB.vertex(feature.b0) - body_b.centre;
      break;
    case AxisKind::kFixedInB:
      c.frame = frameAround(feature.axis);
      c.offset = feature.offset - feature.axis.dot(body_b.centre);
      c.a = PA->vertex(feature.a0) - body_a.centre;
      break;
    case AxisKind::kEdges:
      c.a = PA->vertex(feature.a0) - body_a.centre, c.a_edge = PA->vertex(feature.a1) - PA->vertex(feature.a0);
      c.b = PB.vertex(feature.b0) - body_b.centre, c.b_edge = PB.vertex(feature.b1) - PB.vertex(feature.b0);
      break;
  }
  c.friction = std::sqrt(body_a.material.friction * body_b.material.friction);
  if (std::isinf(body_a.material.friction) || std::isinf(body_b.material.friction)) c.friction = impact::kNoSlip;
  c.restitution = std::max(body_a.material.restitution, body_b.material.restitution);
  c.held = true;
  return c;
}

Contact ContactFinder::makeLimit(int robot, int limit) const {
  const RobotLimit& description = x_.start.robots[robot].limits[limit];
  Contact c;
  c.pair = description.links;
  c.robot = robot, c.limit = limit;
  c.restitution = description.restitution;
  c.held = true;
  return c;
}

void ContactFinder::find(const std::vector<Contact>& before, ContactList& contacts) {
  found_.clear();
  for (int p = 0; p < pairs_.size(); ++p) {
    NearPair& pair = pairs_[p];
    const PartRuntime& A = x_.parts[pair.part_a];
    const PartRuntime& B = x_.parts[pair.part_b];
    features_.clear();
    manifold_.find(*A.shape, x_.originPose(pair.part_a, pair.slot_a, x_.t0), *B.shape,
                   x_.originPose(pair.part_b, pair.slot_b, x_.t0), x_.scales.band, pair.cache, features_);
    for (const auto& feature : features_) found_.push_back(make(p, feature));
  }
  findLimits();
  for (Contact& c : found_)
    for (const Contact& old : before)
      if (old.isSameAs(c)) {
        c.mode = old.mode, c.direction = old.direction;
        c.was_held = old.held, c.was_slipping = old.slips, c.force = old.force;
        break;
      }
  contacts.clear();
  for (const Contact& c : found_)
    contacts.add(c, x_.fixedPlacement(c.pair.body_a, c.slot_a), x_.fixedPlacement(c.pair.body_b, c.slot_b));
}

/// The limits of joints that are in the contact band.
void ContactFinder::findLimits() {
  for (size_t r = 0; r < x_.start.robots.size(); ++r)
    for (size_t k = 0; k < x_.start.robots[r].limits.size(); ++k) {
      if (x_.start.robots[r].limits[k].gap(x_.start.robots[r].state) > x_.scales.band) continue;  // NaN is in it.
      found_.push_back(makeLimit(static_cast<int>(r), static_cast<int>(k)));
    }
}

bool ContactFinder::touchesOthers(const ContactList& contacts, std::vector<int>& touched) const {
  touched.clear();
  for (const Contact& c : contacts) {
    if (c.isLimit()) continue;
    for (auto [body, slot] : {std::pair{c.pair.body_a, c.slot_a}, std::pair{c.pair.body_b, c.slot_b}})
      if (slot < 0 && !x_.bodies[body].fixed) touched.push_back(body);
  }
  return !touched.empty();
}

void reducePatches(ContactList& contacts) {
  constexpr size_t kPatchPoints = 4;
  for (size_t first = 0, last; first < contacts.size(); first = last) {
    for (last = first + 1; last < contacts.size() && contacts[last].pair_index == contacts[first].pair_index;) ++last;
    if (last - first <= kPatchPoints || contacts[first].isLimit()) continue;
    auto farthest = [&](auto&& measure) {
      size_t best = first;
      for (size_t i = first; i < last; ++i)
        if (measure(contacts.kinematics(i).point) > measure(contacts.kinematics(best).point)) best = i;
      return best;
    };
    const Vector3d origin = contacts.kinematics(first).point, normal = contacts.kinematics(first).frame.row(0).transpose();
    const size_t p = farthest([&](const Vector3d& x) { return (x - origin).squaredNorm(); });
    const Vector3d xp = contacts.kinematics(p).point;
    const size_t q = farthest([&](const Vector3d& x) { return (x - xp).squaredNorm(); });
    const Vector3d side = normal.cross(contacts.kinematics(q).point - xp);
    const size_t r = farthest([&](const Vector3d& x) { return side.dot(x - xp); });
    const size_t s = farthest([&](const Vector3d& x) { return -side.dot(x - xp); });
    for (size_t i = first; i < last; ++i) contacts[i].in_patch = i == p || i == q || i == r || i == s;
  }
}

}  // namespace rigor::sim
