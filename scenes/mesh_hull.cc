// SPDX-License-Identifier: MIT
#include "scenes/mesh_hull.h"

#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "formats/late_library.h"
#include "scenes/collada.h"
#include "scenes/document.h"
#include "scenes/load_error.h"
#include "scenes/mesh.h"

namespace rigor::scenes {
namespace {

// Relative difference of a closed mesh's volume to its hull's above which the mesh was not convex: far above the
// rounding of single-precision coordinates.
constexpr double kConvexVolumeTolerance = 1e-5;

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

/// assimp's C functions: it takes 2 ms to load, and few scenes name a mesh that it reads.
struct AssimpLibrary {
  formats::LateLibrary library{RIGOR_ASSIMP_LIBRARY, "a mesh other than OBJ and STL"};
  decltype(::aiImportFileEx)* importFile = library.function<decltype(::aiImportFileEx)>("aiImportFileEx");
  decltype(::aiImportFileFromMemory)* importBytes =
      library.function<decltype(::aiImportFileFromMemory)>("aiImportFileFromMemory");
  decltype(::aiReleaseImport)* release = library.function<decltype(::aiReleaseImport)>("aiReleaseImport");
  decltype(::aiIsExtensionSupported)* isSupported =
      library.function<decltype(::aiIsExtensionSupported)>("aiIsExtensionSupported");
  decltype(::aiGetErrorString)* error = library.function<decltype(::aiGetErrorString)>("aiGetErrorString");
};

const AssimpLibrary& theAssimp() {
  static const AssimpLibrary library;
  return library;
}

/// Lets assimp read through Files.
class FilesOfMesh : public aiFileIO {
 public:
  explicit FilesOfMesh(Files files) : aiFileIO{open, close, nullptr}, files_(std::move(files)) {}

 private:
  struct OpenFile : aiFile {
    const std::string* bytes;
    std::size_t at = 0;
  };
  static aiFile* open(aiFileIO* io, const char* path, const char* mode) {
    const Files& files = static_cast<FilesOfMesh*>(io)->files_;
    if (!files.contains(path) || std::string_view(mode).find('r') == std::string_view::npos) return nullptr;
    auto* file = new OpenFile{};
    file->bytes = &files.read(path, "a mesh file");
    file->ReadProc = read, file->SeekProc = seek,
    file->TellProc = [](aiFile* f) { return static_cast<OpenFile*>(f)->at; };
    file->FileSizeProc = [](aiFile* f) { return static_cast<OpenFile*>(f)->bytes->size(); };
    file->WriteProc = [](aiFile*, const char*, std::size_t, std::size_t) { return std::size_t{0}; };
    file->FlushProc = [](aiFile*) {};
    return file;
  }
  static void close(aiFileIO*, aiFile* file) { delete static_cast<OpenFile*>(file); }
  static std::size_t read(aiFile* file, char* to, std::size_t size, std::size_t count) {
    auto* open = static_cast<OpenFile*>(file);
    const std::size_t whole = size == 0 ? 0 : std::min(count, (open->bytes->size() - open->at) / size);
    open->bytes->copy(to, whole * size, open->at);
    open->at += whole * size;
    return whole;
  }
  static aiReturn seek(aiFile* file, std::size_t offset, aiOrigin origin) {
    auto* open = static_cast<OpenFile*>(file);
    const std::size_t size = open->bytes->size();
    const std::size_t to = origin == aiOrigin_SET ? offset : origin == aiOrigin_CUR ? open->at + offset : size - offset;
    if (to > size) return aiReturn_FAILURE;
    open->at = to;
    return aiReturn_SUCCESS;
  }
  Files files_;
};

std::vector<Mesh> importMeshes(const std::string& path, const std::string& extension, const Files& files) {
  const AssimpLibrary& assimp = theAssimp();
  const aiScene* imported = nullptr;
  if (extension == ".gltf") {  // Names further files.
    FilesOfMesh opened(files);
    imported = assimp.importFile(path.c_str(), aiProcess_JoinIdenticalVertices, &opened);
  } else {
    const std::string& bytes = files.read(path, "a mesh file");
    imported = assimp.importBytes(bytes.data(), static_cast<unsigned>(bytes.size()), aiProcess_JoinIdenticalVertices,
                                  extension.c_str() + 1);
  }
  const std::unique_ptr<const aiScene, decltype(assimp.release)> scene(imported, assimp.release);
  if (!scene || !scene->mRootNode) {
    throw LoadError(path, {}, std::string("the mesh cannot be read: ") + assimp.error(),
                    "OBJ, STL, or another format that assimp knows");
  }
  std::vector<Mesh> meshes;
  collect(*scene, *scene->mRootNode, aiMatrix4x4(), meshes);
  if (meshes.empty()) throw LoadError(path, {}, "no mesh in this file", "at least one");
  return meshes;
}

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
  if (files.read(path, "a mesh file").starts_with("version https://git-lfs."))
    throw LoadError(path, {}, "a pointer of Git LFS instead of the mesh",
                    "the mesh: run `git lfs pull` in its repository");
  const std::string& bytes = files.read(path, "a mesh file");
  if (isCollada(bytes) || extension == ".dae") return readCollada(path, bytes);
  if (extension == ".zae") throw LoadError(path, {}, "a packed Collada file", "the .dae file that is in it");
  // Single-precision importers turn flat faces into slivers: the two common formats are read here.
  if (extension != ".obj" && extension != ".stl" && extension.size() > 1 &&
      theAssimp().isSupported(extension.c_str()) != 0) {
    return importMeshes(path, extension, files);
  }
  return closedParts(readMesh(path, files));
}

}  // namespace rigor::scenes
