// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>

namespace rigor::advance {

/// Bounds on how fast a gap can close, for conservative advancement (safe_step.h). [Drumwright16] is "True Rigidity:
/// Interpenetration-free Multi-Body Simulation with Polytopic Contact", arXiv:1608.02171.
///
/// All bounds hold up to rounding of the inputs; NaN and infinite inputs give NaN or infinite bounds, which safe_step.h
/// turns into steps of length zero. No allocation; O(1) unless said otherwise.

/// Motion of a rigid body with constant twist: the centre moves at `velocity`, the body turns at `angular_velocity`.
struct Twist {
  Eigen::Vector3d velocity{0, 0, 0};          ///< Of the centre, world [m/s].
  Eigen::Vector3d angular_velocity{0, 0, 0};  ///< World [rad/s].
};

/// Speed at which two bodies can approach along the unit vector d from one to the other [m/s]:
///   mu = |d.(v_A - v_B)| + |w_A x d| r_A + |w_B x d| r_B      [Drumwright16, Eq. (4), the denominator]
/// Valid while d is kept: the support planes normal to d close at most at this speed under constant twists.
/// @param d  Unit, world. @param radius_a,radius_b  max |vertex - centre| [m].
double approachSpeed(const Eigen::Vector3d& d, const Twist& A, double radius_a, const Twist& B, double radius_b);

/// Rate at which a vertex can close in on a separating plane, all contacts on the plane staying on it [m/s]:
///   (|w_A x n| + |w_B x n|) |r - xi|      [Drumwright16, Eq. (7), the denominator]
/// @param n      Unit normal of the plane, world.
/// @param reach  |r - xi| [m]: from the vertex r to the farthest contact point xi of its body on the plane.
/// An assumption of the paper, not of this library: xi stays in the plane.
double pivotSpeed(const Eigen::Vector3d& n, const Eigen::Vector3d& w_a, const Eigen::Vector3d& w_b, double reach);

/// A joint between the base and a link, for chainSpeed().
struct ChainJoint {
  bool prismatic = false;  ///< Otherwise revolute, spherical or universal.
  double position = 0;     ///< |q| [m]; prismatic alone.
  double speed = 0;        ///< |q'| [m/s] or [rad/s].
  double length = 0;  ///< |l_(j+1) - l_j| [m]: from this joint to the next one inwards out, prismatic joints drawn in.
};

/// Speed at which link i of a chain can move along the unit vector d [m/s], in place of A's terms in Eq. (4):
///   |x'.d| + |w| gamma_1 + sum_(j=1..i) kappa_j                               [Drumwright16, Eq. (11)]
///   kappa_j = |q'_j| (prismatic), |q'_j| gamma_j (else)                       [Eq. (12)]
///   gamma_j = sum_(k=j..i-1) dl_k + 2 r_A                                     [Eq. (13)]
///   dl_k = |q_k| + |q'_k| (prismatic), |l_(k+1) - l_k| (else)                 [Eq. (14)]
/// @param joints  1..i, from the base outwards; the length of the last one is not used.
/// Holds over a unit time, and over [0, h] for h <= 1 s (a prismatic joint may lengthen meanwhile). O(joints).
double chainSpeed(const Eigen::Vector3d& d, const Twist& base, std::span<const ChainJoint> joints, double radius);

/// The denominator of Eq. (15) for a link: (|w_A| + sum |q'_j| + |w_B x n|) |r - xi|; joints that turn.
double chainPivotSpeed(const Eigen::Vector3d& n, double base_angular_speed, std::span<const ChainJoint> joints,
                       const Eigen::Vector3d& w_b, double reach);

}  // namespace rigor::advance
