// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <array>

namespace rigor::dynamics {

/// A periodic gait of four feet. Each foot stands for `duty` of a period from its touch-down on, then swings.
struct Gait {
  double period = 0.5;  ///< [s]
  double duty = 0.6;    ///< In (0, 1).
  std::array<double, 4> touch_down{.25, .75, .75,
                                   .25};  ///< Phase of each foot: left front, right front, left hind, right hind.
  double step_height = 0.03;              ///< Of a swinging foot over a standing one [m].
  Eigen::Vector2d velocity{0.1, 0};       ///< Commanded velocity of the base, its axes [m/s].
  double turn = 0;                        ///< Commanded rate about z [rad/s].
  double stand = 0;                       ///< Time before the first step, all feet standing [s].
  std::array<Eigen::Vector3d, 4> stance;  ///< Middle of each foot's stance, base frame [m].
};

/// Where a foot should be, base frame.
struct FootTarget {
  Eigen::Vector3d position, velocity;  ///< [m], [m/s]
  bool stands = true;
};

/// Phase of foot `i` at `time`: 0 at touch-down, `duty` at lift-off, below 1.
double footPhase(const Gait& gait, int i, double time);

/// Target of foot `i`: standing feet move at minus the commanded velocity, u = -(v + turn z x p), straight, through the
/// middle of their stance; swinging feet go back on a cubic with the stance's velocity at both ends, and up and down on
/// two cubics that are at rest at the ends and at the top. Position and velocity are continuous. O(1)
FootTarget footTarget(const Gait& gait, int i, double time);

}  // namespace rigor::dynamics
