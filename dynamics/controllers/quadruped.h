// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <array>
#include <vector>

#include "dynamics/articulated_state.h"
#include "dynamics/controllers/leg.h"
#include "geom/shape.h"

namespace rigor::dynamics {

/// What a trot needs to know of a robot with four legs, found in the robot itself.
struct Quadruped {
  std::array<Foot, 4> feet{};              ///< Left front, right front, left hind, right hind.
  std::array<Eigen::Vector3d, 4> stance;   ///< Foot points below the thigh joints, base frame [m].
  double radius = 0;                       ///< Of the feet, the largest [m].
  double leg = 0;                          ///< Mean length of thigh and shank together [m].
  double kp = 0, kd = 0;                   ///< [N m/rad], [N m s/rad]: see below.
};

/// The foot that a link is: its origin, where that is not the joint that moves it; else where its shapes end, farthest
/// from that joint.
Foot footOf(const ArticulatedModel& model, const std::vector<std::vector<geom::Shape>>& shapes, int link);

/// What ends a chain of three revolute joints on the base, each foot the farthest from its knee of the links with a
/// shape.
std::vector<Foot> findFeet(const ArticulatedModel& model, const std::vector<std::vector<geom::Shape>>& shapes,
                           int base_link);

/// The legs that end in `feet`, in any order; a foot stands below its thigh joint, where the legs' joints at `start`
/// have it between half and .95 of the leg's length lower, else .8 of it. Gains: kp = 2 m g l (weight times leg), kd =
/// kp / 50 s.
/// @throws ModelError where they are not two left and two right, two in front and two behind.
Quadruped describeQuadruped(const ArticulatedModel& model, int base_link, const std::vector<Foot>& feet,
                            const ArticulatedState& start, double gravity);

}  // namespace rigor::dynamics
