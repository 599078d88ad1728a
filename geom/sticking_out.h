// SPDX-License-Identifier: MIT
#pragma once
#include "geom/polytope.h"
#include "geom/triangle_solid.h"

namespace rigor::geom {

/// Bounds of how far a polytope sticks out of a solid: of the largest distance of its points from the solid [m].
struct StickingOut {
  double least = 0;  ///< That of some point of the polytope.
  double most = 0;   ///< Of none is it more.
};

/// Surface of a solid that enters a polytope by less than this, relative to the solid's size, is its boundary; so are
/// roundings of cuts.
inline constexpr double kCutRounding = 0x1p-36;

/// Ends as soon as the distance is known to be at most `enough`, or more than `enough` and known within a quarter; or
/// after a count of looks that some milliseconds take. Boxes within the polytope are halved, that of the greatest bound
/// first: the distance of any point of a box differs from that of its centre by half a diagonal at most. What no
/// surface enters is inside or outside as a whole: parts of prisms are exact.
/// @param stop_beyond  Ends also where `least` is greater [m]; `most` may be infinite then.
StickingOut stickingOut(const Polytope& polytope, const TriangleSolid& solid, double enough, double stop_beyond);

}  // namespace rigor::geom
