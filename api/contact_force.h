// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "advance/witness.h"
#include "geom/pose.h"
#include "rigor/types.h"
#include "sim/sink.h"

namespace rigor {

/// A body at an instant, and the vertices of the part of it that touches.
struct TouchingPart {
  geom::Pose origin;                              ///< Of the body's frame.
  Eigen::Map<const Eigen::Matrix3Xd> vertices;    ///< Body frame [m]; none: a half-space.
};

/// Where the impulses of a contact's feature act, and along which normal (from A to B), world: docs/record-format.md, table `impulses`.
/// @throws InputError for a vertex that the part has not.
void placeFeature(const advance::SeparatingAxis& feature, const TouchingPart& a, const TouchingPart& b, Eigen::Vector3d& point,
                  Eigen::Vector3d& normal);

/// What one feature did over [t0, t1]: the sum of its impulses, at their mean point by size.
/// @param at(side, time)  The TouchingPart of A (0) or B (1).
template <typename At>
Contact contactOf(double t0, double t1, const advance::SeparatingAxis& feature, std::span<const sim::ImpulseRecord::Impulse> impulses,
                  At&& at) {
  Contact contact;
  contact.t0 = t0, contact.t1 = t1;
  Eigen::Vector3d sum = Eigen::Vector3d::Zero(), points = Eigen::Vector3d::Zero(), normals = Eigen::Vector3d::Zero(), point, normal;
  double size = 0;
  for (const auto& impulse : impulses) {
    placeFeature(feature, at(0, impulse.time), at(1, impulse.time), point, normal);
    const double weight = impulse.P.norm();
    sum += impulse.P, points += weight * point, normals += weight * normal, size += weight;
  }
  if (!(size > 0)) return contact;
  points /= size;
  normals.normalize();
  for (int k = 0; k < 3; ++k) contact.impulse[k] = sum[k], contact.point[k] = points[k], contact.normal[k] = normals[k];
  return contact;
}

}  // namespace rigor
