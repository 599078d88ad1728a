// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "geom/convex_parts.h"
#include "scenes/mesh.h"

namespace rigor::scenes {

/// geom::convexParts of a closed mesh, kept for the next time: in `MESH.rigor-parts/KEY` beside the mesh file, or,
/// where that cannot be written, in `rigor/parts/KEY` of the user's cache folder (XDG_CACHE_HOME, else ~/.cache). KEY
/// comes from all coordinates, triangles, the error and the algorithm's version. The bits of the vertices are kept: the
/// result is the same with and without. A file that is damaged or of another key is written anew; nothing fails where
/// none can be.
/// @param progress  Is told how far the cutting is.
/// @param path  Of the mesh's file; empty: nothing is kept or looked for.
geom::ConvexParts keptConvexParts(const std::string& path, const Mesh& mesh, double error,
                                  const Progress& progress = {});

}  // namespace rigor::scenes
