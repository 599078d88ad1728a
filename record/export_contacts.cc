// SPDX-License-Identifier: MIT
#include "record/export_contacts.h"

#include <cmath>

#include "advance/feature_point.h"
#include "geom/pose.h"

namespace rigor::record {

using Eigen::Vector3d;

namespace {

/// Where a body is at the instant at hand.
struct BodyThere {
  const BodyRow& body;
  geom::Pose pose;

  Vector3d vertex(int part, int v) const {
    const PartRow& row = body.parts.at(part);
    const int core = v - static_cast<int>(row.vertices.size());
    const bool round = row.round && core >= 0 && core < row.round->core.cols();
    return pose.p + pose.rotation() * (round ? Vector3d(row.round->core.col(core)) : row.vertices.at(v));
  }
  Vector3d reach(int part, int v, const Vector3d& n) const {
    const PartRow& row = body.parts.at(part);
    return advance::reachOf(row.round ? &*row.round : nullptr, static_cast<int>(row.vertices.size()), v,
                            pose.rotation(), n);
  }
};

BodyThere bodyAt(Reader& reader, const std::string& branch, int body, double time) {
  const BodyState state = reader.stateAt(branch, body, time);
  return {reader.bodies().at(body), {state.orientation, state.position}};
}

}  // namespace

void forEachContactForce(Reader& reader, const std::string& branch,
                         const std::function<void(const ContactForceRow&)>& use) {
  reader.forEachContactImpulse(branch, -INFINITY, INFINITY, [&](const ContactImpulseRow& contact) {
    ContactForceRow row{contact.t0, contact.t1, contact.pair, {}, {}, Vector3d::Zero()};
    const auto place = [&](double time) {
      const BodyThere sides[] = {bodyAt(reader, branch, row.pair.body_a, time),
                                 bodyAt(reader, branch, row.pair.body_b, time)};
      const int part[] = {row.pair.part_a, row.pair.part_b};
      return advance::placeFeature(
          contact.feature, sides[0].pose.rotation(), sides[1].pose.rotation(),
          [&](int side, int v) { return sides[side].vertex(part[side], v); },
          [&](int side, int v, const Vector3d& n) { return sides[side].reach(part[side], v, n); });
    };
    advance::FeaturePoint mean;
    if (!advance::meanFeature(contact.impulses, place, row.P, mean)) return;
    row.point = mean.point, row.normal = mean.normal;
    use(row);
  });
}

}  // namespace rigor::record
