// SPDX-License-Identifier: MIT
#pragma once

#include "sim/world.h"

namespace rigor::sim {

/// Every tolerance of the event loop, in SI units, derived once from the scene: a length L (the size of the smallest
/// moving body; links that fixed joints hold together are one, and each counts as the leastLength() of its robot at
/// least), an acceleration g (gravity, or V^2/L from the speeds where there is none) and V = sqrt(g L).
struct Scales {
  double length;        ///< L [m]
  double acceleration;  ///< g [m/s^2]
  double speed;         ///< V = sqrt(g L) [m/s]
  double time;          ///< sqrt(L / g) [s]

  double gap;          ///< delta: contacts are held at this gap [m].
  double floor;        ///< delta / 2: what every certificate proves at least [m].
  double band;         ///< 2 delta: points closer than this take part in contact and impact [m].
  double push_out;     ///< Speed at which a contact returns to delta [m/s].

  double velocity_tolerance;  ///< Integration error of a step [m/s].
  double approach;            ///< A contact that approaches slower than this does not impact: rounding [m/s].
  double held_approach;  ///< The same for contacts held already: flat patches are redundant up to their tilt [m/s].
  double event_window;        ///< [s]
  double slip_speed;          ///< Slower slip counts as none yet [m/s].
  double rest_speed;          ///< Slower bodies count as still when their accelerations vanish [m/s].
  double rest_acceleration;   ///< [m/s^2]
  double capture_speed;       ///< [m/s]
  double max_lift;            ///< Inner control points of a piece are raised by at most this much [m].
  double joint_fit;            ///< A link's published motion stays this close to its joints' [m].
  double short_step;          ///< Events this close after a step's start belong to the start [s].
  double min_step;            ///< Shorter steps are refused: the run ends with the reason [s].

  static Scales fromScene(const Scene& scene);
};

/// A hundredth of a robot's longest link, along its axes: shorter ones move as the robot does, and turns of its joints
/// count by no less [m].
double leastLength(const dynamics::Robot& robot);

/// Gaps are proved above the floor by this factor, so that a later cut of the motion at a rounded point keeps them.
inline constexpr double kCutMargin = 1.0001;

}  // namespace rigor::sim
