// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "scenes/files.h"
#include "scenes/mesh.h"

namespace rigor::scenes {

/// Whether assimp reads files with this extension (".ply"); its library is loaded for that.
bool isForeignMesh(const std::string& extension);

/// The meshes of a file that assimp reads (PLY, glTF, ...), placed as its nodes say. A process of its own does it
/// (child_answer.h): damaged files make some of its readers crash, or go on for ever.
/// @throws LoadError for a file that cannot be read.
std::vector<Mesh> readForeignMesh(const std::string& path, const std::string& extension, const Files& files);

}  // namespace rigor::scenes
