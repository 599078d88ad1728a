// SPDX-License-Identifier: MIT
#include "sim/step/rubbing.h"

#include <algorithm>
#include <cmath>

#include "elementary/elementary.h"

namespace rigor::sim {

namespace {

constexpr double kTurnedSlip = 0.2;  // Of V of the lighter body: what slip may be off by for friction to be Coulomb's.

}  // namespace

bool rubsElsewhere(const StepContext& x, const Contact& contact, const Eigen::Vector3d& P,
                   const Eigen::Vector2d& slip) {
  if (!(contact.friction > 0) || std::isinf(contact.friction)) return false;
  const Eigen::Vector2d tangent = P.tail<2>();
  const double V = x.lighterSpeed(contact), most = contact.friction * P[0], size = tangent.norm(),
               noise = x.scales.velocity_tolerance / x.scales.speed * V * x.lighterMass(contact),
               against = -tangent.dot(slip);
  if (elementary::hypot(most, size) <= noise) return false;
  double off = slip.norm();
  if (against > 0 && size >= most - noise)
    off = std::sqrt(std::max(0.0, slip.squaredNorm() - (against / size) * (against / size)));
  return off > kTurnedSlip * V;
}

}  // namespace rigor::sim
