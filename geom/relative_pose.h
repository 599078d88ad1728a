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

  RelativePose(const Pose& X_WA, const Pose& X_WB) {
    const Eigen::Vector4d &a = X_WA.q, &b = X_WB.q;
    const double inverse = 1 / a.squaredNorm();
    RA = quaternionMatrix(a) * inverse;
    t.noalias() = RA.transpose() * (X_WB.p - X_WA.p);
    // conj(a) b: one product of quaternions is cheaper than one of matrices.
    const Eigen::Vector4d q(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3],
                            a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2],
                            a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1],
                            a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0]);
    R = quaternionMatrix(q) * (1 / q.squaredNorm());
  }

  Eigen::Vector3d toA(const Eigen::Vector3d& b) const { return R * b + t; }
  Eigen::Vector3d toB(const Eigen::Vector3d& a) const { return R.transpose() * (a - t); }
};

}  // namespace rigor::geom
