// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "geom/mass_properties.h"
#include "scenes/files.h"

namespace rigor::scenes {

/// A triangle mesh as a file holds it, without any merging.
struct Mesh {
  std::vector<Eigen::Vector3d> vertices;   ///< In the file's unit.
  std::vector<std::array<int, 3>> triangles;  ///< Polygons are fans.
  std::vector<int> objects, groups;  ///< First triangle of each `o` and each `g` of an OBJ file.
};

/// Reads a Wavefront OBJ or an STL file (text or binary); which one is told by its content, not by its name. Text
/// coordinates keep all digits of a double: rounding them to float, as general importers do, would turn flat faces into
/// slivers. @throws LoadError at the offending line of the mesh.
Mesh readMesh(const std::string& path, const Files& files = {});

/// The objects of a mesh (its groups where it has no two objects), each with its own vertices, where every one is
/// closed: each edge has its opposite. Else its connected pieces, where there are at most 32 and every one is closed.
/// Parts that span no solid, such as one triangle, may be open beside closed ones. Else the mesh as it is. Vertices are
/// the same where all bits of their coordinates are. O(n log n)
std::vector<Mesh> closedParts(Mesh mesh);

/// The mesh with each vertex once; none unless each edge has its opposite. O(n log n)
std::optional<Mesh> closedMesh(const Mesh& mesh);

/// Volume enclosed by the triangles, positive where they are counter-clockwise seen from outside; meaningless where
/// they do not close.
double enclosedVolume(const Mesh& mesh);

/// Of the volume that the triangles of a scaled mesh enclose, whatever their sense, at unit density; none where they
/// enclose nothing. Sums over tetrahedra, as geom::massProperties.
std::optional<geom::MassProperties> enclosedSolid(const Mesh& mesh, const Eigen::Vector3d& scale);

}  // namespace rigor::scenes
