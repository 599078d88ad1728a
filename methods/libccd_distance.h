// SPDX-License-Identifier: MIT
#pragma once
#include "geom/polytope.h"
#include "geom/pose.h"

namespace rigor::methods {

/// Distance of two polytopes by libccd [m], to a thousandth and from below; 0 where it finds them to overlap. Debian's
/// libccd says whether sets meet, not how far apart they are: the sets are thickened until they do. Its error is not
/// bounded: callers prove what follows from it. 30 questions of GJK.
double libccdDistance(const geom::Polytope& A, const geom::Pose& X_A, const geom::Polytope& B, const geom::Pose& X_B);

}  // namespace rigor::methods
