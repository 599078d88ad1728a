// SPDX-License-Identifier: MIT
#pragma once
#include "geom/pose.h"
#include "geom/separation.h"

namespace rigor::geom {

/// Penetration of two polytopes that overlap or touch: the shortest translation that separates them.
///
/// Guarantee: distance = max over the face normals of A and B and the edge pairs that span faces of the Minkowski
/// difference of (gap of the support planes), to rounding; <= 0 up to rounding if they overlap. That is minus the
/// penetration depth, the global minimum, not a local one. point_a = point_b + distance * normal; for a face and a
/// vertex the vertex is the deepest point, for two edges the points are those of the edges.
/// If the polytopes are apart the result is a lower bound of their distance. Never fails; a pose that is not finite
/// gives distance 0. Edges are first discarded by a bound, so that large polytopes take milliseconds, small ones ~10 us.
Separation penetration(const Polytope& A, const Pose& X_WA, const Polytope& B, const Pose& X_WB);

}  // namespace rigor::geom
