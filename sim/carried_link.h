// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "dynamics/articulated_model.h"
#include "dynamics/articulated_state.h"
#include "dynamics/rigid_body.h"

namespace rigor::sim {

struct Body;

/// How a link hangs on another one of its robot. Its pose and velocity follow from that link's in the operations that
/// docs/record-format.md documents, so that a record need not hold them: rigidly, on the link at the root of the fixed
/// joints between them; or by a revolute joint, on its parent.
struct CarriedLink {
  int place = 0;                     ///< Of the link among the robot's moving links.
  int carrier = -1;                  ///< The other's; -1: the link moves by itself.
  Eigen::Vector3d offset{0, 0, 0};   ///< From the carrier's centre, carrier axes [m]: to the link's, or to the joint,
  Eigen::Vector4d turn{1, 0, 0, 0};  ///< and the link's orientation there, or the joint's frame.
  int coordinate = -1, rate = -1;    ///< Of a revolute joint: its angle among the robot's q, its rate among v.
  Eigen::Vector3d axis{0, 0, 1};     ///< Unit; the joint's frame,
  Eigen::Vector3d axis_there{0, 0, 1};  ///< and the carrier's.
  Eigen::Vector3d arm{0, 0, 0};         ///< From the joint to the link's centre, the link's axes [m].
};

/// Of each of `links` (moving ones, ascending), from where the scene places them; those that hang on others after them.
/// `bodies`: of all of the robot's links.
std::vector<CarriedLink> carriedLinks(const dynamics::ArticulatedModel& model, std::span<const int> links,
                                      std::span<const Body> bodies);

/// The state of a link (p of its centre) whose carrier has this one. O(1)
void carryLink(const CarriedLink& link, const dynamics::ArticulatedState& robot,
               const dynamics::RigidBodyState& carrier, dynamics::RigidBodyState& state);
/// Its pose alone.
void carryPose(const CarriedLink& link, const dynamics::ArticulatedState& robot, const geom::Pose& carrier,
               geom::Pose& pose);
/// Its velocity alone. @pre its pose is that which carryLink() gives.
void carryVelocity(const CarriedLink& link, const dynamics::ArticulatedState& robot,
                   const dynamics::RigidBodyState& carrier, dynamics::RigidBodyState& state);

}  // namespace rigor::sim
