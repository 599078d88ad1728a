// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "elementary/require.h"

namespace rigor::geom {

/// M(q), the matrix of an UN-NORMALISED quaternion q = [w, x, y, z]: R = M(q) / (q.q) is its rotation matrix.
/// Every entry is a quadratic form of q, so along a polynomial q(t) it is a polynomial in t.
inline Eigen::Matrix3d quaternionMatrix(const Eigen::Vector4d& q) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double ww = w * w, xx = x * x, yy = y * y, zz = z * z;
  Eigen::Matrix3d M;
  M(0, 0) = ww + xx - yy - zz, M(1, 0) = 2 * (x * y + w * z), M(2, 0) = 2 * (x * z - w * y);
  M(0, 1) = 2 * (x * y - w * z), M(1, 1) = ww - xx + yy - zz, M(2, 1) = 2 * (y * z + w * x);
  M(0, 2) = 2 * (x * z + w * y), M(1, 2) = 2 * (y * z - w * x), M(2, 2) = ww - xx - yy + zz;
  return M;
}

/// Position and orientation of a frame B in the world: p_WV = p + M(q)/(q.q) p_BV. q need not be normalised;
/// it is never renormalised behind the user's back. @pre q is finite and not zero.
struct Pose {
  Eigen::Vector4d q{1, 0, 0, 0};  ///< [w, x, y, z]
  Eigen::Vector3d p{0, 0, 0};     ///< [m]

  Eigen::Matrix3d rotation() const {
    const double square = (q[0] * q[0] + q[2] * q[2]) + (q[1] * q[1] + q[3] * q[3]);
    RIGOR_REQUIRE(!(square <= 0));
    Eigen::Matrix3d R = quaternionMatrix(q);
    for (int k = 0; k < 9; ++k) R.data()[k] /= square;
    return R;
  }
  Eigen::Vector3d operator*(const Eigen::Vector3d& local) const { return p + rotation() * local; }
};

}  // namespace rigor::geom
