// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "scenes/model_file.h"

namespace rigor::scenes {

/// `urdf`, `mjcf` or `sdf`, as the first element of a file says, else, and where there is no file, by the ending of its
/// name (.urdf, .xacro, .xml, .mjcf, .sdf); empty otherwise.
std::string robotFormat(const std::string& path);

/// Reads a robot file of that format (robotFormat()). @throws LoadError.
FileModel readModelFile(const std::string& path, const std::string& format, std::vector<std::string>& warnings,
                        const Files& files = {}, const ShapeOptions& options = {});

}  // namespace rigor::scenes
