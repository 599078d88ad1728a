// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

namespace rigor::dynamics {

/// Product a b of quaternions [w, x, y, z]: M(a b) = M(a) M(b), |a b| = |a| |b|.
inline Eigen::Vector4d multiply(const Eigen::Vector4d& a, const Eigen::Vector4d& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

inline Eigen::Vector4d conjugate(const Eigen::Vector4d& q) { return {q[0], -q[1], -q[2], -q[3]}; }

/// The rotation vector of q, of length at most pi [rad]: rotate((1, 0, 0, 0), turn) is q up to its length and sign.
Eigen::Vector3d rotationVector(const Eigen::Vector4d& q);

}  // namespace rigor::dynamics
