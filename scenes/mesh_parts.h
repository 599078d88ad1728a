// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "geom/mass_properties.h"
#include "geom/shape.h"
#include "scenes/mesh_hull.h"

namespace rigor::scenes {

/// How the convex parts of a mesh are made.
struct PartsRequest {
  std::optional<double> error;  ///< How far they may stick out of it [m]; none: its hull is the one part.
  std::string cache;            ///< The mesh's file, beside which they are kept (parts_cache.h); empty: nowhere.
  Progress progress = {};       ///< Is told how far the cutting is.

  /// Of a mesh file; one that a record holds is decomposed again.
  static PartsRequest ofFile(const std::string& path, std::optional<double> error, const Files& files) {
    return {error, files.ofFileSystem() ? path : "", files.progress()};
  }
};

struct MeshParts {
  std::vector<geom::Shape> parts;
  /// At unit density, where parts of it are not quite the mesh: what it encloses.
  std::optional<geom::MassProperties> solid;
  std::string kind = "mesh";  ///< "hull" where that is all there is of it.
  std::string warning;  ///< What is not as the mesh was: ` is not ...`; empty: nothing.
};

/// A mesh, scaled and placed, as convex parts. @throws geom::GeometryError for one without volume.
MeshParts convexPartsOf(const Mesh& mesh, const Eigen::Vector3d& scale, const geom::Pose& pose,
                        const PartsRequest& request);

}  // namespace rigor::scenes
