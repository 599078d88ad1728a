// SPDX-License-Identifier: MIT
#pragma once
#include "geom/pose.h"
#include "geom/separation.h"

namespace rigor::geom {

/// Penetration of two polytopes that overlap or touch: the shortest translation that separates them.
///
/// Guarantee: distance = max over the face normals of A and B and the edge pairs that span faces of the Minkowski
/// difference of (gap of the support planes), to rounding; <= 0 up to rounding if they overlap. That is minus the
/// penetration depth, the global minimum, not a local one. point_a = point_b + distance * normal, each in its
/// polytope: where they touch after that translation.
/// If the polytopes are apart the result is a lower bound of their distance. Never fails; a pose that is not finite
/// gives distance 0. An expanding polytope finds the axis (2 us for 8 vertices, 8 us for 100); where doubles cannot
/// tell whether it is the best, all faces and edges are searched, after a bound has discarded most (4 us to
/// milliseconds).
Separation penetration(const Polytope& A, const Pose& X_WA, const Polytope& B, const Pose& X_WB);

/// Sets the points of `found`, whose distance <= 0 and normal are known: A and B touch there once moved apart. Wide
/// GJK.
void touchingPoints(const Eigen::Matrix3Xd& A, const Pose& X_WA, const Eigen::Matrix3Xd& B, const Pose& X_WB,
                    Separation& found);

}  // namespace rigor::geom
