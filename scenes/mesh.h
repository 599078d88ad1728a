// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

namespace rigor::scenes {

/// A triangle mesh as a file holds it, without any merging.
struct Mesh {
  std::vector<Eigen::Vector3d> vertices;   ///< In the file's unit.
  std::vector<std::array<int, 3>> triangles;  ///< Polygons are fans.
};

/// Reads a Wavefront OBJ or an STL file (text or binary); which one is told by its content, not by its name. Text
/// coordinates keep all digits of a double: rounding them to float, as general importers do, would turn flat faces into
/// slivers. @throws LoadError at the offending line of the mesh.
Mesh readMesh(const std::string& path);

/// Volume enclosed by the triangles, positive where they are counter-clockwise seen from outside; meaningless where
/// they do not close.
double enclosedVolume(const Mesh& mesh);

}  // namespace rigor::scenes
