// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "geom/pose.h"

namespace rigor::geom {

/// The pose of B in the frame of A: x_A = R x_B + t. Differences are taken before products, so that a common distance
/// from the world origin costs no digits; quaternions need not be normalised.
struct RelativePose {
  Eigen::Matrix3d R;
  Eigen::Vector3d t;   ///< [m]
  Eigen::Matrix3d RA;  ///< Rotation of A in the world.

  /// In scalars: vector loads of what scalars have just stored would stall.
  RelativePose(const Pose& X_WA, const Pose& X_WB) {
    const double aw = X_WA.q[0], ax = X_WA.q[1], ay = X_WA.q[2], az = X_WA.q[3];
    const double bw = X_WB.q[0], bx = X_WB.q[1], by = X_WB.q[2], bz = X_WB.q[3];
    const double dx = X_WB.p[0] - X_WA.p[0], dy = X_WB.p[1] - X_WA.p[1], dz = X_WB.p[2] - X_WA.p[2];
    setRotation(aw, ax, ay, az, RA);
    const auto along = [&](int k) { return (RA(0, k) * dx + RA(1, k) * dy) + RA(2, k) * dz; };
    t[0] = along(0), t[1] = along(1), t[2] = along(2);
    // conj(a) b: one product of quaternions is cheaper than one of matrices.
    setRotation((aw * bw + ax * bx) + (ay * by + az * bz), (aw * bx - ax * bw) - (ay * bz - az * by),
                (aw * by + ax * bz) - (ay * bw + az * bx), (aw * bz - ax * by) + (ay * bx - az * bw), R);
  }

  Eigen::Vector3d toA(const Eigen::Vector3d& b) const { return R * b + t; }
  Eigen::Vector3d toB(const Eigen::Vector3d& a) const { return R.transpose() * (a - t); }

 private:
  /// M(q) / (q.q)
  static void setRotation(double w, double x, double y, double z, Eigen::Matrix3d& M) {
    const double ww = w * w, xx = x * x, yy = y * y, zz = z * z;
    const double s = 1 / ((ww + xx) + (yy + zz)), s2 = 2 * s;
    M(0, 0) = s * ((ww - zz) + (xx - yy)), M(1, 1) = s * ((ww - zz) - (xx - yy)), M(2, 2) = s * ((ww - yy) - (xx - zz));
    const double xy = x * y, wz = w * z, xz = x * z, wy = w * y, yz = y * z, wx = w * x;
    M(1, 0) = s2 * (xy + wz), M(2, 0) = s2 * (xz - wy), M(0, 1) = s2 * (xy - wz);
    M(2, 1) = s2 * (yz + wx), M(0, 2) = s2 * (xz + wy), M(1, 2) = s2 * (yz - wx);
  }
};

}  // namespace rigor::geom
