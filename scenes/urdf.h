// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "scenes/model_file.h"

namespace rigor::scenes {

/// Reads what a URDF file states (docs/robots.md has the table). Shapes: boxes, cylinders and spheres as polytopes,
/// capsules likewise, meshes as convex hulls of their parts (mesh_hull.h), several collision elements a compound.
/// Joints: revolute, continuous, prismatic, planar, fixed, floating, and beyond the format spherical and universal.
///
/// What is loaded otherwise than written adds a line to `warnings`. @throws LoadError with the line of the element for
/// what cannot be: bad XML, names that repeat or are missing, numbers that are none, negative masses, limits the wrong
/// way round, meshes that are missing. makeRobotModel() judges the rest.
FileModel readUrdf(const std::string& path, std::vector<std::string>& warnings, const Files& files = {},
                   const ShapeOptions& options = {});

/// The same from text; `path` is for messages and meshes.
FileModel parseUrdf(const std::string& text, const std::string& path, std::vector<std::string>& warnings,
                    const Files& files = {}, const ShapeOptions& options = {});

}  // namespace rigor::scenes
