// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "geom/pose.h"

namespace rigor::advance {

/// The published motion of one body over [t0, t1]: Bezier control points, taken as exact numbers.
///
///   p(u) = sum_i B_i(u) p_i,  q(u) = sum_i B_i(u) q_i,  u = (t - t0)/(t1 - t0)
///   p_WV(t) = p + M(q)/(q.q) (p_BV - centre)
///
/// p is the world position of the body-fixed point `centre` (the centre of mass), q the UN-NORMALISED orientation
/// quaternion [w, x, y, z] of the body frame. Degrees 0 (constant) to 3. This polynomial IS the motion: gaps, events
/// and witnesses all refer to it. Consecutive pieces of a body share end control points bit for bit.
struct MotionPiece {
  static constexpr int kMaxDegree = 3;
  double t0 = 0, t1 = 0;  ///< [s], t0 < t1.
  int p_degree = 0, q_degree = 0;
  Eigen::Vector3d p[kMaxDegree + 1];  ///< [m]; entries past the degree are unused.
  Eigen::Vector4d q[kMaxDegree + 1];

  geom::Pose start() const { return {q[0], p[0]}; }
  geom::Pose end() const { return {q[q_degree], p[p_degree]}; }
  geom::Pose at(double t) const;  ///< Rounded evaluation at time t in [t0, t1].
  /// Velocity of `centre` [m/s] and angular velocity in the world [rad/s] at time t, of the published polynomial.
  void velocityAt(double t, Eigen::Vector3d& v, Eigen::Vector3d& w) const;

  /// A body that stays at `pose` over [t0, t1].
  static MotionPiece constant(const geom::Pose& pose, double t0, double t1);
  /// The same motion on [t0, t] with control points rounded to doubles (de Casteljau). The result is a new published
  /// piece: it differs from the old one by rounding and must be certified again. @pre t0 < t < t1.
  MotionPiece cutAt(double t) const;
};

}  // namespace rigor::advance
