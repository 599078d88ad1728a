// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <vector>

#include "geom/polytope.h"
#include "geom/triangle_solid.h"

namespace rigor::geom {

/// Convex polytopes whose union covers a solid.
struct ConvexParts {
  std::vector<Polytope> parts;
  double error = 0;  ///< No point of a part is farther from the solid [m]: what was measured.
};

inline constexpr int kMostConvexParts = 64;

/// Cuts a solid by planes until each piece's hull sticks out of the solid by at most `error` [m], or there are `most`
/// pieces; then joins those whose common hull does not either. Each point of the solid is in a part, but for roundings
/// (kCutRounding); parts that were joined may overlap others. A convex solid is one part.
///
/// Next is the piece that sticks out most; it is cut by the plane of cutCandidates() that costs least (CutCosts). The
/// same bits for the same solid.
/// @pre error > 0. @throws GeometryError for a solid that is flat.
/// @param progress  Is told how many parts there are, again and again.
ConvexParts convexParts(const TriangleSolid& solid, double error, int most = kMostConvexParts,
                        const std::function<void(int parts)>& progress = {});

}  // namespace rigor::geom
