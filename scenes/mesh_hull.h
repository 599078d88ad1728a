// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <string>
#include <vector>

#include "geom/polytope.h"
#include "geom/pose.h"
#include "scenes/mesh.h"

namespace rigor::scenes {

/// The convex hull of a mesh, and whether the mesh was that hull: closed and convex.
struct MeshHull {
  geom::Polytope hull;
  bool convex = true;
};

/// The meshes of a file: of an OBJ file its closed objects (mesh.h), of an STL file one, read with all digits; those of
/// a Collada file (collada.h); of any other format (PLY, glTF, ...), read by assimp, one of each mesh in it, placed as
/// its nodes say.
/// @throws LoadError for a file that is missing or cannot be read.
std::vector<Mesh> readMeshParts(const std::string& path, const Files& files = {});

/// The hull of a mesh, scaled (mirrored where the scale is negative) and placed. @throws geom::GeometryError for one
/// without volume.
MeshHull meshHull(const Mesh& mesh, const Eigen::Vector3d& scale, const geom::Pose& pose = {});

}  // namespace rigor::scenes
