// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <span>

#include "advance/feature_point.h"
#include "sim/runtime.h"
#include "sim/sink.h"

namespace rigor::sim {

/// Where a body is at t, in its current piece; where it has none, where it stays.
geom::Pose poseAt(const BodyRuntime& body, double t);

/// Where impulses on a contact act, the centres of A and B at `poses`.
advance::FeaturePoint placeOf(const ImpulseRecord::Contact& contact, std::span<const BodyRuntime> bodies,
                              std::span<const PartRuntime> parts, const std::array<geom::Pose, 2>& poses);

/// Writes down the axes of impulses on contacts whose normal is known from the motion alone (AxisKind::kNearest), of
/// the motion that is published. @param pose  pose(body, time): of its centre.
template <typename PoseOf>
void noteAxes(std::span<const BodyRuntime> bodies, std::span<const PartRuntime> parts, PoseOf&& pose,
              ImpulseRecord& record) {
  for (const ImpulseRecord::Contact& contact : record.contacts) {
    if (contact.feature.kind != advance::AxisKind::kNearest) continue;
    for (int k = contact.first; k < contact.first + contact.count; ++k) {
      ImpulseRecord::Impulse& impulse = record.impulses[k];
      const std::array<geom::Pose, 2> poses{pose(contact.pair.body_a, impulse.time),
                                            pose(contact.pair.body_b, impulse.time)};
      const Eigen::Vector3d n = placeOf(contact, bodies, parts, poses).normal;
      impulse.axis = advance::frozenAt(contact.feature, n, poses[0].rotation(), poses[1].rotation()).axis;
    }
  }
}

/// The same at the bodies' current pieces.
void noteAxes(std::span<const BodyRuntime> bodies, std::span<const PartRuntime> parts, ImpulseRecord& record);

}  // namespace rigor::sim
