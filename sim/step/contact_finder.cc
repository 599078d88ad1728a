// SPDX-License-Identifier: MIT
#include "sim/step/contact_finder.h"

#include <Eigen/Geometry>
#include <utility>

#include "sim/contact/contact_of.h"

namespace rigor::sim {

using Eigen::Vector3d;

Contact ContactFinder::make(int pair_index, const advance::ContactFeature& feature) const {
  const NearPair& pair = pairs_[pair_index];
  const PartRuntime& A = x_.parts[pair.part_a];
  const PartRuntime& B = x_.parts[pair.part_b];
  Contact c = contactOf(feature, A, x_.bodies[A.body], B, x_.bodies[B.body]);
  c.pair_index = pair_index;
  c.slot_a = pair.slot_a, c.slot_b = pair.slot_b;
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

Contact ContactFinder::makeBrake(int robot, int brake) const {
  const SystemRobot& owner = x_.start.robots[robot];
  Contact c;
  c.pair = owner.brakes[brake].links;
  c.robot = robot, c.limit = static_cast<int>(owner.limits.size()) + brake;
  c.hold = owner.brakes[brake].hold;
  c.friction = 1;
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
    manifold_.find(
        {*A.shape, x_.originPose(pair.part_a, pair.slot_a, x_.t0), skinOf(x_.bodies[A.body], A)},
        {*B.shape, x_.originPose(pair.part_b, pair.slot_b, x_.t0), skinOf(x_.bodies[B.body], B)},
        x_.scales.band, pair.cache, features_);
    for (const auto& feature : features_) found_.push_back(make(p, feature));
  }
  findLimits();
  for (Contact& c : found_)
    for (const Contact& old : before)
      if (old.isSameAs(c)) {
        c.mode = old.mode, c.direction = old.direction;
        c.was_held = old.held, c.was_slipping = old.slips, c.force = old.force;
        c.let_go = old.let_go || old.lets_go;
        break;
      }
  contacts.clear();
  for (const Contact& c : found_)
    contacts.add(c, x_.fixedPlacement(c.pair.body_a, c.slot_a), x_.fixedPlacement(c.pair.body_b, c.slot_b));
}

/// The limits of joints that are in the contact band, and what brakes joints.
void ContactFinder::findLimits() {
  for (size_t r = 0; r < x_.start.robots.size(); ++r)
    for (size_t k = 0; k < x_.start.robots[r].limits.size(); ++k) {
      if (x_.start.robots[r].limits[k].gap(x_.start.robots[r].state) > x_.scales.band) continue;  // NaN is in it.
      found_.push_back(makeLimit(static_cast<int>(r), static_cast<int>(k)));
    }
  for (size_t r = 0; r < x_.start.robots.size(); ++r)
    for (size_t k = 0; k < x_.start.robots[r].brakes.size(); ++k)
      found_.push_back(makeBrake(static_cast<int>(r), static_cast<int>(k)));
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
    const Vector3d origin = contacts.kinematics(first).point,
                   normal = contacts.kinematics(first).frame.row(0).transpose();
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
