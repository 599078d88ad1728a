// SPDX-License-Identifier: MIT
#include "scenes/foreign_mesh.h"

#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "formats/late_library.h"
#include "scenes/child_answer.h"
#include "scenes/load_error.h"

namespace rigor::scenes {
namespace {

constexpr const char* kMeshFile = "a mesh file";

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
      if (std::any_of(face.mIndices, face.mIndices + face.mNumIndices,
                      [&](unsigned v) { return v >= source.mNumVertices; }))
        throw std::runtime_error("a face has a vertex that is not there");
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
  const std::vector<std::string>& names() const { return names_; }  ///< Of what was read.

 private:
  struct OpenFile : aiFile {
    const std::string* bytes;
    std::size_t at = 0;
  };
  static aiFile* open(aiFileIO* io, const char* path, const char* mode) {
    const Files& files = static_cast<FilesOfMesh*>(io)->files_;
    if (!files.contains(path) || std::string_view(mode).find('r') == std::string_view::npos) return nullptr;
    auto* file = new OpenFile{};
    file->bytes = &files.read(path, kMeshFile);
    static_cast<FilesOfMesh*>(io)->names_.emplace_back(path);
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
  std::vector<std::string> names_;
};

/// What is in a file, and which further files were read for it.
struct Imported {
  std::vector<Mesh> meshes;
  std::vector<std::string> names;
};

Imported importMeshes(const std::string& path, const std::string& extension, const Files& files) {
  const AssimpLibrary& assimp = theAssimp();
  const aiScene* imported = nullptr;
  FilesOfMesh opened(files);
  if (extension == ".gltf") {  // Names further files.
    imported = assimp.importFile(path.c_str(), aiProcess_JoinIdenticalVertices, &opened);
  } else {
    const std::string& bytes = files.read(path, kMeshFile);
    imported = assimp.importBytes(bytes.data(), static_cast<unsigned>(bytes.size()), aiProcess_JoinIdenticalVertices,
                                  extension.c_str() + 1);
  }
  const std::unique_ptr<const aiScene, decltype(assimp.release)> scene(imported, assimp.release);
  if (!scene || !scene->mRootNode) throw std::runtime_error(assimp.error());
  Imported result{{}, opened.names()};
  collect(*scene, *scene->mRootNode, aiMatrix4x4(), result.meshes);
  return result;
}

/// Bytes from one process to another of the same program.
class Packer {
 public:
  void add(std::uint64_t number) { append(&number, sizeof number); }
  void add(const std::string& text) { add(text.size()), append(text.data(), text.size()); }
  template <class Row>
  void add(const std::vector<Row>& rows) {
    add(rows.size());
    append(rows.data(), rows.size() * sizeof(Row));
  }
  std::string bytes;

 private:
  void append(const void* from, size_t size) { bytes.append(static_cast<const char*>(from), size); }
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t number() {
    std::uint64_t number = 0;
    std::memcpy(&number, next(sizeof number), sizeof number);
    return number;
  }
  std::string text() {
    const std::uint64_t size = number();
    return std::string(next(size), size);
  }
  template <class Row>
  void rows(std::vector<Row>& rows) {
    const std::uint64_t count = number();
    if (count > bytes_.size() / sizeof(Row)) throw std::runtime_error("its answer was cut short");
    rows.resize(count);
    if (count > 0) std::memcpy(static_cast<void*>(rows.data()), next(count * sizeof(Row)), count * sizeof(Row));
  }

 private:
  const char* next(std::uint64_t size) {
    if (size > bytes_.size()) throw std::runtime_error("its answer was cut short");
    const char* const at = bytes_.data();
    bytes_.remove_prefix(size);
    return at;
  }
  std::string_view bytes_;
};

std::string packed(const Imported& imported) {
  Packer packer;
  packer.add(imported.names.size());
  for (const std::string& name : imported.names) packer.add(name);
  packer.add(imported.meshes.size());
  for (const Mesh& mesh : imported.meshes) packer.add(mesh.vertices), packer.add(mesh.triangles);
  return std::move(packer.bytes);
}

Imported unpacked(std::string_view bytes) {
  Unpacker unpacker(bytes);
  Imported result;
  for (std::uint64_t k = unpacker.number(); k > 0; --k) result.names.push_back(unpacker.text());
  for (std::uint64_t k = unpacker.number(); k > 0; --k) {
    Mesh& mesh = result.meshes.emplace_back();
    unpacker.rows(mesh.vertices), unpacker.rows(mesh.triangles);
  }
  return result;
}

}  // namespace

bool isForeignMesh(const std::string& extension) { return theAssimp().isSupported(extension.c_str()) != 0; }

std::vector<Mesh> readForeignMesh(const std::string& path, const std::string& extension, const Files& files) {
  (void)theAssimp();
  (void)files.read(path, kMeshFile);
  Imported imported;
  try {
    imported = unpacked(answerOfChild([&] { return packed(importMeshes(path, extension, files)); }));
  } catch (const std::runtime_error& broken) {
    throw LoadError(path, {}, std::string("the mesh cannot be read: ") + broken.what(),
                    "OBJ, STL, Collada, or another format that assimp knows");
  }
  for (const std::string& name : imported.names) (void)files.read(name, kMeshFile);  // The other process did.
  if (imported.meshes.empty()) throw LoadError(path, {}, "no mesh in this file", "at least one");
  return std::move(imported.meshes);
}

}  // namespace rigor::scenes
