// SPDX-License-Identifier: MIT
#include "sim/carried_link.h"

#include <algorithm>
#include <cmath>

#include "elementary/elementary.h"
#include "sim/world.h"

namespace rigor::sim {

using Eigen::Vector3d;
using Eigen::Vector4d;

namespace {

/// M(q)/(q.q) x, in the documented order of operations.
Vector3d turned(const Vector4d& q, const Vector3d& x) {
  const double s = 2 / ((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]));
  const Vector3d t(s * (q[2] * x[2] - q[3] * x[1]), s * (q[3] * x[0] - q[1] * x[2]), s * (q[1] * x[1] - q[2] * x[0]));
  return {x[0] + (q[0] * t[0] + (q[2] * t[2] - q[3] * t[1])), x[1] + (q[0] * t[1] + (q[3] * t[0] - q[1] * t[2])),
          x[2] + (q[0] * t[2] + (q[1] * t[1] - q[2] * t[0]))};
}

Vector4d product(const Vector4d& a, const Vector4d& b) {
  return {(a[0] * b[0] - a[1] * b[1]) - (a[2] * b[2] + a[3] * b[3]),
          (a[0] * b[1] + a[1] * b[0]) + (a[2] * b[3] - a[3] * b[2]),
          (a[0] * b[2] + a[2] * b[0]) + (a[3] * b[1] - a[1] * b[3]),
          (a[0] * b[3] + a[3] * b[0]) + (a[1] * b[2] - a[2] * b[1])};
}

/// The link at the root of the fixed joints that hold this one.
int rootOf(const dynamics::ArticulatedModel& model, int link) {
  for (;;) {
    const auto& joint = model.joint(model.link(link).joint);
    if (joint.type != dynamics::JointType::kFixed || joint.parent == dynamics::kWorld) return link;
    link = joint.parent;
  }
}

Vector3d crossed(const Vector3d& a, const Vector3d& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// x / |x|, each operation rounded in the documented order.
Vector3d unit(const Vector3d& x) {
  const double length = std::sqrt((x[0] * x[0] + x[1] * x[1]) + x[2] * x[2]);
  return {x[0] / length, x[1] / length, x[2] / length};
}

Vector4d unit(const Vector4d& q) {
  const double length = std::sqrt((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]));
  return {q[0] / length, q[1] / length, q[2] / length, q[3] / length};
}

int placeOf(int link, std::span<const int> links) {
  const auto found = std::lower_bound(links.begin(), links.end(), link);
  return found != links.end() && *found == link ? static_cast<int>(found - links.begin()) : -1;
}

/// A link that is held by fixed joints on the one at `carrier`.
void hold(const Body& body, const Body& base, CarriedLink& link) {
  const Vector4d& q = base.pose.q;
  const Vector4d back(q[0], -q[1], -q[2], -q[3]);
  const Vector3d own = turned(body.pose.q, body.centre), its = turned(q, base.centre);
  Vector3d between;
  for (int i = 0; i < 3; ++i) between[i] = (body.pose.p[i] + own[i]) - (base.pose.p[i] + its[i]);
  link.offset = turned(back, between), link.turn = product(back, body.pose.q);
}

/// A link that turns about a joint on its parent.
void hang(const dynamics::JointDescription& joint, int q, int v, const Body& body, const Body& base,
          CarriedLink& link) {
  link.coordinate = q, link.rate = v;
  for (int i = 0; i < 3; ++i) link.offset[i] = joint.origin.p[i] - base.centre[i];
  link.turn = unit(joint.origin.q), link.axis = unit(joint.axis);
  link.axis_there = turned(link.turn, link.axis);
  link.arm = body.centre;
}

}  // namespace

std::vector<CarriedLink> carriedLinks(const dynamics::ArticulatedModel& model, std::span<const int> links,
                                      std::span<const Body> bodies) {
  std::vector<CarriedLink> list(links.size());
  for (size_t k = 0; k < links.size(); ++k) {
    CarriedLink& link = list[k];
    link.place = static_cast<int>(k);
    const auto& joint = model.joint(model.link(links[k]).joint);
    const int root = rootOf(model, links[k]);
    const bool turns = joint.type == dynamics::JointType::kRevolute && !joint.follows() &&
                       joint.parent != dynamics::kWorld;
    if (root == links[k] && !turns) continue;
    link.carrier = placeOf(turns ? joint.parent : root, links);
    if (link.carrier < 0) continue;
    const Body &body = bodies[links[k]], &base = bodies[links[link.carrier]];
    if (turns) hang(joint, joint.q, joint.v, body, base, link);
    else hold(body, base, link);
  }
  const auto depth = [&, by_place = list](const CarriedLink& link) {
    int sum = 0;
    for (int at = link.carrier; at >= 0; at = by_place[at].carrier) ++sum;
    return sum;
  };
  std::stable_sort(list.begin(), list.end(),
                   [&](const CarriedLink& a, const CarriedLink& b) { return depth(a) < depth(b); });
  return list;
}

void carryLink(const CarriedLink& link, const dynamics::ArticulatedState& robot,
               const dynamics::RigidBodyState& carrier, dynamics::RigidBodyState& state) {
  carryPose(link, robot, carrier.pose, state.pose);
  carryVelocity(link, robot, carrier, state);
}

void carryPose(const CarriedLink& link, const dynamics::ArticulatedState& robot, const geom::Pose& carrier,
               geom::Pose& pose) {
  Vector3d arm = turned(carrier.q, link.offset);
  if (link.coordinate < 0) {
    pose.q = product(carrier.q, link.turn);
  } else {
    const elementary::SineCosine half = elementary::sineCosine(0.5 * robot.q[link.coordinate]);
    const Vector4d turn(half.cosine, half.sine * link.axis[0], half.sine * link.axis[1], half.sine * link.axis[2]);
    pose.q = product(carrier.q, product(link.turn, turn));
    const Vector3d own = turned(pose.q, link.arm);
    for (int i = 0; i < 3; ++i) arm[i] += own[i];
  }
  for (int i = 0; i < 3; ++i) pose.p[i] = carrier.p[i] + arm[i];
}

void carryVelocity(const CarriedLink& link, const dynamics::ArticulatedState& robot,
                   const dynamics::RigidBodyState& carrier, dynamics::RigidBodyState& state) {
  const Vector3d by_carrier = crossed(carrier.w, turned(carrier.pose.q, link.offset));
  for (int i = 0; i < 3; ++i) state.v[i] = carrier.v[i] + by_carrier[i];
  state.w = carrier.w;
  if (link.coordinate < 0) return;
  const Vector3d axis = turned(carrier.pose.q, link.axis_there);
  for (int i = 0; i < 3; ++i) state.w[i] = carrier.w[i] + robot.v[link.rate] * axis[i];
  const Vector3d by_joint = crossed(state.w, turned(state.pose.q, link.arm));
  for (int i = 0; i < 3; ++i) state.v[i] += by_joint[i];
}

}  // namespace rigor::sim
