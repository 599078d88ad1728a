// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <string>
#include <vector>

#include "geom/polytope.h"

namespace rigor::scenes {

/// The convex hull of a mesh, and whether the mesh was that hull: closed and convex.
struct MeshHull {
  geom::Polytope hull;
  bool convex = true;
};

/// Hulls of the meshes of a file, scaled: one of an OBJ or STL file (mesh.h), read with all digits; of any other format
/// (Collada, PLY, ...), read by assimp, one of each mesh in it, placed as its nodes say.
/// @throws LoadError for a file that is missing or cannot be read, geom::GeometryError for a mesh without volume.
std::vector<MeshHull> readMeshHulls(const std::string& path, const Eigen::Vector3d& scale);

}  // namespace rigor::scenes
