// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "scenes/mesh.h"

namespace rigor::scenes {

/// Whether a mesh file is a Collada one, whatever its name.
bool isCollada(const std::string& bytes);

/// The meshes of a Collada file that its scene shows, placed as its nodes say, in metres: one of each list of triangles
/// or polygons, with the vertices that it uses. Lines, normals, textures and skins say nothing about the shape; the up
/// axis is not applied, as ROS does not: axes are those that the numbers are written in.
/// @throws LoadError at the element: lists with anything but numbers, indices of vertices that are not there, counts
/// that disagree, references that lead nowhere or in circles, transformations other than matrix, translate, rotate and
/// scale.
std::vector<Mesh> readCollada(const std::string& path, const std::string& bytes);

}  // namespace rigor::scenes
