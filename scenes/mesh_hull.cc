// SPDX-License-Identifier: MIT
#include "scenes/mesh_hull.h"

#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cmath>
#include <filesystem>

#include "geom/mass_properties.h"
#include "scenes/load_error.h"
#include "scenes/mesh.h"

namespace rigor::scenes {
namespace {

// Relative difference of a closed mesh's volume to its hull's above which the mesh was not convex: far above the
// rounding of single-precision coordinates.
constexpr double kConvexVolumeTolerance = 1e-5;

MeshHull hullOf(Mesh mesh, const Eigen::Vector3d& scale) {
  for (Eigen::Vector3d& vertex : mesh.vertices) vertex = scale.cwiseProduct(vertex);
  MeshHull result{geom::Polytope::fromPoints(mesh.vertices), true};
  const double volume = geom::massProperties(result.hull).mass;
  if (!mesh.triangles.empty()) {
    result.convex = std::abs(enclosedVolume(mesh)) >= (1 - kConvexVolumeTolerance) * volume;  // NaN -> not convex
  }
  return result;
}

/// Meshes below a node of an imported file.
void collect(const aiScene& scene, const aiNode& node, const aiMatrix4x4& parent, std::vector<Mesh>& meshes) {
  const aiMatrix4x4 X = parent * node.mTransformation;
  for (unsigned m = 0; m < node.mNumMeshes; ++m) {
    const aiMesh& source = *scene.mMeshes[node.mMeshes[m]];
    Mesh mesh;
    for (unsigned v = 0; v < source.mNumVertices; ++v) {
      const aiVector3D p = X * source.mVertices[v];
      mesh.vertices.emplace_back(p.x, p.y, p.z);
    }
    for (unsigned f = 0; f < source.mNumFaces; ++f) {
      const aiFace& face = source.mFaces[f];
      for (unsigned i = 2; i < face.mNumIndices; ++i) {
        mesh.triangles.push_back({static_cast<int>(face.mIndices[0]), static_cast<int>(face.mIndices[i - 1]),
                                  static_cast<int>(face.mIndices[i])});
      }
    }
    meshes.push_back(std::move(mesh));
  }
  for (unsigned c = 0; c < node.mNumChildren; ++c) collect(scene, *node.mChildren[c], X, meshes);
}

std::vector<Mesh> importMeshes(const std::string& path) {
  Assimp::Importer importer;
  const aiScene* scene = importer.ReadFile(path, aiProcess_JoinIdenticalVertices);
  if (!scene || !scene->mRootNode) {
    throw LoadError(path, {}, std::string("the mesh cannot be read: ") + importer.GetErrorString(),
                    "OBJ, STL, or another format that assimp knows");
  }
  std::vector<Mesh> meshes;
  collect(*scene, *scene->mRootNode, aiMatrix4x4(), meshes);
  if (meshes.empty()) throw LoadError(path, {}, "no mesh in this file", "at least one");
  return meshes;
}

}  // namespace

std::vector<MeshHull> readMeshHulls(const std::string& path, const Eigen::Vector3d& scale) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw LoadError(path, {}, "this mesh file does not exist", "an OBJ or STL file");
  }
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  std::vector<MeshHull> hulls;
  // Single-precision importers turn flat faces into slivers: text meshes of the two common formats are read here.
  if (extension == ".dae" || extension == ".ply" || extension == ".glb" || extension == ".gltf" ||
      extension == ".off") {
    for (Mesh& mesh : importMeshes(path)) hulls.push_back(hullOf(std::move(mesh), scale));
  } else {
    hulls.push_back(hullOf(readMesh(path), scale));
  }
  return hulls;
}

}  // namespace rigor::scenes
