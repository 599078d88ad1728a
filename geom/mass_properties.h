// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>
#include <string>

#include "geom/polytope.h"
#include "geom/pose.h"

namespace rigor::geom {

/// Mass, centre of mass and inertia of a rigid body, in one frame F.
struct MassProperties {
  double mass = 0;                                    ///< [kg]; at unit density: the volume [m^3].
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();   ///< Centre of mass, in F [m].
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< About the centre of mass, axes of F [kg m^2].

  /// Mass and inertia times `factor` (a density, or mass / volume).
  MassProperties scaled(double factor) const { return {mass * factor, centre, inertia * factor}; }
};

/// Mass properties of a solid polytope at `density` [kg/m^3], exact up to rounding (relative to the polytope's size,
/// wherever it lies): sums over the tetrahedra that its triangulated faces span with an interior point. O(faces). Of
/// one that stands for a round solid: of that.
///
///   ∫ x xᵀ dV over a tetrahedron (0, a, b, c) = det(a, b, c)/120 · (s sᵀ + a aᵀ + b bᵀ + c cᵀ),  s = a + b + c
MassProperties massProperties(const Polytope& polytope, double density = 1);

/// The same body expressed in a frame G, where X_GF is the pose of F in G: I_G = R I_F Rᵀ, centre_G = X_GF centre_F.
MassProperties transformed(const MassProperties& body, const Pose& X_GF);

/// Inertia about `point` (in F) by the parallel-axis theorem: I + m (d.d 1 - d dᵀ), d = centre - point.
Eigen::Matrix3d inertiaAbout(const MassProperties& body, const Eigen::Vector3d& point);

/// One rigid body of several, all in the same frame; overlapping volumes count twice. Zero mass if `parts` is empty.
MassProperties composed(std::span<const MassProperties> parts);

/// Why no rigid body can have these mass properties, or an empty string if one can: mass positive, everything finite,
/// inertia symmetric, positive definite, and its principal moments I1 <= I2 <= I3 with I1 + I2 >= I3, up to rounding.
std::string impossibleBecause(const MassProperties& body);

}  // namespace rigor::geom
