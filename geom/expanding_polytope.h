// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "geom/polytope.h"
#include "geom/relative_pose.h"

namespace rigor::geom {

/// The face of the Minkowski difference A - B that is nearest to the origin, in the frame of A.
struct NearestFace {
  Eigen::Vector3d normal;        ///< Unit, outward: moving A by -depth * normal separates, up to rounding.
  double lower;                  ///< No shorter translation than this separates A and B [m]; roundings are taken off.
  int vertex_a[3], vertex_b[3];  ///< Its triangle: vertex_a[k] - vertex_b[k].
};

/// The expanding-polytope algorithm [van den Bergen 2001]: a polytope inside A - B grows, by one support at a time,
/// where its nearest face is, until that face supports A - B. As A - B is convex, its nearest face is then the nearest
/// of all: a global minimum.
/// @pre A and B meet, up to rounding.
/// @returns false where the triangles are too thin for doubles to tell or some forty supports do not suffice; nothing
/// is found then. No allocation. Some .1 us a support.
bool nearestFace(const Polytope& A, const Polytope& B, const RelativePose& X_AB, NearestFace& found);

}  // namespace rigor::geom
