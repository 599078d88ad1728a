// SPDX-License-Identifier: MIT
#include "record/export_contacts.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "geom/pose.h"

namespace rigor::record {

using advance::AxisKind;
using Eigen::Vector3d;

namespace {

/// Where a body is at the instant at hand.
struct BodyThere {
  const BodyRow& body;
  geom::Pose pose;

  Vector3d vertex(int part, int v) const { return pose.p + pose.rotation() * body.parts.at(part).vertices.at(v); }
};

BodyThere bodyAt(Reader& reader, const std::string& branch, int body, double time) {
  const BodyState state = reader.stateAt(branch, body, time);
  return {reader.bodies().at(body), {state.orientation, state.position}};
}

/// docs/record-format.md, table `impulses`.
void placeContact(const ContactImpulseRow& contact, const BodyThere& a, const BodyThere& b, ContactForceRow& row) {
  const auto& f = contact.feature;
  if (f.kind == AxisKind::kEdges) {
    const Vector3d a0 = a.vertex(row.pair.part_a, f.a0), edge_a = a.vertex(row.pair.part_a, f.a1) - a0;
    const Vector3d b0 = b.vertex(row.pair.part_b, f.b0), edge_b = b.vertex(row.pair.part_b, f.b1) - b0;
    const Vector3d normal = edge_a.cross(edge_b);
    row.normal = normal.normalized();
    row.point = a0 + (b0 - a0).cross(edge_b).dot(normal) / normal.squaredNorm() * edge_a;
    return;
  }
  const bool in_a = f.kind == AxisKind::kFixedInA;
  row.normal = (in_a ? a : b).pose.rotation() * f.axis.normalized();
  row.point = in_a ? b.vertex(row.pair.part_b, f.b0) : a.vertex(row.pair.part_a, f.a0);
}

}  // namespace

void forEachContactForce(Reader& reader, const std::string& branch, const std::function<void(const ContactForceRow&)>& use) {
  reader.forEachContactImpulse(branch, -INFINITY, INFINITY, [&](const ContactImpulseRow& contact) {
    ContactForceRow row{contact.t0, contact.t1, contact.pair, {}, {}, Vector3d::Zero()};
    double weight = 0, moment = 0;
    for (const auto& impulse : contact.impulses) {
      row.P += impulse.P;
      weight += impulse.P.norm(), moment += impulse.P.norm() * impulse.time;
    }
    if (!(weight > 0)) return;
    const double time = std::clamp(moment / weight, row.t0, row.t1);
    placeContact(contact, bodyAt(reader, branch, row.pair.body_a, time), bodyAt(reader, branch, row.pair.body_b, time), row);
    use(row);
  });
}

}  // namespace rigor::record
