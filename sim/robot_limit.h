// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "advance/bernstein.h"
#include "dynamics/joint_limits.h"
#include "dynamics/robot.h"
#include "sim/sink.h"

namespace rigor::sim {

/// One end of a joint's range in the event loop: a contact without surfaces. Its gap is a length, so that it obeys the
/// same tolerances as gaps between bodies: a shift as it is, a turn times the length L of the scene's scales, but at
/// least a hundredth of its robot's longest link: beside a chip of 1 mm, an arm is still held to what moves it. It is
/// kept at delta as they are, and above the floor at every instant: joints never reach their limits.
struct RobotLimit {
  dynamics::JointLimit limit;
  double length = 1;       ///< Of the gap, per unit of the coordinate: [m/rad], or 1.
  double restitution = 0;  ///< [0, 1]
  PairKey links;  ///< The joint's parent and child as bodies (the child twice where it hangs in the world); parts -1.
  std::string joint;       ///< robot/joint

  double gap(const dynamics::ArticulatedState& state) const { return length * limit.gap(state.q); }  ///< [m]
  bool isUpper() const { return limit.sign < 0; }
  /// The end as events and impacts name it: the inside of a JSON object.
  std::string name() const;
};

/// The finite limits of a robot whose link 0 is the body `first_body`. @param length  L [m].
std::vector<RobotLimit> robotLimits(const dynamics::Robot& robot, int first_body, double length);

/// The gap over a step of length h between two states, in shares of it: scalar coordinates run on the cubic through
/// their values and rates at both ends, see interpolateRobot(). [m]
advance::BernsteinPolynomial gapOver(const RobotLimit& limit, const dynamics::ArticulatedState& start,
                                     const dynamics::ArticulatedState& end, double h);

/// Moves coordinates that start at a limit, or closer than `gap` [m], to that gap, with a warning each.
/// @throws SceneError where one starts outside its limits, or where these leave less room than a few gaps.
void separateFromLimits(const dynamics::Robot& robot, const std::vector<RobotLimit>& limits, double gap,
                        dynamics::ArticulatedState& state, std::vector<std::string>& warnings);

}  // namespace rigor::sim
