// SPDX-License-Identifier: MIT
#include "sim/carried_link.h"

#include <algorithm>

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

}  // namespace

std::vector<CarriedLink> carriedLinks(const dynamics::ArticulatedModel& model, std::span<const int> links,
                                      std::span<const Body> bodies) {
  std::vector<CarriedLink> list(links.size());
  for (size_t k = 0; k < links.size(); ++k) {
    const int root = rootOf(model, links[k]);
    if (root == links[k]) continue;
    const auto carrier = std::lower_bound(links.begin(), links.end(), root);
    if (carrier == links.end() || *carrier != root) continue;
    const Body &body = bodies[links[k]], &base = bodies[root];
    const Vector4d& q = base.pose.q;
    const Vector4d back(q[0], -q[1], -q[2], -q[3]);
    const Vector3d own = turned(body.pose.q, body.centre), its = turned(q, base.centre);
    Vector3d between;
    for (int i = 0; i < 3; ++i) between[i] = (body.pose.p[i] + own[i]) - (base.pose.p[i] + its[i]);
    list[k] = {static_cast<int>(carrier - links.begin()), turned(back, between), product(back, body.pose.q)};
  }
  return list;
}

namespace {

/// `arm`: from the carrier's centre to the link's, world.
void carryVelocity(const Vector3d& arm, const dynamics::RigidBodyState& carrier, dynamics::RigidBodyState& state) {
  const Vector3d& w = carrier.w;
  state.v = {carrier.v[0] + (w[1] * arm[2] - w[2] * arm[1]), carrier.v[1] + (w[2] * arm[0] - w[0] * arm[2]),
             carrier.v[2] + (w[0] * arm[1] - w[1] * arm[0])};
  state.w = w;
}

}  // namespace

void carryLink(const CarriedLink& link, const dynamics::RigidBodyState& carrier, dynamics::RigidBodyState& state) {
  const Vector3d arm = turned(carrier.pose.q, link.offset);
  for (int i = 0; i < 3; ++i) state.pose.p[i] = carrier.pose.p[i] + arm[i];
  state.pose.q = product(carrier.pose.q, link.turn);
  carryVelocity(arm, carrier, state);
}

void carryVelocity(const CarriedLink& link, const dynamics::RigidBodyState& carrier, dynamics::RigidBodyState& state) {
  carryVelocity(turned(carrier.pose.q, link.offset), carrier, state);
}

}  // namespace rigor::sim
