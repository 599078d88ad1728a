// SPDX-License-Identifier: MIT
#include "scenes/mesh_hull.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "scenes/collada.h"
#include "scenes/document.h"
#include "scenes/foreign_mesh.h"
#include "scenes/load_error.h"
#include "scenes/mesh.h"

namespace rigor::scenes {
namespace {

// Relative difference of a closed mesh's volume to its hull's above which the mesh was not convex: far above the
// rounding of single-precision coordinates.
constexpr double kConvexVolumeTolerance = 1e-5;

/// Of a hull [m^3]; of one that is nearly flat its last digits are rounding, as those of enclosedVolume() are.
double hullVolume(const geom::Polytope& hull) {
  Mesh surface;
  for (int v = 0; v < hull.numVertices(); ++v) surface.vertices.emplace_back(hull.vertex(v));
  for (int f = 0; f < hull.numFaces(); ++f) {
    const auto loop = hull.faceVertices(f);
    for (size_t i = 2; i < loop.size(); ++i) surface.triangles.push_back({loop[0], loop[i - 1], loop[i]});
  }
  return enclosedVolume(surface);
}

}  // namespace

MeshHull meshHull(const Mesh& mesh, const Eigen::Vector3d& scale, const geom::Pose& pose) {
  Mesh moved = mesh;
  const bool stays = pose.p.isZero(0) && pose.q.tail<3>().isZero(0);
  const Eigen::Matrix3d R = pose.rotation();
  for (Eigen::Vector3d& vertex : moved.vertices) {
    vertex = scale.cwiseProduct(vertex);
    if (!stays) vertex = pose.p + R * vertex;
  }
  MeshHull result{geom::Polytope::fromPoints(moved.vertices), true};
  if (!mesh.triangles.empty()) {
    const double least = (1 - kConvexVolumeTolerance) * hullVolume(result.hull);
    result.convex = std::abs(enclosedVolume(moved)) >= least;  // NaN -> not convex
  }
  return result;
}

std::vector<Mesh> readMeshParts(const std::string& path, const Files& files) {
  if (!files.contains(path)) {
    throw LoadError(path, {}, "this mesh file does not exist", "an OBJ or STL file");
  }
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  const std::string& bytes = files.read(path, "a mesh file");
  if (bytes.starts_with("version https://git-lfs."))
    throw LoadError(path, {}, "a pointer of Git LFS instead of the mesh",
                    "the mesh: run `git lfs pull` in its repository");
  if (isCollada(bytes) || extension == ".dae") return readCollada(path, bytes);
  if (extension == ".zae") throw LoadError(path, {}, "a packed Collada file", "the .dae file that is in it");
  // Single-precision importers turn flat faces into slivers: the two common formats are read here.
  if (extension != ".obj" && extension != ".stl" && extension.size() > 1 && isForeignMesh(extension))
    return readForeignMesh(path, extension, files);
  return closedParts(readMesh(path, files));
}

}  // namespace rigor::scenes
