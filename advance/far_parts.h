// SPDX-License-Identifier: MIT
#pragma once
#include "advance/witness.h"
#include "geom/pose.h"
#include "geom/shape.h"

namespace rigor::advance {

// Parts that are farther apart than they are large, as most of two compounds are: what is known of them without their
// distance.

/// A lower bound of the distance of two parts, up to rounding, by balls around them [m]; minus infinity where one is a
/// half-space or round. O(1)
double ballsApart(const geom::Shape& A, const geom::Pose& X_WA, const geom::Shape& B, const geom::Pose& X_WB);

/// Of both parts' faces the one that keeps the other's ball farthest off. Guarantee: none; certify() proves or rejects.
/// @returns false where none does, or one is round or has many faces. O(faces)
bool farFace(const geom::Shape& A, const geom::Pose& X_WA, const geom::Shape& B, const geom::Pose& X_WB,
             SeparatingAxis& axis);

}  // namespace rigor::advance
