// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "geom/polytope.h"
#include "geom/solid_piece.h"

namespace rigor::geom {

/// Planes that may cut a piece well, the best guesses first: those of the faces at its heaviest concave edges, these
/// edges' bisectors, and some across the axes of its box.
std::vector<CutPlane> cutCandidates(const SolidPiece& piece, double solid_size);

/// What is left to do after a cut, the less the better; infinite where the plane does not cut: the volume of both
/// sides' hulls, with a share for concave edges that the plane does not resolve. Hulls are those of the corners that
/// are farthest in a few dozen directions: the choice of a plane needs no more.
double costOfCut(const SolidPiece& piece, double solid_size, const CutPlane& plane);

/// [m^3]
double volumeOf(const Polytope& polytope);

}  // namespace rigor::geom
