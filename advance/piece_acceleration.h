// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "advance/motion_piece.h"

namespace rigor::advance {

/// Motion of a body at an instant of its piece, of the published polynomial: world axes.
struct Acceleration {
  Eigen::Vector3d velocity, angular_velocity;          ///< Of `centre` [m/s]; [rad/s].
  Eigen::Vector3d acceleration, angular_acceleration;  ///< [m/s^2], [rad/s^2].
};

/// At time t in [piece.t0, piece.t1]: w = 2 vec(q' q^-1), its rate 2 vec(q'' q^-1) - 2 s w with s the scalar part of q'
/// q^-1. O(1)
Acceleration accelerationAt(const MotionPiece& piece, double t);

}  // namespace rigor::advance
