// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <utility>
#include <vector>

#include "geom/triangle_solid.h"

namespace rigor::geom {

/// A plane normal.x = offset that cuts a solid.
struct CutPlane {
  Eigen::Vector3d normal{0, 0, 1};  ///< Unit.
  double offset = 0;                ///< [m]
  int axis = -1;                    ///< Where the normal is that of an axis: points of the cut lie on it exactly.

  double above(const Eigen::Vector3d& p) const { return axis >= 0 ? p[axis] - offset : normal.dot(p) - offset; }
};
/// Through a point. @pre |normal| = 1 but for rounding; a negative axis is turned.
CutPlane planeThrough(const Eigen::Vector3d& point, Eigen::Vector3d normal);

/// What cutting planes leave of a solid on one side of each. Its corners are those of the clipped surface and those of
/// the planes' cell that lie in the solid: their hull is that of the piece.
struct SolidPiece {
  std::vector<Eigen::Vector3d> points;  ///< Corners of the surface's polygons, one after the other.
  std::vector<int> ends;                ///< Of each polygon in `points`.
  std::vector<std::pair<CutPlane, double>> planes;  ///< And the side that is kept: 1 above, -1 below.
  std::vector<Eigen::Vector3d> cell_corners;        ///< Where three of the planes meet in the solid.
  std::vector<TriangleSolid::ConcaveEdge> concave;  ///< Within.

  std::vector<Eigen::Vector3d> corners() const;
};

SolidPiece wholeSolid(const TriangleSolid& solid);

/// The part of a piece on one side of a plane (1 above, -1 below). Surface that lies in the plane bounds only the side
/// on which the solid is; the corners of other surface there are the same.
SolidPiece cutPiece(const SolidPiece& piece, const TriangleSolid& solid, const CutPlane& plane, double side);

/// Where the segment between two points on both sides of a plane meets it: the same bits for both directions.
Eigen::Vector3d crossing(const CutPlane& plane, Eigen::Vector3d p, Eigen::Vector3d q);

}  // namespace rigor::geom
