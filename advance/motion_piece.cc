// SPDX-License-Identifier: MIT
#include "advance/motion_piece.h"

#include <Eigen/Geometry>

#include "elementary/require.h"

namespace rigor::advance {
namespace {

/// De Casteljau in place: on return c[0..n] are the control points of [0, u], and c[n] is the value at u.
template <typename Vector>
void subdivideLeft(Vector* c, int n, double u) {
  for (int level = 1; level <= n; ++level)
    for (int i = n; i >= level; --i) c[i] = (1 - u) * c[i - 1] + u * c[i];
}

template <typename Vector>
Vector evaluate(const Vector* c, int n, double u) {
  Vector work[MotionPiece::kMaxDegree + 1];
  for (int i = 0; i <= n; ++i) work[i] = c[i];
  subdivideLeft(work, n, u);
  return work[n];
}

template <typename Vector>
Vector derivative(const Vector* c, int n, double u) {
  if (n == 0) return Vector::Zero();
  Vector d[MotionPiece::kMaxDegree];
  for (int i = 0; i < n; ++i) d[i] = n * (c[i + 1] - c[i]);
  return evaluate(d, n - 1, u);
}

}  // namespace

geom::Pose MotionPiece::at(double t) const {
  if (t == t0) return start();
  if (t == t1) return end();
  const double u = (t - t0) / (t1 - t0);
  return {evaluate(q, q_degree, u), evaluate(p, p_degree, u)};
}

void MotionPiece::velocityAt(double t, Eigen::Vector3d& v, Eigen::Vector3d& w) const {
  const double h = t1 - t0, u = (t - t0) / h;
  v = derivative(p, p_degree, u) / h;
  const Eigen::Vector4d Q = evaluate(q, q_degree, u), D = derivative(q, q_degree, u) / h;
  // ω = 2 vec(q' q*) / |q|²; the scalar part changes the length of q only.
  const Eigen::Vector3d qv = Q.tail<3>(), dv = D.tail<3>();
  w = 2 * (Q[0] * dv - D[0] * qv - dv.cross(qv)) / Q.squaredNorm();
}

MotionPiece MotionPiece::constant(const geom::Pose& pose, double t0, double t1) {
  MotionPiece piece;
  piece.t0 = t0;
  piece.t1 = t1;
  piece.p[0] = pose.p;
  piece.q[0] = pose.q;
  return piece;
}

MotionPiece MotionPiece::cutAt(double t) const {
  RIGOR_REQUIRE(!(t <= t0) && !(t >= t1));
  MotionPiece left = *this;
  const double u = (t - t0) / (t1 - t0);
  subdivideLeft(left.p, p_degree, u);
  subdivideLeft(left.q, q_degree, u);
  left.t1 = t;
  return left;
}

}  // namespace rigor::advance
