// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

namespace rigor::geom {

/// The unit quaternion [w, x, y, z] of the shortest turn of direction a to direction b; of opposite ones any half turn.
/// Eigen's FromTwoVectors has a singular value decomposition for these: seconds of every file that names it.
/// @pre a and b are finite and not zero.
Eigen::Vector4d shortestTurn(const Eigen::Vector3d& a, const Eigen::Vector3d& b);

}  // namespace rigor::geom
