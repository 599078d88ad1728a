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
/// An assumption of the paper, not of this library: xi stays in the plane. Use VertexPlaneBound where it need not.
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

/// Taylor coefficients of the gap g of a vertex over a face plane and bounds of what follows, on [0, horizon].
///
/// The vertex belongs to body A, the plane to B, both with constant twist; accelerations of the centres may differ by a
/// constant `da`. z is the vector from the vertex's foot on the plane, a point of B, to the vertex: z = d n, g = n.z,
///   z' = v_A + w_A x r_A - v_B - w_B x r_B,   |z''| <= Z2 = w_A |w_A x r_A| + w_B |w_B x r_B| + |da|,
///   |z'''| <= Z3 = w_A^2 |w_A x r_A| + w_B^2 |w_B x r_B|,   n' = w_B x n, |n''| = w_B |n'|, |n'''| = w_B^2 |n'|,
///   K3 = w_B^2 |n'| |z| + 3 w_B |n'| |z'| + 3 |n'| Z2 + Z3,
///   K2 = min(w_B |n'| |z| + 2 |n'| |z'| + Z2,  -g0'' + K3 H),
/// with |z'| and |z| bounded over the whole horizon: |z'| <= |z0'| + Z2 H, |z| <= |z0| + |z0'| H + Z2 H^2/2. Then on
/// [0, H]
///   g(t) >= g0 + g1 t - K2 t^2/2   and   g(t) >= g0 + g1 t + g2 t^2/2 - K3 t^3/6.
struct VertexPlaneBound {
  double g0, g1, g2;  ///< g, g', g'' at t = 0 [m, m/s, m/s^2].
  double K2, K3;      ///< [m/s^2, m/s^3]; K2 >= -g'' on [0, H], may be negative.
  double horizon;     ///< H [s]

  /// @param n         Unit normal of the plane, out of B, world.
  /// @param vertex    World position of the vertex [m].
  /// @param offset    n.x of the plane [m].
  /// @param centre_a,centre_b  The points whose velocities the twists give, world [m].
  /// @param da        Acceleration of centre A less that of centre B, constant [m/s^2].
  VertexPlaneBound(const Eigen::Vector3d& n, double offset, const Eigen::Vector3d& vertex, const Twist& A,
                   const Eigen::Vector3d& centre_a, const Twist& B, const Eigen::Vector3d& centre_b, double horizon,
                   const Eigen::Vector3d& da = Eigen::Vector3d::Zero());
};

}  // namespace rigor::advance
