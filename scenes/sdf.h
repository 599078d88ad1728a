// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "scenes/model_file.h"

namespace rigor::scenes {

/// Reads the model of an SDF file (Gazebo, Drake); docs/robots.md has the table of what is read, approximated and left
/// out. Poses relative to any link, joint or frame of the model. A link whose joint stands elsewhere than its own frame
/// hangs on a link without mass named `LINK.JOINT`. What is left out adds a line to `warnings`.
/// @throws LoadError with the line of the element for what cannot be: several models, nested or included ones, loops.
FileModel readSdf(const std::string& path, std::vector<std::string>& warnings, const Files& files = {},
                   const ShapeOptions& options = {});

}  // namespace rigor::scenes
