// SPDX-License-Identifier: MIT
#include "advance/piece_acceleration.h"

#include <Eigen/Geometry>
#include <array>

namespace rigor::advance {
namespace {

/// Value, first and second derivative by u of a Bezier curve of the given degree, at most 3: de Casteljau.
template <typename Vector>
std::array<Vector, 3> derivatives(const Vector* points, int degree, double u) {
  std::array<Vector, MotionPiece::kMaxDegree + 1> row;
  for (int i = 0; i <= degree; ++i) row[i] = points[i];
  std::array<Vector, 3> out{points[0], Vector::Zero(), Vector::Zero()};
  for (int left = degree; left > 0; --left) {
    if (left == 2) out[2] = degree * (degree - 1) * (row[2] - 2 * row[1] + row[0]);
    if (left == 1) out[1] = degree * (row[1] - row[0]);
    for (int i = 0; i < left; ++i) row[i] = (1 - u) * row[i] + u * row[i + 1];
  }
  out[0] = row[0];
  return out;
}

/// Scalar and vector part of a b^-1.
Eigen::Vector4d quotient(const Eigen::Vector4d& a, const Eigen::Vector4d& b) {
  const Eigen::Vector3d av = a.tail<3>(), bv = -b.tail<3>();
  Eigen::Vector4d out;
  out << a[0] * b[0] - av.dot(bv), a[0] * bv + b[0] * av + av.cross(bv);
  return out / b.squaredNorm();
}

}  // namespace

Acceleration accelerationAt(const MotionPiece& piece, double t) {
  const double h = piece.t1 - piece.t0, u = (t - piece.t0) / h;
  const auto p = derivatives(piece.p, piece.p_degree, u);
  const auto q = derivatives(piece.q, piece.q_degree, u);
  const Eigen::Vector4d rate = quotient(q[1] / h, q[0]), second = quotient(q[2] / (h * h), q[0]);
  Acceleration a;
  a.velocity = p[1] / h, a.acceleration = p[2] / (h * h);
  a.angular_velocity = 2 * rate.tail<3>();
  a.angular_acceleration = 2 * second.tail<3>() - 2 * rate[0] * a.angular_velocity;
  return a;
}

}  // namespace rigor::advance
