// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "dynamics/articulated_model.h"
#include "dynamics/rigid_body.h"

namespace rigor::sim {

struct Body;

/// A link that fixed joints hold on another, the root of its chain of them: its pose and velocity follow from that
/// link's, in the operations that docs/record-format.md documents, so that a record need not hold them.
struct CarriedLink {
  int carrier = -1;                  ///< Place among the robot's moving links; -1: the link moves by itself.
  Eigen::Vector3d offset{0, 0, 0};   ///< From the carrier's centre to the link's, carrier axes [m],
  Eigen::Vector4d turn{1, 0, 0, 0};  ///< and the link's orientation there.
};

/// Of each of `links` (moving ones, ascending), from where the scene places them. `bodies`: of all of the robot's
/// links.
std::vector<CarriedLink> carriedLinks(const dynamics::ArticulatedModel& model, std::span<const int> links,
                                      std::span<const Body> bodies);

/// The state of a link (p of its centre) whose carrier has this one. O(1)
void carryLink(const CarriedLink& link, const dynamics::RigidBodyState& carrier, dynamics::RigidBodyState& state);
/// Its velocity alone.
void carryVelocity(const CarriedLink& link, const dynamics::RigidBodyState& carrier, dynamics::RigidBodyState& state);

}  // namespace rigor::sim
