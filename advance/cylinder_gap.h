// SPDX-License-Identifier: MIT
#pragma once
#include "advance/gap_polynomial.h"

namespace rigor::advance {

enum class CylinderGap {
  kProved,
  kRefutedAtStart,  ///< It fails at ta.
  kRefutedAtEnd,    ///< It fails at tb.
  kUndecided,       ///< Fails in between, or roundings hide the answer: exact arithmetic decides.
};

/// Whether a cylinder that turns keeps `level` from the plane of `gap`. Along the unit normal n a cylinder of radius r
/// and axis a reaches r |n x a| / |a| from its core. With f the height of a point of the core above the level, N + (r -
/// level) D in the terms of FaceGap, and the normal seen from the cylinder, M(q_t)^T m:
///
///   f >= 0  and  f^2 >= r^2 |M(q_t)^T m x a|^2 / |a|^2    on [ta, tb], for both ends of the core
///
/// in doubles, with proved bounds of all roundings; degree 18. About 1 us. @pre gap.hasCylinder(), gap.valid.
/// @param level  [m]
CylinderGap proveCylinderGap(const FaceGap& gap, double level);

}  // namespace rigor::advance
