// SPDX-License-Identifier: MIT
#pragma once
#include <utility>
#include <vector>

#include "geom/polytope.h"
#include "geom/solid_piece.h"

namespace rigor::geom {

/// Planes that may cut a piece well, the best guesses first: those of the faces at its heaviest concave edges, these
/// edges' bisectors, and some across the axes of its box.
std::vector<CutPlane> cutCandidates(const SolidPiece& piece, double solid_size);

/// What is left to do after a cut, the less the better; infinite where the plane does not cut: the volume of both
/// sides' hulls, with shares for concave edges that the plane does not resolve and for how long the sides are. Hulls
/// are those of the corners that are farthest in a few dozen directions: the choice of a plane needs no more.
class CutCosts {
 public:
  /// O(n log n). @pre `piece` outlives it.
  CutCosts(const SolidPiece& piece, double solid_size);
  double of(const CutPlane& plane) const;  ///< O(n)

 private:
  const SolidPiece& piece_;
  double solid_size_, volume_, extents_, concave_ = 0;
  std::vector<Eigen::Vector3d> points_;      ///< Corners of the surface, each once.
  std::vector<std::pair<int, int>> edges_;   ///< Of its polygons, each once.
};

/// [m^3]
double volumeOf(const Polytope& polytope);

}  // namespace rigor::geom
