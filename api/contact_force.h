// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "advance/feature_point.h"
#include "geom/pose.h"
#include "rigor/types.h"
#include "sim/sink.h"

namespace rigor {

/// A body at an instant, and the vertices of the part of it that touches.
struct TouchingPart {
  geom::Pose origin;                              ///< Of the body's frame.
  Eigen::Map<const Eigen::Matrix3Xd> vertices;    ///< Body frame [m]; none: a half-space.
  const geom::Round* round = nullptr;             ///< Its core are further vertices.
};

/// Where the impulses of a contact's feature act. @throws InputError for a vertex that the part has not.
advance::FeaturePoint placeTouching(const advance::SeparatingAxis& feature, const TouchingPart& a,
                                    const TouchingPart& b);

/// What one feature did over [t0, t1]: the sum of its impulses, at their mean point by size.
/// @param at(side, time)  The TouchingPart of A (0) or B (1).
template <typename At>
Contact contactOf(double t0, double t1, const advance::SeparatingAxis& feature,
                  std::span<const sim::ImpulseRecord::Impulse> impulses, At&& at) {
  Contact contact;
  contact.t0 = t0, contact.t1 = t1;
  Eigen::Vector3d sum;
  advance::FeaturePoint mean;
  const auto place = [&](double time) { return placeTouching(feature, at(0, time), at(1, time)); };
  if (!advance::meanFeature(impulses, place, sum, mean)) return contact;
  for (int k = 0; k < 3; ++k)
    contact.impulse[k] = sum[k], contact.point[k] = mean.point[k], contact.normal[k] = mean.normal[k];
  return contact;
}

}  // namespace rigor
