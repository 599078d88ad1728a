// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "geom/polytope.h"

namespace rigor::geom {

/// A face of a part that stands upright across an axis: all its corners have one coordinate x or y, and it is a
/// trapezoid with two upright sides.
struct Wall {
  int part, face;
  int axis;        ///< 0: across x; 1: across y.
  bool positive;   ///< Its normal points along the axis.
  double at;       ///< The coordinate of the axis.
  struct Side {
    double along;  ///< The other coordinate.
    int low, high; ///< Vertices of the part.
  };
  Side from, to;   ///< from.along < to.along
};

/// The face of a part as such a wall. @returns false if it is none.
bool asWall(const Polytope& polytope, int part, int face, Wall& wall);

/// A corner of a wall that lies between the ends of an edge of another, exactly.
struct WallJoint {
  int part, edge;          ///< Whose edge.
  int other_part, vertex;  ///< The corner.
};

/// Finds what lies back to back. `covered(w)` is called for each wall that others, which face the other way, cover,
/// exactly in the doubles of the corners; joints are corners of those others on edges of a wall, whether or not it is
/// covered. O(n log n) where walls that face one way do not overlap. @param parts  Not null.
std::vector<WallJoint> matchWalls(std::span<const Polytope* const> parts, std::vector<Wall> walls,
                                  const std::function<void(const Wall&)>& covered);

}  // namespace rigor::geom
