// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <string>

namespace rigor::dynamics {

/// The inertia nearest to a symmetric matrix (Frobenius norm) among those that bodies can have, points and rods
/// included: principal moments 0 <= I1 <= I2 <= I3 <= I1 + I2.
struct InertiaRepair {
  Eigen::Matrix3d inertia;
  double change = 0;  ///< |inertia - given| / |given|; 0 for zero.
};

/// Exact up to rounding: the set is a cone in the moments with three faces, and the axes stay. What is possible up to
/// rounding comes back as it is, with a change of 0.
InertiaRepair nearestInertia(const Eigen::Matrix3d& given);

/// Why no body has this inertia [kg m^2], with its principal moments, or an empty string. Zero and that of a rod are
/// possible; whether they let a joint move is ArticulatedModel's matter.
std::string impossibleInertia(const Eigen::Matrix3d& inertia);

}  // namespace rigor::dynamics
